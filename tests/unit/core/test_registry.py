"""The registry with real plug-ins: packages with entry points, installed in a folder."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from karat.core import catalog
from karat.core.files.opener import Source
from karat.core.plugins import FORMATS, METRICS, clashes, find_row, package_of, rows
from karat.core.registry import format_class, guess_format, metric_class, parse
from karat.engine import evaluate
from karat.errors import OptionError
from karat.version import VERSION

GOOD = """
    from typing import Annotated
    from karat import Metric, ratio
    from karat.core.format import Format

    class Contains(Metric[str, str]):
        '''Share of items whose output contains the gold.'''
        name = "contains"
        kind = "text"
        columns = ("items", "found")

        ignore_case: Annotated[bool, "without regard to case"] = False

        def measure(self, system, gold):
            return self.row(items=1, found=gold in system)

        def of_gold(self, records):
            return records[0]

        def summarize(self, totals):
            items, found = self.columns_of(totals)
            return {"share": ratio(found, items)}

    class Nothing(Format):
        name = "nothing"
        kind = "text"

    def not_a_metric(): pass
"""

Install = Callable[..., None]


def _install(folder: Path, package: str, version: str, code: str, points: dict[str, str]) -> None:
    """What an installer leaves behind: a module and its metadata."""
    module = package.replace("-", "_")
    (folder / f"{module}.py").write_text(textwrap.dedent(code))
    info = folder / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n", encoding="utf-8"
    )
    lines: dict[str, list[str]] = {}
    for name, target in points.items():
        group, _, name = name.partition("/")
        lines.setdefault(group, []).append(f"{name} = {target}")
    text = "".join(f"[{group}]\n" + "\n".join(each) + "\n" for group, each in lines.items())
    (info / "entry_points.txt").write_text(text, encoding="utf-8")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    rows.cache_clear()
    before = set(sys.modules)

    def call(*args: object) -> None:
        _install(folder, *args)  # type: ignore[arg-type]
        importlib.invalidate_caches()

    yield call
    rows.cache_clear()
    for name in set(sys.modules) - before:
        if name.startswith("plugin"):
            del sys.modules[name]


def _good(install: Install) -> None:
    install(
        "plugin-good", "1.2", GOOD,
        {
            "karat.metrics/contains": "plugin_good:Contains",
            "karat.formats/nothing": "plugin_good:Nothing",
        },
    )  # fmt: skip


def test_a_plug_in_is_found(install: Install) -> None:
    _good(install)
    metric = parse("contains(ignore_case=True)")
    assert repr(metric) == "contains(ignore_case=True)"
    assert metric.score("a dog barks", "dog") == {"share": 1.0}
    assert rows(METRICS)["contains"].package == "plugin-good 1.2"
    assert format_class("nothing").name == "nothing"


def test_a_signature_names_the_plug_in_and_its_version(install: Install, tmp_path: Path) -> None:
    _good(install)
    metric = parse("contains")
    assert metric.signature() == f"contains()|karat:{VERSION}|plugin-good:1.2"
    assert parse(metric.signature()) == metric
    assert package_of(FORMATS, format_class("nothing"), "nothing") == "plugin-good:1.2"
    assert parse("exact").signature() == f"exact()|karat:{VERSION}"

    class Contains(type(metric)):  # type: ignore[misc]
        """Of nobody's package, though its name is known."""

    assert Contains().signature() == f"contains()|karat:{VERSION}"


def test_a_broken_plug_in_is_named_and_the_rest_works(install: Install) -> None:
    _good(install)
    install(
        "plugin-bad", "0.1", "import a_module_that_is_not_there",
        {"karat.metrics/bad": "plugin_bad:Bad", "karat.formats/bad": "plugin_bad:Bad"},
    )  # fmt: skip
    with pytest.raises(OptionError) as caught:
        metric_class("bad")
    assert caught.value.headline == (
        "OptionError K313: the metric 'bad' of plugin-bad 0.1 does not load: "
        "ModuleNotFoundError(\"No module named 'a_module_that_is_not_there'\")"
    )
    assert parse("contains").name == "contains"
    assert parse("exact").name == "exact"


