"""Metrics of trees, counted from bytes, against the same metrics on parsed trees.

The same rows, or the same error. Facets make items be parsed, so a run with them is the judge.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from udtools import udeval

from drawn import drawn
from karat.core.capabilities import LooksAtMany, MeasuresBytes, has
from karat.core.reading.streams import FilePairs
from karat.core.registry import parse
from karat.engine import evaluate
from karat.errors import KaratError
from karat.report.item_files import look_through
from looking import check_looks

LETTERS = ["a", "B", "é", "É", "Σ", "ς", "İ", "1 0", "\u00a0x", "\u3000", "ſ"]
LETTERS += ["a\u2028b", "\x85", "\x0c"]
LABELS = ["nsubj", "nsubj:pass", "det", "case", "punct", "root", "x:", ":", "", "aux"]
FEATS = ["_", "", "Case=Nom|Number=Sing", "Number=Sing|Case=Nom", "Case|X=1", "X=2", "Number=Sing"]
TAGS = ["_", "NOUN", "PUNCT", ".", "VB"]


@st.composite
def words(draw: st.DrawFn, forms: list[str], rows: list[str]) -> None:
    """The lines of a sentence with these tokens, some of which stand for several words."""
    size = 0
    lines: list[tuple[str, str]] = []
    for form in forms:
        if draw(st.integers(0, 5)) == 0:
            count = draw(st.integers(1, 3))
            lines.append((f"{size + 1}-{size + count}", form))
            parts = draw(
                st.lists(st.sampled_from([*LETTERS, form]), min_size=count, max_size=count)
            )
        else:
            parts = [form]
        for part in parts:
            size += 1
            lines.append((str(size), part))
            if draw(st.integers(0, 15)) == 0:
                lines.append((f"{size}.1", "empty"))
    order = draw(st.permutations(range(1, size + 1)))
    heads = {order[0]: 0}
    for place, word in enumerate(order[1:], 1):
        heads[word] = draw(st.sampled_from(order[:place]))
    for number, form in lines:
        head = heads.get(int(number)) if number.isdigit() else "_"
        cells = [
            number, form, draw(st.sampled_from(["_", form, form.lower()])),
            draw(st.sampled_from(TAGS)), draw(st.sampled_from(TAGS)), draw(st.sampled_from(FEATS)),
            str(head), "root" if head == 0 else draw(st.sampled_from(LABELS)), "_", "_",
        ]  # fmt: skip
        rows.append("\t".join(cells))


@st.composite
def document(draw: st.DrawFn, text: list[str], names: bool) -> str:
    """One way to cut a text into sentences, tokens and words."""
    lines: list[str] = []
    place = 0
    while place < len(text):
        size = draw(st.integers(1, min(6, len(text) - place)))
        letters, place = text[place : place + size], place + size
        forms = []
        while letters:
            count = draw(st.integers(1, min(3, len(letters))))
            forms.append("".join(letters[:count]))
            letters = letters[count:]
        if names:
            lines.append(f"# sent_id = {place}")
        draw(words(forms, lines))
        lines.append("")
        if draw(st.integers(0, 15)) == 0:
            lines.append("")
    return "".join(f"{line}\n" for line in lines)


FAULTS = [
    ("\t_\t_\n", "\t_\n"), ("\t_\t_\n", "\t_\t_\t_\n"), ("\n1\t", "\n2\t"), ("\n1\t", "\n01\t"),
    ("1-2\t", "1-9\t"), ("1-1\t", "1-0\t"), ("2\t", "2-\t"), ("2\t", "1.\t"), ("2\t", "2.x\t"),
    ("\t0\t", "\t1\t"), ("\t0\t", "\t-1\t"), ("\t0\t", "\t00\t"), ("\t1\t", "\t0\t"),
    ("\t1\t", "\t99999\t"), ("\t1\t", "\t9999999999\t"), ("\t1\t", "\t+1\t"), ("\t1\t", "\t \t"),
    ("\n\n", "\n"), ("\n\n", "\n\n\n"), ("\n", "\r\n"), ("\n", "\r\r\n"), ("\ta\t", "\t\t"),
    ("\ta\t", "\tb\t"), ("\ta\t", "\t\u3000\t"), ("\n1\t", "\n# late\n1\t"), ("sent_id", "x"),
    ("sent_id = ", "\u00a0sent_id\u00a0= \u2003"), ("= 1", "= 2"), ("\n\n", "\n \n"),
    ("1\t", "1\r\t"),
]  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """Mostly as it was; else with something wrong in one place, or at the end."""
    if draw(st.integers(0, 3)):
        return text
    old, new = draw(st.sampled_from(FAULTS))
    if draw(st.integers(0, 9)) == 0:
        return text.removesuffix("\n")
    parts = text.split(old)
    if len(parts) == 1 or draw(st.integers(0, 3)) == 0:
        return text.replace(old, new)
    place = draw(st.integers(1, len(parts) - 1))
    return old.join(parts[:place]) + new + old.join(parts[place:])


@st.composite
def files(draw: st.DrawFn, *, same_words: bool = False) -> tuple[str, str]:
    text = draw(st.lists(st.sampled_from(LETTERS[:9]), min_size=1, max_size=30))
    names = draw(st.booleans())
    gold = draw(document(text, names))
    if same_words or draw(st.integers(0, 2)) == 0:
        system = gold.replace("\tnsubj\t", "\tdet\t").replace("Case=Nom|", "")
        system = system.replace("\tVB\t", "\t_\t") if draw(st.booleans()) else system
    else:
        system = draw(document(text, names))
    return draw(damaged(system)), draw(damaged(gold))


def outcome(metric: str, folder: Path, facets: tuple[str, ...], **options: Any) -> Any:
    try:
        run = evaluate(
            metric, system=folder / "system", gold=folder / "gold", facets=facets, **options
        )
    except KaratError as error:
        return str(error)
    assert run.counts.dtype == np.float64
    return run.counts.tolist(), run.groups, run.ids, run.keys, run.warnings, run.skipped


def compare(folder: Path, system: str, gold: str, metric: str, **options: Any) -> None:
    (folder / "system").write_bytes(system.encode())
    (folder / "gold").write_bytes(gold.encode())
    assert has(parse(metric), MeasuresBytes)
    expected = outcome(metric, folder, ("dependency-length",), **options)
    assert outcome(metric, folder, (), **options) == expected
    if has(parse(metric), LooksAtMany) and not isinstance(expected, str):
        check_looks(evaluate(metric, system=folder / "system", gold=folder / "gold", **options))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trees")


@settings(max_examples=drawn(200))
@given(pair=files(), allow=st.booleans())
def test_ud(folder: Path, pair: tuple[str, str], allow: bool) -> None:
    compare(folder, *pair, "ud(multiple_roots='allow')" if allow else "ud")


def test_the_profile_of_ud(folder: Path) -> None:
    """Words that only one side has."""
    lines = "1\t{}\t_\tX\t_\t_\t0\troot\t_\t_\n", "2\t{}\t_\tX\t_\t_\t1\tdet\t_\t_\n"
    (folder / "gold").write_text(lines[0].format("ab") + lines[1].format("c") + "\n")
    (folder / "system").write_text(lines[0].format("a") + lines[1].format("bc") + "\n")
    run = evaluate("ud", system=folder / "system", gold=folder / "gold", format="conllu")
    found = look_through(run, [], profile=True)
    assert found["missing"] == [{"what": "ab", "count": 1}, {"what": "c", "count": 1}]
    assert found["surplus"] == [{"what": "a", "count": 1}, {"what": "bc", "count": 1}]


@settings(max_examples=drawn(100))
@given(text=st.lists(st.sampled_from(LETTERS[:9]), min_size=1, max_size=30), data=st.data())
def test_the_official_script(folder: Path, text: list[str], data: st.DataObject) -> None:
    """The counts of the shared task's own script, as the maintainers of UD keep it."""
    representations = []
    for name in ("gold", "system"):
        content = data.draw(document(text, False))
        while "\n\n\n" in content:  # which it takes for an empty sentence
            content = content.replace("\n\n\n", "\n\n")
        content = re.sub(r"(?m)^\d+\.1\t.*\n", "", content)  # it fails inside multiword tokens
        (folder / name).write_text(content)
        with (folder / name).open(encoding="utf-8") as file:
            representations.append(udeval.load_conllu(file, name, {}))
    scores = evaluate("ud", system=folder / "system", gold=folder / "gold").scores()
    official = udeval.evaluate(*representations)
    for name, figures in scores.items():
        expected = official[name]
        assert figures["correct"] == expected.correct
        assert figures["gold"] == expected.gold_total
        assert figures["system"] == expected.system_total
        assert figures["f1"] == pytest.approx(expected.f1, abs=1e-12)
        if name not in ("Tokens", "Sentences", "Words"):
            assert figures["aligned"] == expected.aligned_total


