"""``karat draw``, ``analyze``, ``validate`` and ``inspect`` on graphs, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from commands import Karat

GOOD = (
    '{"id":"a","flavor":0,"framework":"dm","input":"a <b> c","tops":[0],"nodes":[{"id":0,'
    '"label":"a","anchors":[{"from":0,"to":1}]},{"id":2,"label":"c","anchors":[{"from":6,"to":7}]}],'
    '"edges":[{"source":0,"target":2,"label":"ARG1"},{"source":2,"target":2,"label":"self"}]}'
)
OTHER = (
    '{"id":"b","flavor":2,"framework":"amr","input":"x","tops":[0],"nodes":[{"id":0,"label":"x&y"},'
    '{"id":1}],"edges":[{"source":0,"target":1,"label":"ARG0-of","normal":"ARG0"},'
    '{"source":1,"target":0,"attributes":["remote"],"values":[true]}]}'
)
BAD = '{"id":"","flavor":0,"framework":"eds","tops":[7],"nodes":[{"id":0,"label":""}]}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.mrp").write_text(GOOD + "\n" + OTHER + "\n")
    (tmp_path / "bad.mrp").write_text(GOOD + "\n" + BAD + "\nnonsense\n" + GOOD + "\n")
    return tmp_path


def test_validate_good(karat: Karat, folder: Path) -> None:
    done = karat("validate", "good.mrp", "--check", "edges")
    assert (done.returncode, done.stdout) == (0, "2 graphs, 0 errors, 0 warnings\n")


def test_validate_bad(karat: Karat, folder: Path) -> None:
    done = karat("validate", "bad.mrp")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "bad.mrp:2: error [id]: graph '': missing or invalid 'id' property",
        "bad.mrp:2: error [flavor]: graph '': invalid Flavor (0) framework: 'eds'",
        "bad.mrp:2: error [input]: graph '': missing or invalid 'input' property",
        "bad.mrp:2: error [edges]: graph '': top 7 is not a node",
        "bad.mrp:2: error [eds]: graph '', node 0: missing or invalid label",
        "bad.mrp:2: error [eds]: graph '', node 0: missing or invalid anchoring",
        "bad.mrp:3: error [line]: this is not JSON: JSON is malformed: invalid character (byte 4)",
        "bad.mrp:4: error [id]: graph 'a': line 1 has a graph with the same id, framework and "
        "language",
        "3 graphs, 8 errors, 0 warnings",
    ]


def test_validate_json(karat: Karat, folder: Path) -> None:
    done = karat("validate", "bad.mrp", "--check", "input", "--json")
    document = json.loads(done.stdout)
    assert (document["graphs"], document["errors"]) == (3, 5)
    assert document["findings"][0] == {
        "check": "id",
        "message": "missing or invalid 'id' property",
        "file": "bad.mrp",
        "line": 2,
    }


def test_analyze(karat: Karat, folder: Path) -> None:
    done = karat("analyze", "good.mrp", "--per-graph")
    lines = done.stdout.splitlines()
    assert lines[0] == "dm"
    assert lines[1] == "(01)\tnumber of graphs\t1"
    assert "(16)\t% graphs cyclic\t100.00" in lines
    as_json = json.loads(karat("analyze", "good.mrp", "--json").stdout)
    assert [each["framework"] for each in as_json] == ["dm", "amr"]
    assert as_json[0]["statistics"]["edge_length_mean"] == 1.0
    assert as_json[1]["statistics"]["edge_length_mean"] is None


def test_inspect(karat: Karat, folder: Path) -> None:
    gold = '{"id":"a","targets":["dm","eds"]}\n{"id":"c","framework":"dm","language":"ces"}\n'
    (folder / "gold.mrp").write_text(gold)
    done = karat("inspect", "good.mrp", "-g", "gold.mrp")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "eng dm: 1 of 1",
        "eng eds: 0 of 1, missing: a",
        "ces dm: 0 of 1, missing: c",
        "1 not asked for: eng amr b",
        "not complete",
    ]
    itself = karat("inspect", "good.mrp", "-g", "good.mrp", "--json")
    assert itself.returncode == 0
    assert json.loads(itself.stdout) == {
        "eng": {"dm": 1, "amr": 1},
        "complete": True,
        "missing": {},
        "twice": [],
        "not_asked_for": [],
    }


def test_inspect_without_gold(karat: Karat, folder: Path) -> None:
    done = karat("inspect", "good.mrp")
    assert done.returncode == 2
    assert done.stderr.startswith("OptionError K303: inspect needs gold")


def test_draw_one(karat: Karat, folder: Path) -> None:
    done = karat("draw", "good.mrp", "--id", "b", "--ids", "--strings")
    root = ElementTree.fromstring(done.stdout)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"amr · b", "x", "#0", "x&y", "#1", "(ARG0)-of", "remote"} == set(texts)


def test_draw_all(karat: Karat, folder: Path) -> None:
    page = karat("draw", "good.mrp", "-o", "all.html")
    assert page.returncode == 0
    assert (folder / "all.html").read_text().count("<svg") == 2
    into = karat("draw", "good.mrp", "-o", "pictures/")
    assert into.returncode == 0
    assert sorted(path.name for path in (folder / "pictures").iterdir()) == ["a.svg", "b.svg"]
    for path in (folder / "pictures").iterdir():
        ElementTree.parse(path)
    one = karat("draw", "good.mrp", "-o", "all.svg")
    assert one.returncode == 2
    assert one.stderr.startswith("OptionError K345: an SVG file holds one drawing, there are 2")


def test_draw_beside_gold(karat: Karat, folder: Path) -> None:
    done = karat("draw", "good.mrp", "-g", "good.mrp", "--id", "a", "--apart")
    assert "gold · dm · a" in done.stdout
    assert "system · dm · a" in done.stdout
    one = karat("draw", "good.mrp", "-g", "good.mrp", "--id", "a")
    assert "missing \u2212, surplus +, changed ~ · dm · a" in one.stdout


@pytest.mark.parametrize("name", ["errors.jsonl", "errors.json"])
def test_draw_errors(karat: Karat, folder: Path, name: str) -> None:
    other = GOOD.replace('"ARG1"', '"ARG2"').replace('"label":"c"', '"label":"d"')
    (folder / "gold.mrp").write_text(GOOD + "\n")
    (folder / "system.mrp").write_text(other + "\n")
    karat(
        "evaluate", "mrp", "-g", "gold.mrp", "-s", "system.mrp", "--errors", name, "-q",
    )  # fmt: skip
    done = karat("draw", "gold.mrp", "--errors", name)
    texts = {
        element.text
        for element in ElementTree.fromstring(done.stdout).iter("{http://www.w3.org/2000/svg}text")
    }
    assert {"~ c → d", "~ arg1 → arg2", "a", "self"} <= texts


def test_errors_as_one_object(karat: Karat, folder: Path) -> None:
    """By framework and id, as mtool writes it: every pair, also perfect ones; nothing empty."""
    graphs = [json.loads(line) for line in (folder / "good.mrp").read_text().splitlines()]
    bare = {"id": "bare", "nodes": [{"id": 0, "label": "x"}]}
    for name, label in (("gold.mrp", "x"), ("system.mrp", "y")):
        bare["nodes"] = [{"id": 0, "label": label}]
        lines = [json.dumps(each) for each in (*graphs, bare)]
        (folder / name).write_text("\n".join(lines) + "\n")
    files = ("-g", "gold.mrp", "-s", "system.mrp", "-q")
    done = karat("evaluate", "mrp", *files, "--errors", "errors.json")
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "errors.json").read_text())
    frameworks = {each.get("framework", "none") for each in (*graphs, bare)}
    assert set(found) == frameworks
    for each in graphs:
        record = found[each["framework"]][each["id"]]
        assert list(record) == ["correspondences"]
        assert [pair[0] for pair in record["correspondences"]] == [n["id"] for n in each["nodes"]]
    assert found["none"]["bare"] == {
        "correspondences": [],
        "labels": {"missing": [[0, "x"]], "surplus": [[0, "y"]]},
    }
    two = karat("evaluate", "mrp,edm", *files, "--errors", "errors.json")
    assert two.returncode == 2
    assert two.stderr.startswith("OptionError K321: --errors FILE.json holds one run")
    # The same id in two languages: lines can tell them apart, an object cannot.
    twice = [{**bare, "framework": "amr", "language": each} for each in ("eng", "deu")]
    (folder / "twice.mrp").write_text("\n".join(map(json.dumps, twice)) + "\n")
    files = ("-g", "twice.mrp", "-s", "twice.mrp", "-q")
    done = karat("evaluate", "mrp", *files, "--errors", "errors.json")
    assert done.returncode == 1
    assert done.stderr.startswith("PairingError K215: two items have the id 'bare'")
    done = karat("evaluate", "mrp", *files, "--errors", "errors.jsonl")
    assert len((folder / "errors.jsonl").read_text().splitlines()) == 2


def test_draw_takes_gold_and_system_as_evaluate_does(karat: Karat, folder: Path) -> None:
    flags = karat("draw", "--gold", "good.mrp", "--system", "good.mrp", "--id", "b")
    plain = karat("draw", "good.mrp", "-g", "good.mrp", "--id", "b")
    assert flags.returncode == 0
    assert flags.stdout == plain.stdout
    nothing = karat("draw", "--gold", "good.mrp")
    assert nothing.returncode == 2
    assert "no input is given: name at least one file" in nothing.stderr.splitlines()[0]


def test_inject_changes_all_but_gold(karat: Karat, folder: Path) -> None:
    """DM graphs as if they were of another framework, with every command that reads them."""
    (folder / "gold.mrp").write_text(GOOD.replace('"dm"', '"pas"') + "\n")
    (folder / "system.mrp").write_text(GOOD + "\n")
    files = ("-g", "gold.mrp", "-s", "system.mrp", "-q", "--json", "-")
    inject = ("--inject", '{"framework": "pas"}')
    apart = karat("evaluate", "mrp", *files)
    assert (apart.returncode, "PairingError K240" in apart.stderr) == (1, True)
    together = json.loads(karat("evaluate", "mrp", *files, *inject).stdout)
    assert (together["scores"]["null"], together["scores"]["all"]["f"]) == (0, 1.0)
    found = karat("inspect", "system.mrp", "-g", "gold.mrp", *inject)
    assert found.stdout == "eng pas: 1 of 1\ncomplete\n"
    chosen = ("--framework", "pas", "--framework", "dm")
    saved = karat("evaluate", "mrp", *files, *inject, *chosen, "--save", "a.run")
    assert saved.returncode == 0, saved.stderr
    assert karat("verify", "a.run").returncode == 0
    ignored = karat("evaluate", "mrp", *files, *inject[:1], '{"framework": "pas", "frame": 1}')
    assert any(
        "'frame' cannot be injected" in each for each in json.loads(ignored.stdout)["warnings"]
    )
    wrong = karat("evaluate", "mrp", *files, "--inject", '{"flavor": "x"}')
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("OptionError K340: 'flavor' must be a number, got 'x'")
    # With convert it stays the last step: targets are gathered before.
    done = karat("convert", "system.mrp", "--to", "mrp", "--targets", "gather", *inject)
    written = json.loads(done.stdout)
    assert (written["framework"], written["targets"]) == ("pas", ["dm"])


def test_draw_to_dot(karat: Karat, folder: Path) -> None:
    (folder / "system.mrp").write_text(GOOD.replace("ARG1", "ARG2") + "\n")
    done = karat("draw", "system.mrp", "-g", "good.mrp", "-o", "both.dot")
    assert done.returncode == 0, done.stderr
    written = (folder / "both.dot").read_text()
    assert '0 -> 2 [ label="arg1", color=red, fontcolor=red, style=dashed ];' in written
    assert '0 -> 2 [ label="arg2", color=blue, fontcolor=blue, style=dotted ];' in written
    files = ("-g", "good.mrp", "-s", "system.mrp", "--errors", "errors.json", "-q")
    karat("evaluate", "mrp", *files)
    (folder / "gold.mrp").write_text(GOOD + "\n")
    karat("draw", "gold.mrp", "--errors", "errors.json", "-o", "errors.dot")
    assert (folder / "errors.dot").read_text() == written
    karat("draw", "good.mrp", "-o", "plain.dot")
    converted = karat("convert", "good.mrp", "--to", "dot")
    assert (folder / "plain.dot").read_text().split() == converted.stdout.split()
    (folder / "tree.conllu").write_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    refused = karat("draw", "tree.conllu", "-o", "tree.dot")
    assert refused.returncode == 2
    assert refused.stderr.startswith("OptionError K346: only graphs can be drawn in DOT")


def test_analyze_says_where_a_treewidth_is_a_bound(karat: Karat, tmp_path: Path) -> None:
    size = 150
    ends = [(i, (i * i * 7 + i * k + 1) % size) for i in range(size) for k in (1, 13, 101)]
    hard = {
        "id": "hard", "flavor": 2, "framework": "amr", "tops": [0],
        "nodes": [{"id": i, "label": "x"} for i in range(size)],
        "edges": [{"source": a, "target": b, "label": "A"} for a, b in sorted(set(ends))],
    }  # fmt: skip
    (tmp_path / "hard.mrp").write_text(OTHER + "\n" + json.dumps(hard) + "\n")
    done = karat("analyze", "hard.mrp")
    assert done.returncode == 0
    assert done.stderr == (
        "warning: hard.mrp: the treewidth of 1 graph is an upper bound, as the proof would take "
        "too long: 'hard'\n"
    )