@pytest.mark.parametrize("target", ["plugin_good:not_a_metric", "plugin_good:Absent"])
def test_a_plug_in_that_offers_something_else(target: str, install: Install) -> None:
    install("plugin-good", "1.2", GOOD, {"karat.metrics/odd": target})
    with pytest.raises(OptionError, match=r"K313: the metric 'odd' of plugin-good 1\.2"):
        metric_class("odd")


def test_a_name_taken_twice_names_both(install: Install) -> None:
    _good(install)
    install("plugin-other", "3", GOOD, {"karat.metrics/contains": "plugin_other:Contains"})
    with pytest.raises(OptionError) as caught:
        parse("contains")
    assert caught.value.code == "K311"
    assert "plugin-good 1.2" in caught.value.message
    assert "plugin-other 3" in caught.value.message


def test_a_plug_in_cannot_take_the_place_of_a_built_in_metric(install: Install) -> None:
    install("plugin-thief", "1", GOOD, {"karat.metrics/exact": "plugin_thief:Contains"})
    clash = clashes(METRICS)["exact"]
    assert "'exact' is offered by both karat and plugin-thief 1" in clash.message
    assert rows(METRICS)["exact"].package == "karat"
    assert parse("exact").score("a", "a") == {"accuracy": 1.0}


def test_an_empty_file_has_any_format(tmp_path: Path) -> None:
    path = tmp_path / "nothing"
    path.touch()
    for kind in ("text", "tree", "graph", "logic"):
        assert list(guess_format(kind, Source(path))().read(Source(path))) == []


def test_a_broken_format_does_not_stop_guessing(install: Install, tmp_path: Path) -> None:
    install("plugin-bad", "0.1", "1 / 0", {"karat.formats/bad": "plugin_bad:Bad"})
    odd = (
        GOOD
        + """
    class Odd(Nothing):
        @classmethod
        def recognizes(cls, head):
            return head[10 ** 9]
    """
    )
    install("plugin-odd", "0.1", odd, {"karat.formats/nothing": "plugin_odd:Odd"})
    path = tmp_path / "unnamed"
    path.write_text('{"id": "1", "text": "a"}\n')
    assert guess_format("text", Source(path)).name == "jsonl"
    path.write_text("a line\n")
    assert guess_format("text", Source(path)).name == "lines"


FOLDERS = """
    from karat.core.format import Format

    class OfTrees(Format):
        name = "of-trees"
        kind = "tree"
        folders = True

    class OfTexts(Format):
        name = "of-texts"
        kind = "text"
        folders = True
"""


def test_a_folder_is_read_by_a_plug_in_of_its_kind(install: Install, tmp_path: Path) -> None:
    points = {
        "karat.formats/bad": "plugin_bad:Bad",
        "karat.formats/of-trees": "plugin_folders:OfTrees",
        "karat.formats/of-texts": "plugin_folders:OfTexts",
    }
    install("plugin-bad", "0.1", "1 / 0", {"karat.formats/bad": points.pop("karat.formats/bad")})
    install("plugin-folders", "0.1", FOLDERS, points)
    (tmp_path / "data").mkdir()
    assert guess_format("text", Source(tmp_path / "data")).name == "of-texts"
    assert guess_format("tree", Source(tmp_path / "data")).name == "of-trees"


def _karat(program: str, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [program, *args], capture_output=True, text=True, env=env, cwd=folder, timeout=300
    )


LINES = """
    from karat import Format, Graph, Item, LineFormat, Node

    class Colon(LineFormat):
        name = "colon"
        kind = "text"

        @classmethod
        def recognizes(cls, head):
            return ": " in head

        def parse_line(self, text, line, file):
            key, _, rest = text.partition(": ")
            return Item(rest, (key,), line)

    class Labels(Format):
        name = "labels"
        kind = "graph"

        def read(self, source):
            for number, line in source.lines():
                graph = Graph(str(number), tops=(0,), nodes=(Node(0, line),))
                yield Item(graph, graph.key, number)

        def write(self, values, stream):
            for graph in values:
                stream.write(graph.nodes[0].label.encode() + b"\\n")
"""