WORDWISE = [
    "attachment",
    "attachment(subtypes='ignore', keep_punct=True)",
    "attachment(punct_upos=True, single_root=True)",
    "attachment(punct_deprel='nsubj')",
    "ned",
    "ned(punct_heads='lift', single_root=True)",
    "ned(punct_heads='keep', max_length=3)",
]


@settings(max_examples=drawn(200))
@given(
    pair=files(same_words=True),
    metric=st.sampled_from(WORDWISE),
    mode=st.sampled_from(["auto", "position", "id"]),
    on_error=st.sampled_from(["auto", "skip"]),
    format=st.sampled_from(["conllu", "conllu", "conllu", "conllx", "ned"]),
)
def test_the_same_words(
    folder: Path, pair: tuple[str, str], metric: str, mode: Any, on_error: Any, format: str
) -> None:
    options: dict[str, Any] = {"pair": mode, "on_error": on_error, "format": format}
    compare(folder, *pair, metric, gold_format="conllu", **options)


ALIGNED = [
    "derp",
    "derp(labels='universal', empty_score=1)",
    "derp(labels='none')",
    "dted",
    "dted(variant='label')",
    "dted(variant='core', empty_score=0)",
]


@settings(max_examples=drawn(150))
@given(
    pair=files(same_words=True),
    other=files(same_words=True),
    metric=st.sampled_from(ALIGNED),
    mode=st.sampled_from(["auto", "position"]),
    on_error=st.sampled_from(["auto", "skip"]),
    format=st.sampled_from(["conllu", "conllu", "ned"]),
)
def test_trees_over_two_sentences(
    folder: Path, pair: tuple[str, str], other: tuple[str, str], metric: str, mode: Any,
    on_error: Any, format: str,
) -> None:  # fmt: skip
    """One or two references; explanations by one call against those of one pair at a time."""
    for name, text in zip(("system", "gold", "other"), (*pair, other[1]), strict=True):
        (folder / name).write_bytes(text.encode())
    for golds in (["gold"], ["gold", "other"]):
        try:
            run = evaluate(
                metric, system=folder / "system", gold=[folder / each for each in golds],
                pair=mode, on_error=on_error, format=format, gold_format="conllu",
            )  # fmt: skip
        except KaratError:
            continue
        check_looks(run)


