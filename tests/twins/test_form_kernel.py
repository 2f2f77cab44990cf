"""The kernel of logical forms against counts in plain Python: random, damaged and extreme forms."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawn import drawn
from form_counts import row
from form_diagnosis import Diagnosis
from form_parser import parsed, parsed_tree
from form_strategies import FORMS, damaged, edited, renamed, shuffled
from karat import _native
from karat.core.reading.strings import Strings
from karat.core.registry import parse as metric_of
from karat.engine import evaluate
from karat.logic import Form, serialize
from karat.logic.metrics.base import LogicMetric
from karat.logic.model import DialectName, Flaw
from karat.logic.parser import try_parse, try_parse_varfree
from looking import check_looks

METRICS = [
    "cogs(dialect={!r})",
    "cogs(dialect={!r}, legacy=True)",
    "cogs(dialect={!r}, counting='set', grammar='strict')",
    "lf-semantic(dialect={!r})",
    "lf-order-invariant(dialect={!r}, legacy=True)",
    "lf-parts(dialect={!r}, legacy=True, counting='multiset')",
    "lf-edit-distance(dialect={!r})",
]
TREE_METRICS = [
    "cogs(dialect='varfree')",
    "lf-parts(dialect='varfree', counting='set')",
    "lf-order-invariant(dialect='varfree')",
]


def spanned(texts: Sequence[str]) -> tuple[bytes, Any]:
    """Texts as the kernels of forms take them."""
    found = Strings.of(texts)
    return found.data, found.spans


def metric(text: str) -> LogicMetric:
    found: Any = metric_of(text)
    return found  # type: ignore[no-any-return]


def check(each: LogicMetric, system: str, gold: str) -> None:
    expected = row(each, system, gold)
    if expected is None:
        with pytest.raises(Exception, match="the gold form is ill-formed"):
            each.measure(system, gold)
        return
    found = each.measure(system, gold)
    assert found == expected, each


def is_good(text: str, dialect: str, strict: bool = False) -> bool:
    return _native.is_form(text.encode("utf-8", "surrogatepass"), dialect=dialect, strict=strict)


# Fragments from which any text can come together: all terminals, and what is almost one.
PIECES = st.sampled_from(
    ["cat", "be", "x", "_", "12", "007", "0", "a", "b", "e", "ab", "Emma", "Al", "A", "AND",
     "LAMBDA", "And", "AnD", "nmod", "agent", "(", ")", ",", ".", ";", "*", "=", "?", " ",
     "\t", "\n", "\f", "\x0b", "\x1c", "\x85", "\xa0", "\u2028", "\u3000", "é", "ß", "\ud800", "\0",
     "x _ 3", " ( x _ 1 )",
     "* cat ( x _ 1 ) ;", "run . agent ( x _ 1 , x _ 2 )", " AND ", "LAMBDA a . ", "dog 1 2",
     "eat ( agent = dog )", "role = "]
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(PIECES, max_size=9).map("".join), st.lists(PIECES, max_size=9).map(" ".join)
)


WHOLE = [
    "LAMBDA a . LAMBDA b . run . agent ( b , a )", "Emma",
    "* cat ( x _ 1 ) ; dog ( x _ 2 ) AND run . agent ( x _ 3 , Emma )",
    "cat ( x _ 1 ) AND dog ( x _ 2 ) AND dog . nmod . in ( x _ 2 , x _ 1 )",
    "Emma ( 0 ) ; * dog ( 3 ) ; see ( 1 ) AND agent ( 1 , 0 ) AND nmod . in ( 1 , 3 )",
    "* cake 4 ; give . agent 1 Emma AND give . theme 1 4", "What . agent ( x _ 1 , ? )",
    "eat ( agent = * dog ( nmod . in = house ) , theme = cake , recipient = ? )",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forms")


@settings(max_examples=drawn(600), deadline=None)
@given(st.one_of(TEXTS, damaged(st.sampled_from(WHOLE))))
def test_texts_are_read_as_by_the_judge(text: str) -> None:
    """Forms, and where texts are ill-formed, what is expected and what is found there."""
    dialects: tuple[DialectName, ...] = ("cogs", "slog", "recogs", "reduced")
    for dialect in dialects:
        for strict in (False, True):
            expected: Any = parsed(text, dialect, strict)
            assert try_parse(text, dialect, strict) == expected, (dialect, strict)
            assert is_good(text, dialect, strict) != isinstance(expected, Flaw), (dialect, strict)
    expected = parsed_tree(text)
    assert try_parse_varfree(text) == expected
    assert is_good(text, "varfree") != isinstance(expected, Flaw)


@st.composite
def form_pairs(draw: st.DrawFn) -> tuple[str, str, str]:
    """A dialect, and two forms in it that have much in common."""
    dialect: Any = draw(st.sampled_from(["cogs", "cogs", "slog", "recogs", "reduced"]))
    form = draw(FORMS)
    if dialect == "recogs":
        form = Form("iota", tuple(_plain(form.conjuncts)), tuple(_plain(form.definite)))
    gold = serialize(form, dialect)
    changed = form
    for change in (shuffled, renamed, edited):
        if draw(st.booleans()):
            changed = change(changed, draw(st.integers(0, 99)))
    if draw(st.integers(0, 3)) == 0:
        changed = draw(FORMS)
    if draw(st.integers(0, 3)) == 0:
        changed = Form(changed.type, changed.conjuncts[1:], changed.definite, changed.binders)
    system = serialize(changed, dialect)
    if draw(st.integers(0, 3)) == 0:
        system = draw(damaged(st.just(system)))
    return dialect, system, gold


def _plain(terms: Any) -> Any:
    """Terms without names, of which ReCOGS has none as arguments."""
    for term in terms:
        arguments = tuple(a for a in term.arguments if isinstance(a, int) or len(a) == 1)
        if arguments:
            yield term._replace(arguments=arguments)


@settings(max_examples=drawn(300), deadline=None)
@given(form_pairs(), st.sampled_from(METRICS))
def test_random_and_damaged_forms(pair: tuple[str, str, str], text: str) -> None:
    dialect, system, gold = pair
    check(metric(text.format(dialect)), system, gold)


@settings(max_examples=drawn(250), deadline=None)
@given(
    TEXTS, TEXTS, st.sampled_from(METRICS), st.sampled_from(["cogs", "slog", "recogs", "reduced"])
)
def test_any_texts(system: str, gold: str, text: str, dialect: str) -> None:
    check(metric(text.format(dialect)), system, gold)
    check(metric(text.format(dialect)), gold, "cat 1" if dialect == "reduced" else "Emma")


LABELS = st.sampled_from(
    ["eat", "* dog", "cake", "Emma", "?", "* Dog", "AND", "LAMBDA a . ball ( a )"]
)
ROLES = st.sampled_from(["agent", "theme", "nmod . in", "nmod.in"])
TREES = st.recursive(
    LABELS,
    lambda inner: st.tuples(
        LABELS, st.lists(st.tuples(ROLES, inner).map(" = ".join), min_size=1, max_size=3)
    ).map(lambda node: f"{node[0]} ( {' , '.join(node[1])} )"),
    max_leaves=8,
)


@settings(max_examples=drawn(250), deadline=None)
@given(TREES, st.one_of(TREES, damaged(TREES)), st.sampled_from(TREE_METRICS))
def test_random_trees(gold: str, system: str, text: str) -> None:
    check(metric(text), system, gold)
    check(metric(text), gold, gold)
    check(metric(text), system, system)


SIZE = 3000
LONG = {
    "many terms": " AND ".join(f"cat . in ( x _ {i} , x _ {i + 1} )" for i in range(SIZE)),
    "many words": " AND ".join(f"cat{'z' * i} ( x _ {i} )" for i in range(300)),
    "digits": f"cat ( x _ {'0' * 700}{'9' * 640} )",
    "too many digits": f"cat ( x _ {'9' * 641} )",
    "zeros": f"cat ( x _ {'0' * 2000} )",
    "deep tree": "eat ( agent = " * SIZE + "dog" + " )" * SIZE,
    "wide tree": "eat ( " + " , ".join(f"agent = dog{'o' * (i % 7)}" for i in range(SIZE)) + " )",
    "open brackets": "(" * 20_000,
    "binders": "LAMBDA a . " * SIZE + "cat ( a )",
    "distinct tokens": " ".join(f"t{i}" for i in range(40_000)),
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_long_forms(name: str) -> None:
    text = LONG[name]
    dialect = "varfree" if "tree" in name else "cogs"
    small = "eat ( agent = dog )" if dialect == "varfree" else "cat ( x _ 1 )"
    each = metric(f"cogs(dialect={dialect!r})")
    check(each, text, small)
    if is_good(text, dialect):
        check(each, text, text)
        plain = metric(f"lf-parts(dialect={dialect!r})")
        check(plain, text[: len(text) // 2], text)
        check(plain, small, text)


def test_words_beyond_what_fits_in_64_bits() -> None:
    """The n-grams of more than 65,000 different tokens take another way, with the same counts."""
    rng = random.Random(1)
    tokens = [f"t{i}" for i in range(70_000)]
    system = " ".join(tokens)
    rng.shuffle(tokens)
    each = metric("lf-bleu")
    assert each.measure(system, "cat ( x _ 1 )") == row(each, system, "cat ( x _ 1 )")


WORDS = ["cat", "dog", "eat", "see"]


def test_chunks_and_threads_make_no_difference() -> None:
    rng = random.Random(2)
    terms = "{0} . {1} ( x _ {2} , x _ {2} )", "{0} . {1} ( x _ {2} , x _ 1 )"
    golds = [
        " AND ".join(
            rng.choice(terms).format(rng.choice(WORDS), rng.choice(WORDS), rng.randint(0, 3))
            for _ in range(rng.randint(1, 8))
        )
        for _ in range(500)
    ]  # fmt: skip
    systems = [
        gold if rng.random() < 0.4 else rng.choice(golds)[: rng.randint(1, 300)] for gold in golds
    ]
    each = metric("cogs")
    pairs = list(zip(systems, golds, strict=True))
    whole = each.measure_many(pairs)
    assert (whole == np.array([row(each, *pair) for pair in pairs])).all()
    parts = [each.measure_many(pairs[i : i + 7]) for i in range(0, len(pairs), 7)]
    assert (whole == np.concatenate(parts)).all()
    ours, theirs = spanned(systems), spanned(golds)
    groups = [one.group for one in each.components]
    found = [
        _native.measure_forms(*ours, *theirs, groups, dialect="cogs", threads=threads)
        for threads in (1, 3)
    ]
    assert (found[0][0] == found[1][0]).all()
    assert (found[0][1] == found[1][1]).all()


@pytest.mark.parametrize("forced", [True, False])
def test_pairs_that_take_a_search(forced: bool) -> None:
    """Rings, where each constant looks like all others; chains that take many rounds to force."""
    size = 30
    closing = size if forced else 0
    edges = [(i, i + 1 if i < size - 1 else closing) for i in range(size)]
    names = ["start", *["next"] * (size - 1)] if forced else ["next"] * size
    gold = " AND ".join(
        f"{n} . in ( x _ {a} , x _ {b} )" for n, (a, b) in zip(names, edges, strict=True)
    )
    turned = " AND ".join(
        f"{n} . in ( x _ {a + 5} , x _ {b + 5} )"
        for n, (a, b) in reversed(list(zip(names, edges, strict=True)))
    )
    other = turned.replace(f"x _ {closing + 5} )", "x _ 8 )", 1)
    assert other != turned
    each = metric("lf-semantic")
    for system in (turned, other):
        check(each, system, gold)
    assert each.measure(turned, gold) == [1, 1, 0]


def test_wrong_arguments_are_refused() -> None:
    one = spanned(["Emma"])
    beyond = np.array([[0, 9]])
    for call in (
        lambda: _native.measure_forms(b"Emma", beyond, *one, ["exact"], dialect="cogs"),
        lambda: _native.measure_forms(*one, *one, ["nothing"], dialect="cogs"),
        lambda: _native.measure_forms(*one, *one, ["exact"], dialect="latin"),
        lambda: _native.measure_forms(*one, *spanned([]), ["exact"], dialect="cogs"),
        lambda: _native.tab_cells(b"a\tb", beyond, 2),
        lambda: _native.tab_cells(b"a\tb", np.array([[0, 3]]), 0),
        lambda: _native.same_texts(b"a", beyond, b"a", beyond),
        lambda: _native.look_at_forms(
            b"Emma", beyond, *one, dialect="cogs", strict=False, told=True, shown=True
        ),
        lambda: _native.look_at_forms(
            *one, *one, dialect="varfree", strict=False, told=True, shown=True
        ),
    ):
        with pytest.raises(ValueError):
            call()


@settings(max_examples=drawn(200), deadline=None)
@given(st.lists(st.text("a\té", max_size=8), max_size=6), st.integers(1, 4))
def test_cells(lines: list[str], columns: int) -> None:
    texts = Strings.of(lines)
    cells = _native.tab_cells(texts.data, texts.spans, columns).tolist()
    for line, found in zip(lines, cells, strict=True):
        expected = line.split("\t")
        if len(expected) != columns:
            assert found == [[-1, -1]] * columns
        else:
            assert [texts.data[a:b].decode() for a, b in found] == expected


@settings(max_examples=drawn(150), deadline=None)
@given(form_pairs(), st.sampled_from(["tolerant", "strict"]))
def test_forms_are_shown_as_they_are_parsed(
    folder: Path, case: tuple[str, str, str], grammar: str
) -> None:
    dialect, system, gold = case
    strict = grammar == "strict"
    if not is_good(gold, dialect, strict) or not system.isprintable() or not system.strip():
        return
    (folder / "gold").write_text(f"A dog .\t{gold}\tx\n" * 2)
    (folder / "system").write_text(f"A dog .\t{system}\tx\nA dog .\t{gold}\tx\n")
    run = evaluate(
        metric(f"cogs(dialect={dialect!r}, grammar={grammar!r})"),
        system=folder / "system",
        gold=folder / "gold",
        format="lf-tsv",
    )
    assert check_looks(run) == 2


def check_diagnosis(dialect: DialectName, system: str, gold: str) -> None:
    forms = parsed(system, dialect), parsed(gold, dialect)
    if system == gold or any(isinstance(each, Flaw) for each in forms):
        return
    expected = Diagnosis((system, gold), *forms, dialect)  # type: ignore[arg-type]
    each = metric(f"cogs(dialect={dialect!r})")
    told = each.explain(system, gold)
    assert list(told.items()) == list(expected.explanation.items())
    shown = each.shown(system, gold, told)
    assert shown.notes == expected.explanation["diagnosis"]
    if "name" in (forms[0].type, forms[1].type):  # type: ignore[union-attr]
        assert (shown.layers, shown.faults) == ({}, [])
    else:
        assert (shown.layers, shown.faults) == ({"terms": expected.marks}, expected.faults())


@settings(max_examples=drawn(500), deadline=None)
@given(form_pairs())
def test_forms_are_explained_as_by_the_judge(case: tuple[Any, str, str]) -> None:
    check_diagnosis(*case)


@pytest.mark.parametrize("size", [3, 30, 80])
def test_long_forms_are_explained_as_by_the_judge(size: int) -> None:
    """Many terms that are alike, of which some are the same."""
    rng = random.Random(size)

    def form() -> str:
        shapes = (
            "{0} . {1} ( x _ {2} , x _ {3} )",
            "{0} ( x _ {2} )",
            "{0} . {1} ( x _ {2} , Emma )",
        )
        terms = [
            rng.choice(shapes).format(*rng.choices(WORDS, k=2), *rng.choices("1234", k=2))
            for _ in range(rng.randint(1, size))
        ]
        starred = "* cat ( x _ 1 ) ; " if rng.random() < 0.5 else ""
        return starred + " AND ".join(terms)

    for _ in range(40):
        check_diagnosis("cogs", form(), form())