def test_lines_of_a_plug_in_are_paired_by_their_keys(install: Install, tmp_path: Path) -> None:
    """Nothing but `parse_line` tells them."""
    install("plugin-lines", "0.1", LINES, {"karat.formats/colon": "plugin_lines:Colon"})
    gold, system = tmp_path / "gold", tmp_path / "system"
    gold.write_text("a: dog\nb: cat\nc: cow\n")
    system.write_text("c: cow\na: dog\nb: bird\n")
    for jobs in (1, 2):
        run = evaluate("exact", system=system, gold=gold, jobs=jobs)
        assert run.ids == ["a", "b", "c"]
        assert run.counts[:, 1].tolist() == [1, 0, 1]


def test_a_plug_in_format_is_written(program: str, install: Install, tmp_path: Path) -> None:
    install("plugin-lines", "0.1", LINES, {"karat.formats/labels": "plugin_lines:Labels"})
    folder = tmp_path / "site"
    (folder / "in.labels").write_text("dog\ncat\n")
    words = ("in.labels", "--from", "labels", "--to", "labels", "-o", "out.labels")
    done = _karat(program, folder, "convert", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "out.labels").read_text() == "dog\ncat\n"
    listed = json.loads(_karat(program, folder, "list", "formats", "--json").stdout)
    assert [row["writes"] for row in listed if row["name"] == "labels"] == [True]


def test_plug_ins_on_the_command_line(program: str, install: Install, tmp_path: Path) -> None:
    _good(install)
    install("plugin-bad", "0.1", "1 / 0", {"karat.metrics/bad": "plugin_bad:Bad"})
    folder = tmp_path / "site"
    (folder / "gold.txt").write_text("dog\ncat\n")
    (folder / "system.txt").write_text("a dog\na cow\n")
    listed = _karat(program, folder, "list", "metrics", "--json")
    entries = {row["name"]: row for row in json.loads(listed.stdout)}
    assert entries["contains"]["package"] == "plugin-good 1.2"
    assert entries["exact"]["package"] == "karat"
    run = _karat(
        program, folder, "evaluate", "contains", "--ignore-case", "-g", "gold.txt",
        "-s", "system.txt", "--json", "-",
    )  # fmt: skip
    assert run.stderr == ""
    assert json.loads(run.stdout)["scores"] == {"share": 0.5}
    doctor = _karat(program, folder, "doctor")
    assert doctor.returncode == 1
    assert "plug-in contains of plugin-good 1.2: ok" in doctor.stdout
    assert "plug-in bad of plugin-bad 0.1: OptionError K313" in doctor.stdout


def test_a_clash_is_named_and_the_rest_is_listed(
    program: str, install: Install, tmp_path: Path
) -> None:
    """Two packages with one name leave everything else as it is, other plug-ins too."""
    _good(install)
    install("plugin-one", "1", GOOD, {"karat.metrics/same": "plugin_one:Contains"})
    install("plugin-two", "2", GOOD, {"karat.metrics/same": "plugin_two:Contains"})
    folder = tmp_path / "site"
    listed = _karat(program, folder, "list", "metrics", "--json")
    assert listed.returncode == 0
    names = {row["name"] for row in json.loads(listed.stdout)}
    assert {"exact", "contains"} <= names
    assert "same" not in names
    assert listed.stderr == (
        "warning: OptionError K311: the metric 'same' is offered by both plugin-one 1 "
        "and plugin-two 2\n"
    )
    (folder / "gold.txt").write_text("dog\ncat\n")
    files = ["-g", "gold.txt", "-s", "gold.txt", "--json", "-"]
    assert _karat(program, folder, "evaluate", "contains", *files).returncode == 0
    assert _karat(program, folder, "evaluate", "--help").returncode == 0
    clash = _karat(program, folder, "evaluate", "same", *files)
    assert (clash.returncode, "plugin-one 1 and plugin-two 2" in clash.stderr) == (2, True)


