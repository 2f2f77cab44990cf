"""What a page holds: marks, keys, groups, errors, and what is left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing, suppress
from http.client import HTTPConnection
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat import evaluate
from karat.core.capabilities import Explains, Shows, has
from karat.core.reading.strings import utf16
from karat.core.registry import parse
from karat.core.runs.evaluation import Evaluation
from karat.core.shown import Kind
from karat.engine.look import explain
from karat.errors import KaratError, VerificationError
from karat.report.contract import Pair
from karat.report.page import PageMaker, write
from karat.report.page.arrangement import about_metric, short_names
from karat.report.page.columns import embedded
from karat.report.page.faults import word_marks
from karat.report.page.items import shown_pair
from karat.report.page.serving import ReopenedRun, Workbench, server
from karat.report.page.statistics import p_text
from karat.text.metrics.words import Exact
from metric_examples import EXAMPLES
from pages import WrittenPage

FILES = Path(__file__).resolve().parents[3] / "examples"
WORDS = st.lists(st.sampled_from(["a", "b", "cat", "dog.", "東京", "😀x", "it's"]), max_size=12)


@given(system=WORDS, golds=st.lists(WORDS, min_size=1, max_size=3))
def test_texts_can_be_rebuilt_from_their_marks(system: list[str], golds: list[list[str]]) -> None:
    """What is not marked is equal on both sides, and what is marked differs or is elsewhere."""
    ours, theirs = " ".join(system), [" ".join(words) for words in golds]
    marks, faults = word_marks(ours, theirs)
    rows = [marks[i : i + 6] for i in range(0, len(marks), 6)]
    if not rows:
        assert ours in theirs
        return
    (reference,) = {row[1] for row in rows}
    gold = theirs[reference]

    def left(text: str, at: int) -> list[str]:
        units = text.encode("utf-16-le")
        cut = bytearray(units)
        for row in rows:
            cut[2 * row[at] : 2 * row[at + 1]] = b" \0" * (row[at + 1] - row[at])
        return cut.decode("utf-16-le").split()

    assert left(gold, 2) == left(ours, 4)
    for kind, _, g0, g1, s0, s1 in rows:
        mine, other = _part(gold, g0, g1), _part(ours, s0, s1)
        assert (kind == Kind.MOVED) == (bool(mine) and mine == other)
        assert (mine == "") == (kind == Kind.SURPLUS)
        assert (other == "") == (kind == Kind.MISSING)
    moved = sum(row[0] == Kind.MOVED for row in rows)
    assert len(faults) == len(rows) - moved


def _part(text: str, begin: int, end: int) -> str:
    return text.encode("utf-16-le")[2 * begin : 2 * end].decode("utf-16-le")


@given(st.text())
def test_places_are_those_of_utf_16(text: str) -> None:
    places = utf16(text) or list(range(len(text) + 1))
    encoded = [
        len(text[:i].encode("utf-16-le", "surrogatepass")) // 2 for i in range(len(text) + 1)
    ]
    assert places == encoded


def test_a_word_at_another_place_is_moved() -> None:
    marks, faults = word_marks("took away the bag.", ["took the bag away."])
    assert marks == [Kind.MOVED, 0, 13, 17, 5, 9]
    assert faults == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_metric_can_be_shown(name: str) -> None:
    """Whatever a metric compares, the page has something to show of it, and JSON for it."""
    texts, pairs, *_ = EXAMPLES[name]
    for text in texts:
        metric = parse(text)
        for pair in pairs:
            told = {}
            with suppress(KaratError):
                told = explain(metric, *pair)
            shown = shown_pair(metric, *pair, told)
            has_gold = bool(shown.golds) or metric.kind == "scores"  # which have none
            assert shown.overlay is not None or (has_gold and shown.system is not None)
            assert msgspec.json.encode(shown)


GRAPHS = [
    (text, pair)
    for name, row in EXAMPLES.items()
    for text in row[0][:1]
    for pair in row[1][:3]
    if has(type(parse(text)), Shows) and hasattr(parse(text), "overlay")
]


@pytest.mark.parametrize(("text", "pair"), GRAPHS, ids=[text for text, _ in GRAPHS])
def test_an_overlay_has_all_parts_of_both_graphs(text: str, pair: Any) -> None:
    """Missing and changed parts are as many as those of the explanation's gold, and so on."""
    metric: Any = parse(text)
    told = explain(metric, *pair) if has(metric, Explains) else {}
    found = metric.overlay(*pair, told)
    shown = metric.shown(*pair, told)
    sides = [side for _, side in found.parts]
    kinds = [fault.kind for fault in shown.faults]
    changed = kinds.count(Kind.CHANGED)
    assert kinds.count(Kind.MISSING) + changed == sides.count("missing")
    assert kinds.count(Kind.SURPLUS) + changed == sides.count("surplus")
    edges = len(list(found.edges()))
    if shown.overlay is None:  # both over the same words: what both have is there twice
        drawn = [arc for side in (shown.golds[0], shown.system) for arc in side.arcs]
        edges += sum(len(found.of(node, "top")) for node in found.nodes)
        assert len(drawn) - sum(arc.kind == Kind.MATCHED for arc in drawn) // 2 == edges
        return
    assert len(shown.overlay.nodes) == len(found.nodes)
    joined = sum(arrow.kind == Kind.CHANGED for arrow in shown.overlay.arrows)
    assert len(shown.overlay.arrows) + joined == edges


