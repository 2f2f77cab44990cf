"""Where a figure moves, the signature moves: for every option of every metric and reader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karat.core.options import Option, declared
from karat.core.plugins import FORMATS, own_rows
from karat.core.reading.selection import Selection
from karat.core.registry import format_class, parse
from karat.core.runs.evaluation import Evaluation
from karat.core.scoring import total_scores
from karat.engine import evaluate
from karat.errors import KaratError
from metric_examples import EXAMPLES as METRIC_EXAMPLES

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
GRAPHS, TREES = EXAMPLES / "graphs", EXAMPLES / "dependencies"
NUMBERS = (0, 1, 2, 3, 0.5, 100)
WORDS = ("NN", "ARG1", "arg1", "dog", "x", "punct", "DT")


def values_of(option: Option) -> Iterator[Any]:
    """Some values to try."""
    if option.choices:
        choices: list[Any] = list(option.choices)
    else:
        choices = {bool: [False, True], int: NUMBERS, float: NUMBERS, str: WORDS}[option.scalar]  # type: ignore[index]
    for value in choices:
        value = (value,) if option.is_list else value
        if value != option.default and option.accepts(value):
            yield value


# -- metrics ------------------------------------------------------------------

# One row for each metric; what asks another program, or a model, is left to its own tests.
METRICS = {
    name: (texts, examples)
    for name, (texts, examples, *_) in METRIC_EXAMPLES.items()
    if " " not in name and not any("command" in text or "model" in text for text in texts)
}


@pytest.mark.parametrize("name", METRICS)
def test_options_of_metrics(name: str) -> None:
    texts, examples = METRICS[name]
    plain = parse(texts[0])
    figures, tried = str(total_scores(plain, plain.measure_many(examples).sum(axis=0))), 0
    for option in declared(type(plain)).values():
        for value in values_of(option):
            try:
                other = type(plain)(**{**plain.options, option.name: value})
                moved = str(total_scores(other, other.measure_many(examples).sum(axis=0)))
            except (KaratError, FileNotFoundError):
                continue
            tried += 1
            assert moved == figures or other.signature() != plain.signature(), option.name
    assert tried or not declared(type(plain))


# -- readers ------------------------------------------------------------------


class Reader:
    """Files of a format, and a metric whose counts show what was read."""

    def __init__(self, metric: str, gold: Path, system: Path | None = None, **others: Any) -> None:
        self.metric, self.gold, self.system = metric, gold, system or gold
        self.values = {name: value if isinstance(value, list) else [value]
                       for name, value in others.items()}  # fmt: skip

    def run(self, name: str | None, **options: Any) -> Evaluation:
        return evaluate(
            self.metric, system=self.system, gold=self.gold, format=name, gold_format=name,
            format_options=options,
        )  # fmt: skip


MRP, IDS = GRAPHS / "mini.dm.mrp", {"id": [("22000001",), ("karat.1",), ("1",)]}
RECORDS = EXAMPLES / "records"
READERS = {
    "mrp": Reader("mrp", MRP, text=str(GRAPHS / "mini.reanchor.txt"), framework=[("dm",)], **IDS,
                  inject='{"tops": [0]}'),
    "amr": Reader("mrp", GRAPHS / "mini.amr", alignment=str(GRAPHS / "mini.alignment"), **IDS),
    "penman": Reader("smatch", GRAPHS / "gold.amr", GRAPHS / "system.amr"),
    "camr": Reader("mrp", GRAPHS / "mini.camr"),
    "eds": Reader("mrp", GRAPHS / "mini.eds", text=str(GRAPHS / "mini.eds.txt")),
    "ucca": Reader("mrp", GRAPHS / "mini.xml"),
    "ud": Reader("mrp", GRAPHS / "mini.conllu", anchors=str(GRAPHS / "mini.anchors.txt")),
    "eud": Reader("mrp", GRAPHS / "mini.conllu", anchors=str(GRAPHS / "mini.anchors.txt")),
    "pmb": Reader("mrp", GRAPHS / "mini.pmb"),
    "treex": Reader("mrp", GRAPHS / "mini.treex", zone="cs"),
    "norec": Reader("mrp", GRAPHS / "mini.norec.json"),
    "dm": Reader("sdp", GRAPHS / "mini.dm.sdp", text=str(GRAPHS / "mini.dm.txt")),
    "psd": Reader("mrp", GRAPHS / "mini.dm.sdp"),
    "pas": Reader("mrp", GRAPHS / "mini.dm.sdp"),
    "ccd": Reader("mrp", GRAPHS / "mini.dm.sdp"),
    "ucca-xml": Reader("ucca", GRAPHS / "mini.xml"),
    "clf": Reader("counter", GRAPHS / "counter.gold.clf", GRAPHS / "counter.system.clf"),
    "sbn": Reader("sbn", GRAPHS / "sbn.gold.sbn", GRAPHS / "sbn.system.sbn"),
    "conllu": Reader("ud", TREES / "small.gold.conllu", TREES / "small.test.conllu"),
    "ned": Reader("ned", TREES / "want.gold.f2", TREES / "want.test.f1"),
    "lf-tsv": Reader("cogs", EXAMPLES / "forms" / "gold.tsv", EXAMPLES / "forms" / "seed1.tsv"),
    "json-records": Reader("json", RECORDS / "gold.jsonl", RECORDS / "a.jsonl"),
    "tag-columns": Reader("spans", RECORDS / "gold.iob", RECORDS / "system.iob"),
    "lines": Reader("bleu", EXAMPLES / "translation" / "gold.txt",
                    EXAMPLES / "translation" / "hasty.txt"),
}  # fmt: skip

JSON_FORMS = [
    {"id": "1", "lf": "dog ( x _ 1 )", "gold": "dog ( x _ 1 )", "other": "cat ( x _ 1 )"},
    {"id": "2", "lf": "dog ( 2 )", "gold": "dog ( x _ 2 )", "other": "dog ( x _ 2 )"},
]
WRITTEN: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "tsv": ("bleu", "a.tsv", "a b\nc\n", {}),
    "conllx": ("attachment", "a.conll", "1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n", {}),
    "json-texts": ("exact", "a.json", '[{"text": "a", "b": "c"}]\n', {"text_field": "b"}),
    "tsv-records": ("exact", "a.tsv", "text\tid\na\t1\n", {"quoted": False}),
    "csv": ("exact", "a.csv", "text,b;c\na,b;c\n", {"delimiter": ";", "text_column": "b;c"}),
    "jsonl": ("exact", "a.jsonl", '{"id": "1", "text": "a"}\n', {}),
    "squad-json": ("exact", "a.json", '{"1": "a", "2": ""}\n', {}),
    "lf-jsonl": (
        "cogs",
        "a.jsonl",
        "".join(json.dumps(each) + "\n" for each in JSON_FORMS),
        {"form_field": ["other", "gold"], "gold_field": ["other", "lf"]},
    ),
    "json-documents": ("json", "a.jsonl", '{"a": 1}\n[2]\n', {}),
    "json-array": ("json", "a.json", '[{"a": 1}, [2]]\n', {}),
    "span-lines": (
        "spans",
        "a.jsonl",
        '{"id": "1", "spans": [["A", 0, 2]], "other": []}\n',
        {"spans_field": ["other"]},
    ),
    "lf-lines": ("cogs", "a.lf", "dog ( x _ 1 )\n", {}),
    "opennmt": ("cogs", "a.tsv", "A dog\tdog ( x _ 1 )\tdog ( x _ 1 )\n", {}),
    "opennmt-parallel": ("cogs", "a_target.txt", "dog ( x _ 1 )\n", {}),
    "triples": ("smatch", "a.triples", "a b ARG0\na dog instance\nb cat instance\n", {}),
    "penman-triples": ("smatch", "a.amr", "(a / dog :ARG0 (b / cat))\n", {}),
}
# Summaries and pyramids hold their own gold, logs need none, word alignments are no items.
OTHERS = {
    "reference-based", "document-based", "split-document-based", "pyramid-based", "summary-only",
    "ducview", "pharaoh", "lm-eval", "inspect", "promptfoo", "comet", "lighteval",
    "scores-parquet", "scores-jsonl", "scores-tsv", "scores-csv",
}  # fmt: skip


def _reader(name: str, folder: Path) -> Reader:
    if name in READERS:
        return READERS[name]
    metric, file, text, others = WRITTEN[name]
    (folder / file).write_text(text, encoding="utf-8")
    (folder / file.replace("target", "source")).write_text(text, encoding="utf-8")
    return Reader(metric, folder / file, **others)


def test_every_reader_is_held_to_the_law() -> None:
    names = {row.name for row in own_rows(FORMATS) if row.reads}
    assert names == READERS.keys() | WRITTEN.keys() | OTHERS


@pytest.mark.parametrize("name", [*READERS, *WRITTEN])
def test_options_of_readers(name: str, tmp_path: Path) -> None:
    reader = _reader(name, tmp_path)
    plain = reader.run(name)
    assert f"format:{name}" in plain.signature()
    for option in [*declared(format_class(name)).values(), *declared(Selection).values()]:
        if option.name in format_class(name).writing:
            continue
        for value in (*values_of(option), *reader.values.get(option.name, ())):
            try:
                other = reader.run(name, **{option.name: value})
            except KaratError:
                continue
            moved = str(other.scores()) != str(plain.scores())
            assert not moved or other.signature() != plain.signature(), (option.name, value)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [("amr", "full", True), ("amr", "reify", True), ("eds", "reify", True), ("pmb", "reify", True),
     ("ned", "conllu", True)],
)  # fmt: skip
def test_the_law_is_not_empty(name: str, option: str, value: Any) -> None:
    """These do move figures of the examples."""
    plain, other = READERS[name].run(name), READERS[name].run(name, **{option: value})
    if name != "ned":
        assert plain.scores() != other.scores()
    assert f"format:{name}({option}={value!r})" in other.signature()


@pytest.mark.parametrize("name", READERS)
def test_a_named_format_is_read_as_a_guessed_one(name: str) -> None:
    """Where the guess is this format, or one of the same files for a metric of its kind."""
    reader = READERS[name]
    try:
        guessed = reader.run(None)
    except KaratError:
        return  # nothing tells the format
    named = reader.run(name)
    if guessed.signature() == named.signature():
        assert guessed.scores() == named.scores()
    else:
        assert f"format:{name}" in named.signature()
        assert f"format:{name}" not in guessed.signature()


FILES = [
    ("dm", "text", "mini.dm.txt"),
    ("eds", "text", "mini.eds.txt"),
    ("ud", "anchors", "mini.anchors.txt"),
    ("mrp", "filter", "mini.dm.txt"),
]


@pytest.mark.parametrize(("name", "option", "file"), FILES)
def test_a_file_counts_by_its_content(name: str, option: str, file: str, tmp_path: Path) -> None:
    text = (GRAPHS / file).read_text(encoding="utf-8")
    one, same, other = (tmp_path / each for each in ("one.txt", "same.txt", "other.txt"))
    one.write_text(text, encoding="utf-8")
    same.write_text(text, encoding="utf-8")
    other.write_text(text + "9\tmore\n", encoding="utf-8")
    reader = READERS[name]
    signatures = [reader.run(name, **{option: str(p)}).signature() for p in (one, same)]
    assert signatures[0] == signatures[1]
    try:
        assert reader.run(name, **{option: str(other)}).signature() != signatures[0]
    except KaratError:
        assert name == "ud"  # where each line belongs to a token