def test_doctor_names_a_clash(program: str, install: Install, tmp_path: Path) -> None:
    _good(install)
    install("plugin-other", "3", GOOD, {"karat.metrics/contains": "plugin_other:Contains"})
    doctor = _karat(program, tmp_path / "site", "doctor")
    assert doctor.returncode == 1
    assert "K311: the metric 'contains' is offered by both" in doctor.stdout


UNKNOWN = [
    ("exakt", METRICS, "there is no metric 'exakt'; did you mean 'exact'?"),
    ("qqqq", METRICS, "there is no metric 'qqqq'"),
    ("line", FORMATS, "there is no format 'line'; did you mean 'lines'?"),
]


@pytest.mark.parametrize(("name", "group", "message"), UNKNOWN)
def test_unknown_names(name: str, group: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        (metric_class if group == METRICS else format_class)(name)
    assert caught.value.code == "K312"
    assert caught.value.message == message


GUESSES = [
    ("a.txt", "one\n", "lines"),
    ("a.TXT", "one\n", "lines"),
    ("a.txt.gz", "one\n", "lines"),
    ("a.tsv", "one\ttwo\n", "tsv"),
    ("a.jsonl", "", "jsonl"),
    ("a", '{"text": "a"}', "jsonl"),
    ("a", "\ufeff{", "jsonl"),
    ("a", "one\n", "lines"),
    ("a.weird", "one\n", "lines"),
]


@pytest.mark.parametrize(("name", "content", "expected"), GUESSES)
def test_guessing_the_format(name: str, content: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert guess_format("text", Source(tmp_path / name)).name == expected


DOCUMENTS = [
    ("a.json", '{"a": 1}\n{"a": 2}\n', "json-documents"),
    ("a.json", '{"id": 1, "gold": 2}\n', "json-records"),
    ("a.json", '[{"a": 1},\n {"a": 2}]\n', "json-array"),
    ("a.json", "[1]\n[2]\n", "json-documents"),
    ("a.jsonl", '{"a":\n{"a": 1}\n', "json-documents"),  # an output that was cut
    ("a.json", '{\n "a": 1\n}\n', ""),
    ("a.jsonl", '{\n "a": [1,\n' + " 2,\n" * 50_000, ""),  # the head does not reach its end
    ("a", '{\n "a": "' + "b" * 5000 + '"\n}\n', ""),
]


@pytest.mark.parametrize(("name", "content", "expected"), DOCUMENTS)
def test_guessing_how_documents_stand_in_a_file(
    name: str, content: str, expected: str, tmp_path: Path
) -> None:
    """One document over several lines is no file of documents, whatever its name."""
    (tmp_path / name).write_text(content, encoding="utf-8")
    if expected:
        assert guess_format("record", Source(tmp_path / name)).name == expected
        return
    with pytest.raises(OptionError, match="K314"):
        guess_format("record", Source(tmp_path / name))


def test_every_row_loads_and_is_what_it_says() -> None:
    for name, row in rows(METRICS).items():
        if row.package == "karat":
            assert metric_class(name).name == name
            assert metric_class(name).kind == row.kind
    for name, row in rows(FORMATS).items():
        if row.package == "karat":
            assert format_class(name).name == name
            assert format_class(name).kind == row.kind


def test_a_metric_is_parsed_to_itself() -> None:
    metric = parse("exact(ignore_case=True)")
    assert parse(metric) is metric


def test_what_is_no_metric_is_refused_in_python() -> None:
    with pytest.raises(OptionError, match="K304: a metric is a name or a Metric, got 5"):
        parse(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(catalog.ELSEWHERE))
def test_names_from_elsewhere_lead_to_metrics(name: str) -> None:
    """Whatever a name is told to be written as exists; the name itself does not."""
    assert find_row(METRICS, name) is None
    with pytest.raises(OptionError) as caught:
        metric_class(name.upper().replace("-", "_"))
    words = re.findall(r"[a-z][a-z0-9-]+", caught.value.advice.partition(" for ")[0])
    assert any(find_row(METRICS, word) for word in words), caught.value.advice