@st.composite
def narrow(draw: st.DrawFn) -> tuple[str, str]:
    """Files of one or three columns with the same words, or nearly."""
    wide = [draw(st.booleans()) for _ in range(2)]
    lines: tuple[list[str], list[str]] = ([], [])
    for size in draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)):
        tags = [draw(st.sampled_from(TAGS)) for _ in range(size)]
        for side in (0, 1):
            for tag in tags:
                head = draw(
                    st.sampled_from(["0", "-1", "0", str(size), str(draw(st.integers(0, size)))])
                )
                form = "a" if draw(st.integers(0, 40)) else "b"
                lines[side].append(f"{form}\t{tag}\t{head}" if wide[side] else head)
            lines[side].append("")
    return draw(damaged("\n".join(lines[0]))), draw(damaged("\n".join(lines[1])))


@settings(max_examples=drawn(100))
@given(pair=narrow(), metric=st.sampled_from(WORDWISE), on_error=st.sampled_from(["auto", "skip"]))
def test_few_columns(folder: Path, pair: tuple[str, str], metric: str, on_error: Any) -> None:
    compare(folder, *pair, metric, on_error=on_error, format="ned", gold_format="ned")


def test_what_is_right_is_not_parsed(folder: Path) -> None:
    """Else all of the above would compare parsing with itself."""
    sentence = "# sent_id = a\n1\tA\ta\tX\tX\t_\t0\troot\t_\t_\n\n"
    for name in ("system", "gold"):
        (folder / name).write_text(sentence * 3)
    for metric in map(parse, ["ud", *WORDWISE]):
        pairs = FilePairs(metric, folder / "system", [folder / "gold"], format="conllu")
        plan = pairs.plan(256)
        (span,) = plan.spans(256)
        chunk = pairs.maker().raw(plan.chunk(span))
        assert chunk is not None
        assert has(metric, MeasuresBytes)
        measured = metric.measure_bytes(chunk)
        assert measured is not None
        assert measured.fields == {"length": ["1"] * 3}
    for metric in map(parse, ["ud", *WORDWISE, *ALIGNED]):
        run = evaluate(metric, system=folder / "system", gold=folder / "gold", format="conllu")
        assert check_looks(run) == 3
