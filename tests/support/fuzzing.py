"""Damaged files through every reader and metric: whatever comes, only a KaratError may be raised.

``scripts/fuzz --count 200000`` runs the inputs 0 to 199,999 over all targets; the
same numbers are always the same inputs. Each one is read; what could be read is
written in another format of its kind and must then be read back without an error.
Metrics get a whole gold file, and are asked again without the kernels that count the
bytes of files: the figures, or the error, must be the same.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import pickle
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from unittest.mock import patch

import msgspec

import mutations
from karat.core.commands import Job, kinds_of, verb_class
from karat.core.files.opener import Source
from karat.core.files.resources import WordVectors
from karat.core.format import Format
from karat.core.options import Declared, declared
from karat.core.pairing.pairs import Report
from karat.core.pairing.sides import readable_kinds
from karat.core.plugins import FORMATS, own_rows
from karat.core.reading.streams import Stream
from karat.core.registry import format_class, metric_class
from karat.core.runs import store
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate, verify
from karat.errors import KaratError
from karat.graphs.anchoring import CompanionText
from karat.graphs.formats.amr import read_alignments
from karat.logic.convert import converted
from karat.logic.model import Flaw
from karat.logic.parser import try_parse
from karat.meta.correlating import read_correlations, read_tests
from karat.meta.datasets.plain_pickle import loads
from karat.meta.plans import read_plan
from karat.meta.table import ScoreTable
from metric_files import TESTED

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MOST_SECONDS = 5.0
MEMORY = 2 << 30
Run = Callable[[Path, random.Random], None]
_D = TypeVar("_D", bound=Declared)


class Target(NamedTuple):
    """A reader, and whole files to damage for it."""

    name: str
    seeds: tuple[bytes, ...]
    run: Run
    packed: bool = False
    """Whether the seeds are bodies of saved runs, which get their checksum after the damage."""


class OtherFigures(Exception):
    """Two ways of measuring that differ."""


class UnreadableOutput(Exception):
    """A format that does not read what it wrote."""


class Failure(NamedTuple):
    """What a reader must not do."""

    target: str
    number: int
    what: str
    trace: str


# -- what is done with a file ---------------------------------------------------------


def reading(name: str) -> Run:
    """Reads a format with options by chance; what it gives is written and read again."""

    def run(path: Path, rng: random.Random) -> None:
        found = chosen(format_class(name), path, rng)
        values = []
        for item in found.read(Source(path)):
            if item.error is None:
                values.append(item.value)
            else:
                assert isinstance(item.error, KaratError)
                assert str(item.error)
        if values:
            written_and_read(found.kind, values, path, rng)
        if rng.random() < 0.2:
            asked(found, path)

    return run


def asked(found: Format, path: Path) -> None:
    """What ``karat validate`` and ``karat analyze`` do, where the kind knows them."""
    for verb in ("validate", "analyze"):
        if found.kind in kinds_of(verb):
            report = Report("skip")
            job = Job([Stream(path, [found.kind], "input", found.name)], report=report)
            verb_class(verb, found.kind)().answer(job)


def chosen(cls: type[_D], path: Path, rng: random.Random) -> _D:
    """A declaration with options by chance."""
    options: dict[str, Any] = {}
    for name, option in declared(cls).items():
        if name in _FILES:
            if option.required or rng.random() < 0.1:
                options[name] = str(path)
        elif rng.random() < 0.15:
            if option.choices and not option.is_list:
                options[name] = rng.choice(option.choices)
            elif option.scalar is bool:
                options[name] = rng.random() < 0.5
    return cls(**options)


_FILES = ("text", "documents", "pyramids", "source", "alignment", "anchors", "reanchor")


def written_and_read(kind: str, values: Sequence[Any], path: Path, rng: random.Random) -> None:
    """What a format writes, the same format reads; what it cannot hold it refuses."""
    if kind == "logic":
        forms_converted(values, rng)
    rows = [row for row in own_rows(FORMATS) if row.kind == kind and row.writes]
    if not rows:
        return
    row = rng.choice(rows)
    stream = io.BytesIO()
    try:
        format_class(row.name)().write(values, stream)
    except KaratError:
        return
    if row.reads:
        again = path.with_name(path.name + "-again")
        again.write_bytes(stream.getvalue())
        for item in format_class(row.name)().read(Source(again)):
            if item.error is not None:
                raise UnreadableOutput(f"{row.name} cannot read what it wrote: {item.error}")


def forms_converted(values: Sequence[Any], rng: random.Random) -> None:
    names = ("cogs", "slog", "recogs", "reduced")
    dialect: Any = rng.choice(names)
    into: Any = rng.choice((*names, "varfree"))
    for value in values:
        form = try_parse(value.form or value.gold or "", dialect)
        if not isinstance(form, Flaw):
            try:
                converted(form, dialect, into, value.sentence)
            except KaratError:
                continue


def loading(path: Path, rng: random.Random) -> None:
    """A saved run: what can be loaded can be shown."""
    run = Evaluation.load(str(path))
    run.to_json()
    run.per_item()
    for field in run.groups:
        run.by(field)
        run.macro(field)
    run.write_items(io.BytesIO())
    verify(str(path))


def measuring(name: str) -> Run:
    """A metric with options by chance, on a whole file and a damaged one of a format by chance."""

    def run(path: Path, rng: random.Random) -> None:
        cls = metric_class(name)
        kinds = readable_kinds(cls)
        reads = [r.name for r in own_rows(FORMATS) if r.reads and r.kind in kinds]
        format = rng.choice(reads)
        seed = rng.choice(SEEDS[format])
        gold = path.with_name(path.name + "-gold")
        gold.write_bytes(seed)
        path.write_bytes(mutations.mutated(rng, (seed,)))
        metric = chosen(cls, path, rng)
        skipping: Any = rng.choice(("auto", "skip", "skip-gold"))
        formats: Any = {"format": format, "gold_format": format}

        def found() -> str:
            try:
                run = evaluate(metric, system=path, gold=gold, on_error=skipping, **formats)
                return f"{run.to_json()} {run.counts.tolist()} {run.ids}"
            except KaratError as error:
                return str(error)

        first = found()
        if hasattr(cls, "measure_bytes"):
            with patch.object(cls, "measure_bytes", lambda *_: None):
                again = found()
            if first != again:
                raise OtherFigures(f"{format} {metric!r}: {first} / {again}")

    return run


# -- the files to damage ----------------------------------------------------------------

_SUMMARY = {
    "instance_id": "d1",
    "summarizer_id": "s",
    "summarizer_type": "peer",
    "summary": {"text": ["One.", "Two."]},
    "references": [{"text": "One. Three."}, "Two."],
    "documents": [{"text": ["A document."]}],
}
_PYRAMID = {
    "instance_id": "d1",
    "summarizer_ids": ["A", "B"],
    "summaries": ["It rained.", "Rain fell."],
    "scus": [
        {
            "scu_id": 1,
            "label": "rain",
            "contributors": [
                {"summary_index": 0, "parts": [{"start": 0, "end": 9, "text": "It rained"}]}
            ],
        }
    ],
}
_ANNOTATION = {
    "instance_id": "d1",
    "summarizer_id": "C",
    "summarizer_type": "peer",
    "summary": "It rained.",
    "scus": [
        {
            "scu_id": 1,
            "label": "rain",
            "contributors": [{"parts": [{"start": 0, "end": 9, "text": "It rained"}]}],
        }
    ],
}
_BOTH = [
    {
        "instance_id": "d1",
        "summarizer_id": "C",
        "summarizer_type": "peer",
        "annotation": _ANNOTATION,
        "pyramid": _PYRAMID,
    }
]
_DUCVIEW = """<pyramid><text><line>---------------</line><line>D0601.M.250.A.A</line>
<line>---------------</line><line>It rained on</line><line>Monday.</line></text>
<scu uid="11" label="it rained (2.0)"><contributor label="c"><part label="It rained" start="48"
end="57"/></contributor></scu></pyramid>"""
_PEER = f"""<peerscus>{_DUCVIEW}<annotation><text><line>It rained.</line></text>
<peerscu uid="11" label="x"><contributor label="It rained"><part label="It rained" start="0"
end="9"/></contributor></peerscu></annotation></peerscus>"""
_PLAN = """output = "scores.jsonl"
[[runs]]
system = "a.txt"
gold = "b.txt"
metrics = ["exact", {type = "rouge", stem = true}]
"""
_TESTS = {"metric-A": "x", "metric-B": "y", "summary": {"pearson": {"p": 0.5, "pvalue": 0.2}}}


def _examples(*patterns: str) -> tuple[bytes, ...]:
    found = [path for each in patterns for path in sorted(EXAMPLES.glob(each))]
    assert found, patterns
    return tuple(path.read_bytes()[:8000] for path in found)


def _logs(*patterns: str) -> tuple[bytes, ...]:
    """Logs of other tools, as they wrote them."""
    folder = Path(__file__).parents[1] / "golden" / "logs"
    found = [path for pattern in patterns for path in sorted(folder.rglob(pattern))]
    return tuple(path.read_bytes() for path in found) or (b'{"id": 1, "score": 0.5}\n',)


def _json_lines(*records: Any) -> bytes:
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


_TEXTS = (
    _json_lines(_SUMMARY, {**_SUMMARY, "instance_id": "d2"}),
    _json_lines({"id": 1, "text": "a b", "reference": "a c"}, {"id": 2, "text": "a"}),
    _json_lines(*_BOTH),
)
SEEDS: dict[str, tuple[bytes, ...]] = {
    "lines": _examples("translation/*.txt"),
    "tsv": (b"a\tb\nc d\te\n", *_examples("forms/*.tsv")),
    "csv": (b'id,text,reference\n1,"a ""b"", c",d\n2,"e\nf",g\n', b"id;summary\n1;a\n"),
    **dict.fromkeys(
        ("jsonl", "reference-based", "document-based", "split-document-based", "summary-only"),
        _TEXTS,
    ),
    "pyramid-based": (_json_lines(*_BOTH),),
    "ducview": (_DUCVIEW.encode(), _PEER.encode()),
    "squad-json": (
        b'{"version": "v2.0", "data": [{"title": "t", "paragraphs": [{"context": "c", "qas": ['
        b'{"id": "1", "question": "q", "answers": [{"text": "a", "answer_start": 0}]},'
        b'{"id": "2", "question": "q", "answers": [], "is_impossible": true}]}]}]}',
        b'{"1": "a", "2": ""}',
    ),
    "mrp": _examples("graphs/*.mrp"),
    **dict.fromkeys(("amr", "penman", "penman-triples"), _examples("graphs/*.amr")),
    "camr": _examples("graphs/*.camr"),
    "triples": (b"# ::id 1\na\tb\tARG0\na\tc\tinstance\n\nb a mod\n", b"a b c\n"),
    **dict.fromkeys(("ucca", "ucca-xml"), _examples("graphs/*.xml")),
    **dict.fromkeys(("clf", "pmb"), _examples("graphs/*.clf", "graphs/*.pmb")),
    "sbn": _examples("graphs/*.sbn"),
    "eds": _examples("graphs/*.eds"),
    **dict.fromkeys(
        ("ud", "eud", "conllu", "conllx", "ned"),
        _examples("graphs/*.conllu", "dependencies/*.conllu", "dependencies/*.f*"),
    ),
    "treex": _examples("graphs/*.treex"),
    "norec": _examples("graphs/*.norec.json"),
    **dict.fromkeys(("dm", "psd", "pas", "ccd"), _examples("graphs/*.sdp")),
    "pharaoh": _examples("dependencies/*.align"),
    **dict.fromkeys(("opennmt", "lf-tsv", "opennmt-parallel"), _examples("forms/*.tsv")),
    "lf-lines": (
        b"* cat ( x _ 1 ) ; run . agent ( x _ 2 , x _ 1 )\nLAMBDA a . dog ( a )\nEmma\n",
        b"Emma ( 0 ) ; * dog ( 3 ) ; see ( 1 ) AND agent ( 1 , 0 ) AND nmod . in ( 3 , 5 )\n",
        b"* cake 4 ; give . agent 1 Emma AND give . theme 1 4\n",
    ),
    "lf-jsonl": (_json_lines({"id": 1, "lf": "Emma", "gold": "cat ( x _ 1 )", "sentence": "A"}),),
    "json-texts": (b'[{"id": 1, "text": "a b", "reference": "a c"}, {"id": 2, "text": "a"}]',),
    "tsv-records": (b"id\ttext\treference\n1\ta b\ta c\n2\ta\tb\n",),
    **dict.fromkeys(("json-records", "json-documents"), _examples("records/*.jsonl")),
    "json-array": (b'[{"a": [1, 2.50, null], "b": {"c": "d"}}, [true, "e"], 1e3]',),
    "tag-columns": _examples("records/*.iob"),
    "span-lines": (
        _json_lines({"id": 1, "spans": [["A", 0, 2], {"label": "B", "start": 3, "end": 4}]}),
    ),
    **dict.fromkeys(
        ("lm-eval", "scores-jsonl", "inspect", "promptfoo", "comet"),
        _logs("*.jsonl", "*.json", "*.eval"),
    ),
    **dict.fromkeys(("lighteval", "scores-parquet"), _logs("*.parquet", "*.jsonl")),
    **dict.fromkeys(
        ("scores-csv", "scores-tsv"), (b"id,acc,f1\n1,0,0.5\n2,1,\n", b"id\tacc\n1\t0\n2\t1\n")
    ),
}
_BESIDE: dict[str, tuple[tuple[bytes, ...], Run]] = {
    "records": (
        _examples("judged/human.jsonl"),
        lambda path, rng: _use(ScoreTable.read([str(path)])),
    ),
    "plan": (
        (
            _PLAN.encode(),
            _json_lines({"runs": [{"system": "a", "gold": "b", "metrics": ["exact"]}]}),
        ),
        lambda path, rng: _use(read_plan(str(path))),
    ),
    "tests": ((_json_lines(_TESTS),), lambda path, rng: _use(read_tests(str(path)))),
    "correlations": (
        (_json_lines({"global": {"pearson": {"r": 0.5}}, "summary": None}),),
        lambda path, rng: _use(read_correlations(str(path))),
    ),
    "vectors": (
        (b"2 2\na 0.1 0.2\nb 1 -1\n", b"a 0.1\nb 2\n"),
        lambda path, rng: _use(WordVectors(str(path))),
    ),
    "pickle": (
        tuple(pickle.dumps(_SUMMARY, protocol) for protocol in range(5)),
        lambda path, rng: _use(loads(path.read_bytes(), "x")),
    ),
    "companion": (_examples("graphs/*.txt"), lambda path, rng: _use(CompanionText(str(path)))),
    "alignment": (
        _examples("graphs/*.alignment"),
        lambda path, rng: _use(read_alignments(str(path))),
    ),
}


def _use(_: object) -> None:
    """What was read is not looked at: that it could be read is all that is asked."""


def targets() -> list[Target]:
    """Every reader, with what it reads."""
    readers = [row.name for row in own_rows(FORMATS) if row.reads]
    return [
        *(Target(name, SEEDS[name], reading(name)) for name in readers),
        *(Target(name, seeds, run) for name, (seeds, run) in _BESIDE.items()),
        *(Target(f"measure-{name}", (b"",), measuring(name)) for name in TESTED),
        Target("run", _runs(), loading, packed=True),
    ]


@cache
def _runs() -> tuple[bytes, ...]:
    """The bodies of saved runs: of texts with groups, of graphs with certificates and parts."""
    graphs, forms = EXAMPLES / "graphs", EXAMPLES / "forms"
    with tempfile.TemporaryDirectory() as folder:
        bodies = []
        for metric, system, gold in (
            ("mrp", graphs / "pairing.system.mrp", graphs / "pairing.gold.mrp"),
            ("cogs", forms / "seed1.tsv", forms / "gold.tsv"),
            (
                "ned",
                *[EXAMPLES / "dependencies" / f"want.{each}" for each in ("test.f1", "gold.f2")],
            ),
        ):
            path = Path(folder) / "a.run"
            evaluate(metric, system=str(system), gold=str(gold)).save(str(path))
            bodies.append(path.read_bytes()[len(store.MAGIC) + 32 :])
    return tuple(bodies)


# -- running ----------------------------------------------------------------------------


def damaged(target: Target, rng: random.Random) -> bytes:
    """The damaged file of a target; a saved run has a checksum that fits the damage."""
    if not target.packed:
        return mutations.mutated(rng, target.seeds)
    if rng.random() < 0.5:
        body = mutations.mutated(rng, target.seeds)
    else:
        content = msgspec.msgpack.decode(rng.choice(target.seeds))
        try:
            body = msgspec.msgpack.encode(mutations.damaged_value(rng, content))
        except (ValueError, OverflowError):  # numbers and texts that MessagePack cannot hold
            body = b""
    return store.MAGIC + hashlib.sha256(body).digest() + body


def attempt(target: Target, seed: int, number: int, folder: Path) -> Failure | None:
    """Reads one damaged file; anything but a KaratError is a failure, and so is a long time."""
    rng = random.Random(f"{seed} {target.name} {number}")
    path = folder / target.name
    path.write_bytes(damaged(target, rng))
    begin = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            target.run(path, rng)
    except KaratError as error:
        if str(error):
            return None
        return Failure(target.name, number, "an error without a message", "")
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        last = next((f for f in reversed(frames) if "karat" in f.filename), frames[-1])
        where = f"{Path(last.filename).name}:{last.lineno}"
        if isinstance(error, UnreadableOutput):
            where = str(error).partition(" ")[0]
        what = f"{target.name}: {type(error).__name__} at {where}"
        return Failure(target.name, number, what, traceback.format_exc())
    taken = time.process_time() - begin
    if taken > MOST_SECONDS:
        return Failure(target.name, number, f"{taken:.0f} seconds", "")
    return None


def portion(names: Sequence[str], seed: int, begin: int, end: int) -> list[Failure]:
    """The inputs `begin` to `end`, dealt to the targets in turn."""
    known = [target for target in targets() if not names or target.name in names]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(begin, end):
            target = known[number % len(known)]
            found = attempt(target, seed, number, Path(folder))
            if found is not None:
                failures.append(found)
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="how many inputs")
    parser.add_argument("--begin", type=int, default=0, help="the number of the first")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", default=[], help="only this reader")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    # An input that fills the memory fails here, and not the machine.
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    end = options.begin + options.count
    step = 1000
    shown: Counter[str] = Counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        parts = [
            pool.submit(portion, options.only, options.seed, first, min(first + step, end))
            for first in range(options.begin, end, step)
        ]
        for part in parts:
            for failure in part.result():
                shown[failure.what] += 1
                if shown[failure.what] == 1:
                    print(f"\n{failure.target} {failure.number}: {failure.what}")
                    print(failure.trace, flush=True)
    for what, times in shown.most_common():
        print(f"{times:6} {what}")
    print(f"{options.count:,} inputs, {sum(shown.values()):,} failures")
    return 1 if shown else 0


if __name__ == "__main__":
    sys.exit(main())