def run_of(folder: Path, lines: list[tuple[str, str]], name: str = "system", **fields: Any) -> Any:
    for side, who in ((0, "gold"), (1, name)):
        rows = [
            {"id": str(i), "text": pair[side]} | {k: v[i] for k, v in fields.items()}
            for i, pair in enumerate(lines)
        ]
        (folder / f"{who}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return evaluate("exact", system=str(folder / f"{name}.jsonl"), gold=str(folder / "gold.jsonl"))


def page_of(runs: list[Evaluation], **options: Any) -> WrittenPage:
    stream = BytesIO()
    write(stream, runs, **options)
    return WrittenPage(stream.getvalue())


def test_errors_lead_to_the_items_that_have_them(tmp_path: Path) -> None:
    lines = [("a cat", "a dog"), ("a cat", "a cat"), ("cat cat", "dog dog"), ("x", "x y")]
    page = page_of([run_of(tmp_path, lines)])
    errors = {(e["gold"], e["system"]): e for e in page.set()["errors"]}
    assert (errors["cat", "dog"]["times"], errors["cat", "dog"]["items"]) == ([3], [2])
    assert page.rows_with(errors["cat", "dog"], 0) == [0, 2]
    assert errors["", "y"]["kind"] == Kind.SURPLUS
    assert page.set()["errors_left_out"] == 0


def test_groups_have_the_scores_of_their_items(tmp_path: Path) -> None:
    lines = [("a", "a" if i % 3 else "b") for i in range(36)]
    kinds = ["even" if i % 2 else "odd" for i in range(36)]
    first = run_of(tmp_path, lines, "one", kind=kinds)
    second = run_of(tmp_path, [("a", "a") for _ in lines], "two", kind=kinds)
    page = page_of([first, second])
    (facet,) = page.set()["facets"]
    assert facet["name"] == "kind"
    for group in facet["groups"]:
        assert group["items"] == 18
        assert group["figures"][0][0][0] == first.by("kind")[group["name"]]["accuracy"]
        assert group["figures"][0][1][0] == 1.0
        (pair,) = group["pairs"][0]
        assert pair["difference"] == group["figures"][0][0][0] - 1.0
        assert pair["low"] < pair["difference"] < pair["high"]
    assert page.head["headline"][0] == "two is better than one by 0.3333 exact accuracy."


def test_a_page_of_limited_size_keeps_all_rows_and_says_what_is_left_out(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    texts = ["".join(map(chr, random.integers(97, 123, 60))) for _ in range(3000)]
    lines = [(text, text if i % 5 else text[::-1]) for i, text in enumerate(texts)]
    run = run_of(tmp_path, lines)
    maker = PageMaker([run], page_size=320_000)
    written, notes = maker.page()
    assert len(written) < 340_000
    page = WrittenPage(written)
    items = page.items()
    kept = [i for i, item in enumerate(items) if item is not None]
    assert len(items) == len(page.scores()) == 3000
    assert 0 < len(kept) == page.set()["kept"] < 3000
    assert set(range(0, 3000, 5)) <= set(kept), "what is wrong is kept first"
    assert f"{3000 - len(kept):,} of 3,000 items" in page.head["left_out"][0]["what"]
    assert "the page leaves out contents" in notes[0]


def _first_layer(item: Any) -> Any:
    for _, views in item[2]:
        for view in views:
            view[0] = dict(list(view[0].items())[:1])
    return item


def _drawn_alone(item: Any) -> Any:
    source, _, outputs = item
    return [source, [], [[None, views] for _, views in outputs]]


@pytest.mark.parametrize(
    ("metric", "files", "what", "without"),
    [
        ("rouge", {"system": "judged/summaries.jsonl"}, "further layers of marks", _first_layer),
        ("smatch", {"system": "amr/parsed.amr", "gold": "amr/gold.amr"},
         "how the graphs that are drawn are written", _drawn_alone),
    ],
)  # fmt: skip
def test_further_layers_and_written_graphs_are_left_out_before_items(
    metric: str, files: dict[str, str], what: str, without: Callable[[Any], Any]
) -> None:
    run = evaluate(metric, **{side: str(FILES / name) for side, name in files.items()})
    stream = BytesIO()
    assert write(stream, [run]) == []
    whole = WrittenPage(stream.getvalue())
    block = len(embedded(whole.parts["k-0b0"]))
    tags = sum(len(f'<script type="text/plain" id="{id}"></script>\n') for id in whole.parts)
    others = len(stream.getvalue()) - block - tags
    page = page_of([run], page_size=others + 9 * block // 10)
    assert page.items() != whole.items()
    assert page.items() == [without(item) for item in whole.items()]
    assert page.set()["kept"] == len(run)
    assert [each["what"] for each in page.head["left_out"]] == [what]
    # Where that is not enough, items go as well.
    page = page_of([run], page_size=others + block // 4)
    assert page.head["left_out"][0]["what"] == what
    assert 0 < page.set()["kept"] < len(run)


def test_no_items_one_item_repeated_ids_and_undefined_scores(tmp_path: Path) -> None:
    empty = Evaluation(Exact(), [], np.zeros((0, 2)), system="none")
    assert page_of([empty]).set()["n"] == 0
    one = page_of([run_of(tmp_path, [("a", "b")])])
    assert one.ids() == ["0"]
    again = Evaluation(Exact(), ["x", "x", "y\nz"], np.array([[1, 1], [0, 0], [1, 0]]), system="s")
    page = page_of([again])
    assert page.ids() == ["x", "x~2", "y␤z"]
    assert page.head["left_out"][0]["why"].endswith("what files it was made from")


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    def made() -> bytes:
        stream = BytesIO()
        write(stream, [run_of(tmp_path, [("a b", "a c"), ("x", "x")])])
        return stream.getvalue()

    assert made() == made()


def test_runs_on_other_items_are_a_set_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    runs = [run_of(tmp_path, [("a", "a")]), run_of(tmp_path / "other", [("a", "b"), ("c", "c")])]
    page = page_of(runs)
    assert [each["n"] for each in page.head["sets"]] == [1, 2]
    assert [each["systems"] for each in page.head["sets"]] == [[0], [1]]


def test_names_of_systems_tell_them_apart() -> None:
    assert short_names(["runs/a.txt", "runs/b.txt"]) == ["a", "b"]
    assert short_names(["x/dev.txt", "y/dev.txt"]) == ["x/dev", "y/dev"]
    assert short_names(["dev.txt", "dev.json"]) == ["dev.txt", "dev.json"]
    assert short_names(["same.txt", "same.txt"]) == ["same", "same (2)"]
    assert short_names([""]) == ["system"]


def test_absolute_paths_do_not_enter_the_page(tmp_path: Path) -> None:
    stream = BytesIO()
    write(stream, [run_of(tmp_path, [("a", "b")])])
    page = WrittenPage(stream.getvalue())
    everything = page.text + b"".join(page.parts.values()).decode("utf-8", "replace")
    assert str(tmp_path) not in everything


def test_p_values_at_the_floor_of_resampling_say_so() -> None:
    assert p_text(Pair(0, 1, 1.0, None, None, 0.003, True)) == "p ≤ 0.003"
    assert p_text(Pair(0, 1, 1.0, None, None, 0.5)) == "p = 0.500"
    assert p_text(Pair(0, 1, 1.0, None, None, 0.00005)) == "p = 0.0001"


def test_files_are_named_without_folders_unless_asked(tmp_path: Path) -> None:
    run = run_of(tmp_path, [("a cat", "a dog")])
    for full in (False, True):
        page = page_of([run], full_paths=full)
        names = [each["name"] for each in page.set()["scores"][0]["runs"][0]["files"]]
        paths = [str(tmp_path / name) for name in ("system.jsonl", "gold.jsonl")]
        assert sorted(names) == sorted(paths if full else ["system.jsonl", "gold.jsonl"])
        assert (str(tmp_path) in json.dumps(page.head)) == full


def test_metrics_that_read_one_file_otherwise_share_its_items(tmp_path: Path) -> None:
    """ROUGE takes sentences, BLEU takes texts: the items are the same."""
    path = tmp_path / "summaries.jsonl"
    rows = [{"id": str(i), "summary": ["A cat ."], "references": [["A dog ."]]} for i in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = page_of([evaluate(metric, system=str(path)) for metric in ("rouge", "bleu")])
    assert len(page.head["sets"]) == 1
    other = tmp_path / "others.jsonl"
    other.write_text(path.read_text().replace("dog", "cow"))
    runs = [evaluate("rouge", system=str(path)), evaluate("bleu", system=str(other))]
    assert len(page_of(runs).head["sets"]) == 2


def test_word_errors_are_marked_as_wer_aligns_them(tmp_path: Path) -> None:
    for name, text in (
        ("gold", "please hold the 😀 line"),
        ("system", "please fold the 😀 line up"),
    ):
        (tmp_path / f"{name}.txt").write_text(text + "\n")
    run = evaluate("wer", system=str(tmp_path / "system.txt"), gold=str(tmp_path / "gold.txt"))
    (item,) = page_of([run]).items()
    _, ((_, gold, _),), ((system, ((layers, *_),)),) = item
    marks = layers["word errors"]
    found = []
    for i in range(0, len(marks), 6):
        kind, _, *places = marks[i : i + 6]
        cut = [
            text.encode("utf-16-le")[2 * begin : 2 * end].decode("utf-16-le")
            for text, begin, end in ((gold, *places[:2]), (system[1], *places[2:]))
        ]
        found.append((Kind(kind), *cut))
    assert found == [(Kind.CHANGED, "hold", "fold"), (Kind.SURPLUS, "", "up")]


@pytest.mark.parametrize("metric", ["attachment", "ud"])
def test_the_arcs_of_each_system_are_those_of_a_page_of_its_own(metric: str) -> None:
    """Gold is marked against the system it is drawn with, not against the first one."""
    folder = Path(__file__).parents[3] / "examples" / "audit"
    runs = [
        evaluate(metric, system=str(folder / f"{name}.conllu"), gold=str(folder / "gold.conllu"))
        for name in "abc"
    ]

    def drawn(item: Any, system: int) -> list[Any]:
        content, views = item[2][system]
        own = views[0][7] if len(views[0]) > 7 else []
        return own or [*item[1], content]

    together = page_of(runs).items()
    differ = 0
    for number, run in enumerate(runs):
        for item, alone in zip(together, page_of([run]).items(), strict=True):
            assert drawn(item, number) == drawn(alone, 0)
            differ += drawn(item, number) != [*item[1], item[2][number][0]]
    assert differ > 5


def test_what_an_output_was_made_from_is_shown(tmp_path: Path) -> None:
    """A field of inputs is one of texts: where its values make groups, it is a way to group."""
    texts = [(f"gold {i}", f"system {i}") for i in range(8)]
    inputs = [f"a question {i}" for i in range(8)]
    page = page_of([run_of(tmp_path, texts, question=inputs, source=["news", "web"] * 4)])
    assert page.set()["source_label"] == "question"
    assert [item[0] for item in page.items()] == inputs
    assert [facet["name"] for facet in page.set()["facets"]] == ["source"]
    assert "question" not in [column["name"] for column in page.set()["columns"]]


def test_spans_have_their_labels_and_two_labels_of_the_same_words_are_a_change() -> None:
    folder = Path(__file__).parents[3] / "examples" / "records"
    run = evaluate("spans", system=str(folder / "system.iob"), gold=str(folder / "gold.iob"))
    page = page_of([run])
    first, second = (item[2][0][1][0] for item in page.items())
    assert first[6] == ["PER", "PER", "PER", "PER"]
    assert first[0]["spans"][::6] == [Kind.MATCHED, Kind.MISSING, Kind.SURPLUS, Kind.SURPLUS]
    assert (second[0]["spans"], second[6]) == ([Kind.CHANGED, 0, 12, 20, 12, 20], ["LOC → ORG"])
    errors = {(e["kind"], e["gold"], e["system"]) for e in page.set()["errors"]}
    assert (Kind.CHANGED, "LOC", "ORG") in errors


def test_spans_of_a_record_with_a_text_are_shown_in_it(tmp_path: Path) -> None:
    """Ends count characters; marks count units of UTF-16, of which the face has two."""
    text = "\U0001f600 Ada met Bob."
    for name, label in (("gold", "PER"), ("system", "ORG")):
        ada, bob = {"label": "PER", "start": 2, "end": 5}, [label, 10, 13]
        records = [
            {"id": "1", "text": text, "spans": [ada, bob]},
            {"id": "2", "text": "Nobody.", "spans": []},
            {"id": "3", "text": "short", "spans": [["X", 0, 9]]},
        ]
        lines = "".join(json.dumps(each) + "\n" for each in records)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    run = evaluate(
        "spans", system=str(tmp_path / "system.jsonl"), gold=str(tmp_path / "gold.jsonl")
    )
    items = page_of([run]).items()
    view = items[0][2][0][1][0]
    assert view[0]["spans"] == [Kind.MATCHED, 0, 3, 6, 3, 6, Kind.CHANGED, 0, 11, 14, 11, 14]
    assert view[6] == ["PER", "PER → ORG"]
    golds = [item[1][0] for item in items]
    assert golds == [["text", text, ""], ["text", "Nobody.", ""], ["raw", "0 9 X"]]


def test_sentences_in_comments_of_graphs_are_shown(tmp_path: Path) -> None:
    graphs = [
        ("g1", "He came .", "come-01"),
        ("g2", "# ::snt , she said", "say-01"),
        ("g3", "", "a"),
    ]
    for name in ("gold", "parsed"):
        (tmp_path / f"{name}.amr").write_text(
            "\n".join(
                f"# ::id {id} ::date today\n"
                + (f"# ::snt {text}\n" if text and name == "gold" else "")
                + f"({concept[0]} / {concept})\n"
                for id, text, concept in graphs
            )
        )
    run = evaluate(
        "smatch", system=str(tmp_path / "parsed.amr"), gold=str(tmp_path / "gold.amr")
    )  # fmt: skip
    page = page_of([run, run])
    assert page.ids() == ["g1", "g2", "g3"]
    assert [item[0] for item in page.items()] == ["He came .", "# ::snt , she said", None]
    assert page.set()["source_label"] == "source"


def _run(name: str = "exact") -> Evaluation:
    metric = parse(name)
    rows = np.asarray(metric.measure_many([("a b", "a c"), ("x", "x")]))
    return Evaluation(metric, ["1", "2"], rows, system="s")


def test_a_browser_that_leaves_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    """What fails for another reason is still told."""
    serving, _ = server([_run()])
    try:
        for error in (BrokenPipeError(), ConnectionResetError(), ValueError("a real one")):
            try:
                raise error
            except (OSError, ValueError):
                serving.handle_error(b"", ("127.0.0.1", 1))  # type: ignore[arg-type]
    finally:
        serving.server_close()
    told = capsys.readouterr().err
    assert "a real one" in told
    assert "BrokenPipeError" not in told
    assert "ConnectionResetError" not in told


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("bleu", "BLEU"), ("smatch", "Smatch F"), ("mrp", "MRP F"), ("ud", "UD LAS F1"),
        ("rouge", "ROUGE-2 F1"), ("cogs", "COGS exact match"), ("attachment", "attachment LAS"),
        ("pyramid-score", "modified pyramid score"),
    ],
)  # fmt: skip
def test_scores_are_called_what_people_call_them(name: str, label: str) -> None:
    assert about_metric(parse(name)).label == label


def test_words_have_no_table_of_confusions(tmp_path: Path) -> None:
    """They are no labels; that one is taken for another is among the errors."""
    for name, text in (("gold", "the a cat\n" * 9), ("system", "a the dog\n" * 9)):
        (tmp_path / f"{name}.txt").write_text(text)
    run = evaluate("bleu", system=str(tmp_path / "system.txt"), gold=str(tmp_path / "gold.txt"))
    page = BytesIO()
    write(page, [run])
    written = WrittenPage(page.getvalue())
    assert written.set()["confusions"] == []
    assert "dog" in [each["system"] for each in written.set()["errors"]]


def test_the_headline_is_about_a_system_that_has_a_score() -> None:
    """Also where the first one has none."""
    metric = parse("attachment")
    size = len(metric.columns)
    runs = [
        Evaluation(metric, ["1"], np.full((1, size), count), system=name)
        for name, count in (("nothing", 0.0), ("all", 1.0))
    ]
    head = PageMaker(runs).head()
    assert head.headline[0] == "all: attachment LAS 1.0000"


def test_another_metric_may_leave_an_item_undefined_and_a_changed_file_is_told(
    tmp_path: Path,
) -> None:
    """A sentence of punctuation alone has no score by NED."""
    trees = "1\ta\ta\tNOUN\t_\t_\t0\troot\t_\t_\n\n1\t!\t!\tPUNCT\t_\t_\t0\troot\t_\t_\n\n"
    for name in ("gold.conllu", "system.conllu"):
        (tmp_path / name).write_text(trees)
    system, gold = str(tmp_path / "system.conllu"), str(tmp_path / "gold.conllu")
    bench = Workbench([evaluate("attachment", system=system, gold=gold)])
    asked = [ReopenedRun(0, row, "ned") for row in (0, 1)]
    assert [bench.again(each).values for each in asked] == [[1.0], [None]]
    Path(gold).write_text(trees.partition("\n\n")[0] + "\n\n")
    with pytest.raises(VerificationError, match=r"K603: .*gold.conllu is not the file"):
        bench.again(asked[0])


QUESTIONS = [
    ("score", {"set": 0, "metric": 0, "systems": [0], "rows": [10**30]}),
    ("score", {"set": 0, "metric": 0, "systems": [0], "rows": [-1]}),
    ("score", {"set": 0, "metric": 0, "systems": [0], "rows": []}),
    ("score", {"set": 0, "metric": 0, "systems": [0], "rows": [2]}),
    ("score", {"set": -1, "metric": 0, "systems": [0], "rows": [0]}),
    ("score", {"set": 0, "metric": 9, "systems": [0], "rows": [0]}),
    ("search", {"set": 0, "words": "a", "first": -1, "last": 1}),
    ("search", {"set": 9, "words": "a", "first": 0, "last": 1}),
    ("item", {"set": 0, "row": 10**30, "metric": "exact"}),
    ("item", {"set": 0, "row": 0, "metric": "__import__('os')"}),
    ("item", {"set": 0, "row": 0, "metric": "bleurt(command='touch run-by-the-page')"}),
    ("item", {"set": 0}),
    ("score", []),
]


def test_what_cannot_be_answered_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every question gets an answer, none runs a program, and nothing is told on the terminal."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.txt").write_text("a c\nx\n")
    (tmp_path / "one.txt").write_text("a b\nx\n")
    serving, address = server([evaluate("exact", system="one.txt", gold="gold.txt")])
    Thread(target=serving.serve_forever, daemon=True).start()
    origin, _, path = address.partition("/k/")

    def status(what: str, body: bytes, **headers: str) -> int:
        client = HTTPConnection(origin.removeprefix("http://"), timeout=60)
        with closing(client):
            client.request("POST", f"/k/{path}{what}", body, {"Origin": origin, **headers})
            return client.getresponse().status

    try:
        found = [status(what, json.dumps(asked).encode()) for what, asked in QUESTIONS]
        assert found == [400] * len(QUESTIONS)
        for size in ("\xb2", "-1", "x", str(10**12)):
            assert status("score", b"{}", **{"Content-Length": size}) == 404
        assert status("score", b"{") == 400
    finally:
        serving.shutdown()
        serving.server_close()
    assert not (tmp_path / "run-by-the-page").exists()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("full_paths", [False, True])
def test_messages_name_files_without_their_folders(tmp_path: Path, full_paths: bool) -> None:
    """Which folder a file was in may tell who made the page."""
    graph = {
        "id": "1", "framework": "dm", "flavor": 0, "input": "a b",
        "nodes": [{"id": 0, "label": "a", "anchors": [{"from": 0, "to": 1}]},
                  {"id": 1, "label": "b", "anchors": [{"from": 2, "to": 3}]}],
        "edges": [{"source": 0, "target": 1, "label": "x"}] * 2, "tops": [0],
    }  # fmt: skip
    for name in ("gold.mrp", "system.mrp"):
        (tmp_path / name).write_text(json.dumps(graph) + "\n")
    run = evaluate("mrp", system=str(tmp_path / "system.mrp"), gold=str(tmp_path / "gold.mrp"))
    assert any(str(tmp_path) in text for text in run.remarks)
    (tmp_path / "gold.mrp").write_text("changed")
    stream = BytesIO()
    write(stream, [run], full_paths=full_paths)
    page = WrittenPage(stream.getvalue())
    told = [*page.head["warnings"], *(each["why"] for each in page.head["left_out"])]
    assert any("edges twice" in text for text in told)
    assert len(page.head["left_out"]) == 1
    assert (str(tmp_path) in json.dumps(page.head)) is full_paths
    assert str(tmp_path) not in page.text.replace(json.dumps(page.head), "") or full_paths
