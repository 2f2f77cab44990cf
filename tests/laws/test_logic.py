"""The laws of the metrics of logical forms, on random forms."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import form_strategies as forms
from karat.errors import FormatError
from karat.logic import Form, parse, same_meaning, serialize, try_parse
from karat.logic.convert import converted
from karat.logic.diagnosis import notation_of
from karat.logic.metrics.cogs import Cogs
from karat.logic.model import Flaw, same_items

TEXTS = forms.FORMS.map(serialize)
SEEDS = st.integers(0, 1000)
LEGACY = Cogs(legacy=True)
PLAIN = Cogs()


@st.composite
def near(draw: st.DrawFn) -> tuple[str, str]:
    """A gold text and a system text that often has something to do with it."""
    gold: Form = draw(forms.FORMS)
    how = draw(st.sampled_from(["same", "shuffled", "renamed", "both", "other", "damaged"]))
    system = gold
    if how in ("shuffled", "both"):
        system = forms.shuffled(system, draw(SEEDS))
    if how in ("renamed", "both"):
        system = forms.renamed(system, draw(SEEDS))
    if how == "other":
        system = draw(forms.FORMS)
    text = serialize(system)
    if how == "damaged":
        text = draw(forms.damaged(st.just(text)))
    return text, serialize(gold)


def rate(scores: Any, key: str) -> float:
    return scores[key]["rate"]  # type: ignore[no-any-return]


@settings(max_examples=300, deadline=None)
@given(near())
def test_what_implies_what(pair: tuple[str, str]) -> None:
    system, gold = pair
    scores = LEGACY.score(system, gold)
    if rate(scores, "exact_match"):
        assert rate(scores, "exact_match_tokens")
        assert rate(scores, "order_invariant")
    if rate(scores, "order_invariant"):
        assert rate(scores, "well_formed")
        assert rate(scores, "order_invariant_set")
        if parse(gold).type != "lambda":
            assert rate(scores, "semantic_match")
    if rate(scores, "well_formed_strict"):
        assert rate(scores, "well_formed")


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_the_gold_is_perfect(text: str) -> None:
    for metric in (PLAIN, LEGACY):
        scores = metric.score(text, text)
        names = "exact_match exact_match_tokens well_formed order_invariant semantic_match"
        assert all(rate(scores, key) == 1 for key in names.split())
        assert scores["edit_distance"]["total"] == 0
        assert scores["bleu"] == (100 if len(text.split()) >= 4 else 0)
    for kind in ("terms", "predicates", "arguments"):
        for scope in ("all", "prefix", "conjunction"):
            block = PLAIN.score(text, text)[kind][scope]
            assert set(block["macro"].values()) == {1.0}
            assert block["tp"] == block["gold"] == block["system"]


@settings(max_examples=300, deadline=None)
@given(forms.FORMS, forms.FORMS, SEEDS)
def test_semantic_match_is_symmetric_and_blind_to_names_and_order(
    one: Form, other: Form, seed: int
) -> None:
    assert same_meaning(one, other) == same_meaning(other, one)
    disguised = forms.renamed(forms.shuffled(one, seed), seed)
    assert same_meaning(disguised, one)
    assert same_meaning(disguised, other) == same_meaning(one, other)


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_swapping_the_files_swaps_precision_and_recall(one: str, other: str) -> None:
    there, back = PLAIN.score(one, other), PLAIN.score(other, one)
    for kind in ("terms", "predicates", "arguments"):
        for average in ("micro", "macro"):
            a, b = there[kind]["all"][average], back[kind]["all"][average]
            assert a["precision"] == b["recall"]
            assert a["recall"] == b["precision"]
            assert a["f1"] == b["f1"]


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_edit_distance_is_a_metric(a: str, b: str, c: str) -> None:
    def distance(x: str, y: str) -> int:
        return PLAIN.score(x, y)["edit_distance"]["total"]  # type: ignore[no-any-return]

    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a.split() == b.split())
    assert distance(a, c) <= distance(a, b) + distance(b, c)


@settings(max_examples=200, deadline=None)
@given(forms.FORMS)
def test_what_is_written_is_read_back(form: Form) -> None:
    assert parse(serialize(form)) == form
    assert parse(serialize(form, "slog"), "slog") == form
    assert parse(serialize(form, "reduced"), "reduced") == form


@settings(max_examples=200, deadline=None)
@given(TEXTS, SEEDS)
def test_white_space_between_terminals_does_not_matter(text: str, seed: int) -> None:
    rng = random.Random(seed)
    spaced = "".join(rng.choice([" ", "  ", "\t", "\r\n", "\f"]) if c == " " else c for c in text)
    assert parse(f" {spaced} ") == parse(text)
    closed = text.replace(" ", "")
    assert parse(closed) == parse(text)
    assert parse(closed, "slog") == parse(text)


@settings(max_examples=300, deadline=None)
@given(forms.damaged(TEXTS))
def test_what_is_ill_formed_says_where(text: str) -> None:
    found = try_parse(text)
    if isinstance(found, Form):
        return
    assert 0 <= found.offset <= len(text)
    # The text before that place is no worse than the beginning of some form: what is
    # wrong there is not wrong for an earlier reason.
    cut = try_parse(text[: found.offset])
    assert (
        isinstance(cut, Form)
        or cut.offset == len(text[: found.offset].rstrip(" \t\r\n\f"))
        or (cut.found == "the end")
    )


@settings(max_examples=200, deadline=None)
@given(near())
def test_the_diagnosis_is_empty_only_for_equal_texts(pair: tuple[str, str]) -> None:
    system, gold = pair
    assert bool(PLAIN.explain(system, gold)["diagnosis"]) == (system != gold)


DIALECTS = ("cogs", "slog", "recogs", "reduced")


@settings(max_examples=300, deadline=None)
@given(forms.FORMS, st.sampled_from(DIALECTS), st.sampled_from((*DIALECTS, "varfree")))
def test_what_is_converted_is_valid(form: Form, dialect: Any, into: Any) -> None:
    """A form is well-formed in the other notation, or refused; from ReCOGS it comes back whole."""
    sentence = "a b c d e Emma Liam"  # names stand where no constant is
    if dialect == "recogs":
        try:
            form = parse(converted(form, "cogs", "recogs", sentence, strict=False), "recogs")
        except FormatError:
            return
    try:
        written = converted(form, dialect, into, sentence)
    except FormatError:
        return
    assert not isinstance(notation_of(into, "strict").parse(written), Flaw)
    if into == "recogs" and dialect != "recogs":
        back = converted(parse(written, "recogs"), "recogs", "cogs")
        assert same_items(parse(back), form)
