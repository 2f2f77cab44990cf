"""The commands of meta-evaluation, as a user runs them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from commands import Karat


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six systems and two humans on eight inputs, with a good metric and noise."""
    draw = random.Random(0)
    path = tmp_path_factory.mktemp("meta") / "scores.jsonl"
    lines = []
    for system in ("s1", "s2", "s3", "s4", "s5", "s6", "A", "B"):
        quality = draw.random() * 4
        for item in range(8):
            grade = quality + draw.random()
            metrics = {"grade": [grade, grade + 0.5], "good": {"f": grade + draw.random() / 4}}
            if system.startswith("s"):
                metrics["noise"] = draw.random()
            lines.append(
                {
                    "instance_id": f"d{item}",
                    "summarizer_id": system,
                    "summarizer_type": "peer" if system.startswith("s") else "reference",
                    "metrics": metrics,
                }
            )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_correlate_prints_a_table_and_writes_json(
    karat: Karat, scores: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    run = karat("correlate", scores, "--metrics", "good_f", "grade", "--json", out)
    assert run.returncode == 0, run.stderr
    assert "good_f ~ grade" in run.stdout
    assert "6 systems × 8 inputs" in run.stdout
    document = json.loads(out.read_text())
    assert document["system_level"]["num_summarizers"] == 6
    assert document["system_level"]["pearson"]["r"] > 0.9
    again = karat("correlate", scores, "--metrics", "good_f", "grade", "--json", "-")
    assert json.loads(again.stdout) == document


def test_correlate_takes_several_metrics_and_levels(karat: Karat, scores: Path) -> None:
    run = karat(
        "correlate", scores, "--dependent", "grade", "-m", "*", "--level", "by-system",
        "--coefficient", "kendall-c", "--interval", "none", "--json", "-",
    )  # fmt: skip
    documents = json.loads(run.stdout)
    assert [document["metric1"] for document in documents] == ["good_f", "noise"]
    assert set(documents[0]["by_system"]) >= {"num_summarizer_groups", "kendall-c"}
    assert "global" not in documents[0]


def test_all_with_a_name_that_humans_lack_warns(karat: Karat, scores: Path) -> None:
    run = karat("correlate", scores, "--metrics", "noise", "grade", "--summarizer-type", "all")
    assert run.returncode == 0
    assert "warning: no human has 'noise'" in run.stderr
    quiet = karat(
        "correlate", scores, "--metrics", "noise", "grade", "--summarizer-type", "all", "-q"
    )
    assert quiet.stderr == ""


def test_significance_then_conjunction(karat: Karat, scores: Path, tmp_path: Path) -> None:
    out = tmp_path / "test.json"
    run = karat(
        "significance", scores, "--dependent", "grade", "--metrics", "good_f", "noise",
        "--json", out, "--level", "global",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "H1: r(good_f, grade) > r(noise, grade)" in " ".join(run.stdout.split())
    both = karat("conjunction", out, out, "--name", "one", "--name", "two", "--json", "-")
    document = json.loads(both.stdout)
    assert document["global"]["pearson"]["k"] == 2
    assert document["global"]["pearson"]["significant"] == ["one", "two"]
    args = ("conjunction", out, out, "--name", "one", "--name", "two", "--method", "fisher")
    assert "no two tests share data" in karat(*args).stderr
    assert karat(*args, "-q").stderr == ""


def test_compare_metrics(karat: Karat, scores: Path) -> None:
    run = karat("compare-metrics", scores, "--dependent", "grade", "-m", "*", "--level", "global")
    assert run.returncode == 0, run.stderr
    assert run.stdout.index("1  good_f") < run.stdout.index("2  noise")


WRONG = {
    "unknown score": (
        ["correlate", "F", "--metrics", "god_f", "grade"],
        2,
        "did you mean 'good_f'",
    ),
    "nothing asked": (["correlate", "F"], 2, "there is nothing to correlate"),
    "no dependent": (["correlate", "F", "-m", "noise"], 2, "-m needs --dependent"),
    "no file": (["correlate", "absent.jsonl", "--metrics", "a", "b"], 1, "there is no such file"),
    "no test": (["conjunction", "F"], 1, "this is not JSON"),
    "one metric": (
        ["compare-metrics", "F", "--dependent", "grade", "-m", "noise"],
        2,
        "at least two metrics",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_is_told_plainly(karat: Karat, scores: Path, name: str) -> None:
    arguments, code, message = WRONG[name]
    run = karat(*(scores if word == "F" else word for word in arguments))
    assert run.returncode == code
    assert message in run.stderr.splitlines()[0]
    assert "Traceback" not in run.stderr


def test_plots_are_written(karat: Karat, scores: Path, tmp_path: Path) -> None:
    names = ("systems", "outputs", "distribution")
    paths = {name: tmp_path / f"{name}.svg" for name in names}
    run = karat(
        "correlate", scores, "--metrics", "good_f", "grade",
        *(word for name in names for word in (f"--plot-{name}", paths[name])),
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert all(path.read_text().startswith("<svg") for path in paths.values())
    run = karat(
        "compare-metrics", scores, "--dependent", "grade", "-m", "*", "--trials", 100,
        "--plot-significance", tmp_path / "a.svg", "--plot-correlations", tmp_path / "b.svg",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "a.svg").exists()
    assert (tmp_path / "b.svg").exists()


def test_correlation_table(karat: Karat, scores: Path, tmp_path: Path) -> None:
    out = tmp_path / "news.json"
    karat("correlate", scores, "--dependent", "grade", "-m", "*", "--json", out, "-q")
    run = karat("correlation-table", out, "--level", "global", "--format", "tsv")
    lines = run.stdout.splitlines()
    assert lines[0].split("\t") == ["metric", "news r", "news rho", "news tau"]
    assert [line.split("\t")[0] for line in lines[1:]] == ["good_f", "noise"]
    wrong = karat("correlation-table", scores)
    assert wrong.returncode == 1
    assert "this is not JSON" in wrong.stderr


def test_score_then_correlate(karat: Karat, tmp_path: Path) -> None:
    """From texts and judgements to a correlation, with the commands alone."""
    gold = ["the cat sat on the mat", "a dog barked at night", "rain fell all day long"]
    qualities = {"good": 5, "fair": 3, "poor": 1}
    grades = []
    (tmp_path / "gold.txt").write_text("\n".join(gold) + "\n")
    for name, kept in qualities.items():
        lines = [" ".join(line.split()[:kept]) for line in gold]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
        grades += [
            {"instance_id": str(i), "summarizer_id": name, "metrics": {"grade": kept}}
            for i in (1, 2, 3)
        ]
    (tmp_path / "human.jsonl").write_text("".join(json.dumps(line) + "\n" for line in grades))
    systems = [word for name in qualities for word in ("-s", tmp_path / f"{name}.txt")]
    run = karat("score", "rouge", "-g", tmp_path / "gold.txt", *systems, "-o", tmp_path / "m.jsonl")
    assert run.returncode == 0, run.stderr
    assert "9 outputs scored by rouge()" in run.stderr
    first = json.loads((tmp_path / "m.jsonl").read_text().splitlines()[0])
    assert list(first) == ["instance_id", "summarizer_id", "summarizer_type", "metrics"]
    run = karat(
        "correlate", tmp_path / "m.jsonl", tmp_path / "human.jsonl",
        "--metrics", "rouge-1_recall", "grade", "--json", "-",
    )  # fmt: skip
    assert json.loads(run.stdout)["system_level"]["kendall"]["tau"] == 1.0


def test_score_by_a_plan(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("a b\nc d\n")
    (tmp_path / "one.txt").write_text("a b\nc x\n")
    (tmp_path / "plan.json").write_text(
        json.dumps({"metrics": ["exact"], "system": ["one.txt"], "gold": "gold.txt"})
    )
    wrong = karat("score", "--config", tmp_path / "plan.json")
    assert wrong.returncode == 2
    assert "where the scores go" in wrong.stderr
    run = karat("score", "--config", tmp_path / "plan.json", "-o", "-", "-q")
    assert run.returncode == 0, run.stderr
    assert [json.loads(line)["metrics"] for line in run.stdout.splitlines()] == [
        {"accuracy": 1.0}, {"accuracy": 0.0},
    ]  # fmt: skip


def test_a_plan_with_overrides(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("a b\nc d\n")
    (tmp_path / "one.txt").write_text("a b\nc x\n")
    (tmp_path / "other.txt").write_text("x x\nc d\n")
    plan = {"runs": [{"metrics": ["exact"], "system": ["one.txt"], "gold": "gold.txt"}]}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    command = ("score", "--config", tmp_path / "plan.json", "-o", "-", "-q", "--overrides")
    run = karat(*command, json.dumps({"runs": {"0": {"system": ["other.txt"]}}}))
    assert run.returncode == 0, run.stderr
    records = [json.loads(line) for line in run.stdout.splitlines()]
    assert [record["metrics"]["accuracy"] for record in records] == [0.0, 1.0]
    assert {record["summarizer_id"] for record in records} == {"other"}
    for wrong, said in {
        "{": "must be a JSON object",
        "[1]": "must be a JSON object",
        '{"runs": {"1": {"pair": "id"}}}': "'runs.1' names no item",
        json.dumps({"runs": {"9" * 5000: {}}}): "names no item",
        '{"runs": {"0": {"pear": "id"}}}': "a run has no setting 'pear'",
    }.items():
        run = karat(*command, wrong)
        assert run.returncode == 2, run.stderr
        assert said in run.stderr
        assert "Traceback" not in run.stderr


def test_weighted_and_partial(karat: Karat, tmp_path: Path) -> None:
    """Outputs of weight 0 are not there; a fixed score takes away what it explains."""
    lines = [
        {
            "instance_id": f"d{j}",
            "summarizer_id": f"s{i}",
            "metrics": {"a": i + j % 3, "b": i * i + j, "length": (i * 7 + j * 3) % 5, "w": i < 4},
        }
        for i in range(6)
        for j in range(4)
    ]
    for line in lines:
        line["metrics"]["w"] = float(line["metrics"]["w"])
    every, some = tmp_path / "every.jsonl", tmp_path / "some.jsonl"
    every.write_text("".join(json.dumps(line) + "\n" for line in lines))
    kept = [line for line in lines if line["metrics"]["w"]]
    some.write_text("".join(json.dumps(line) + "\n" for line in kept))
    asked = ("--metrics", "a", "b", "--interval", "none", "--json", "-")
    weighted = json.loads(karat("correlate", every, *asked, "--weights", "w").stdout)
    fewer = json.loads(karat("correlate", some, *asked).stdout)
    assert weighted["weights"] == "w"
    for level in ("summary_level", "system_level", "global"):
        for name, symbol in {"pearson": "r", "spearman": "rho", "kendall": "tau"}.items():
            assert weighted[level][name][symbol] == pytest.approx(fewer[level][name][symbol])
    assert weighted["global"]["pearson"]["p_value"] is None
    whole = json.loads(karat("correlate", every, *asked, "--given", "length").stdout)
    assert whole["given"] == ["length"]
    r = {
        pair: json.loads(
            karat("correlate", every, "--metrics", *pair, *asked[3:]).stdout
        )["global"]["pearson"]["r"]
        for pair in (("a", "b"), ("a", "length"), ("b", "length"))
    }  # fmt: skip
    x, y, z = r["a", "b"], r["a", "length"], r["b", "length"]
    expected = (x - y * z) / ((1 - y * y) * (1 - z * z)) ** 0.5
    assert whole["global"]["pearson"]["r"] == pytest.approx(expected)
    assert whole["global"]["pearson"]["p_value"] is not None
    assert whole["global"]["kendall"]["p_value"] is None
    shown = karat("correlate", every, *asked[:3], "--given", "length", "--weights", "w")
    assert "partial, given length" in shown.stdout
    assert "weighted by w" in shown.stdout
    for wrong in (
        ["--given", "a"],
        ["--given", "length", "--coefficient", "kendall-c"],
        ["--weights", "w", "--interval", "fisher"],
        ["--weights", "w", "--pairwise"],
    ):
        run = karat("correlate", every, *asked[:3], *wrong)
        assert run.returncode == 2
        assert "K387" in run.stderr


def test_pairwise(karat: Karat, tmp_path: Path, scores: Path) -> None:
    judged = tmp_path / "pairs.csv"
    rows = [f"d{i},s1,s2,{'a' if i % 3 else 'b'}" for i in range(8)]
    judged.write_text("instance_id,system_a,system_b,winner\n" + "\n".join(rows) + "\n")
    run = karat("pairwise", judged, "--scores", scores, "-m", "good_f", "--json", "-")
    assert run.returncode == 0, run.stderr
    document = json.loads(run.stdout)
    assert document["systems"][0]["system"] == "s1"  # five of eight
    assert document["metrics"][0]["judgements"] == 8
    shown = karat("pairwise", judged, "--scores", scores, "-m", "good_f")
    assert "8 judgements, 0 ties" in shown.stdout
    judged.write_text("instance_id,system_a,system_b,winner\nd1,s1,s2,a\n")
    wrong = karat("pairwise", judged)
    assert wrong.returncode == 2
    assert "do not decide" in wrong.stderr
    assert karat("pairwise", judged, "--prior", "0.5").returncode == 0


def test_results_that_were_tampered_with_are_refused(karat: Karat, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    for content in ("{}", "[1]", '{"test_method": "x", "global": {"pearson": {"pvalue": 7}}}'):
        bad.write_text(content)
        run = karat("conjunction", bad)
        assert run.returncode == 1
        assert "K154" in run.stderr
    for content in ("{}", "[[]]", '{"metric1": "m", "global": {"pearson": {"r": "high"}}}'):
        bad.write_text(content)
        run = karat("correlation-table", bad)
        assert run.returncode == 1
        assert "K157" in run.stderr


def test_lower_is_better_in_several_correlations(karat: Karat, scores: Path) -> None:
    def values(*more: str) -> dict[str, float]:
        run = karat(
            "correlate", scores, "--dependent", "grade", "-m", "*", "--interval", "none",
            "--level", "global", "--json", "-", *more,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        return {d["metric1"]: d["global"]["pearson"]["r"] for d in json.loads(run.stdout)}

    plain, turned = values(), values("--lower-is-better", "noise")
    assert turned["noise"] == pytest.approx(-plain["noise"])
    assert turned["good_f"] == plain["good_f"]
    wrong = karat("correlate", scores, "--metrics", "good_f", "grade", "--lower-is-better", "noise")
    assert wrong.returncode == 2
    assert "K383" in wrong.stderr


def test_scores_of_graphs_correlate_like_those_of_texts(karat: Karat, tmp_path: Path) -> None:
    """Any family: a system for each file, scores under the metric's name."""
    gold = [
        "(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b))",
        "(s / sleep-01 :ARG0 (d / dog) :time (n / night))",
        "(r / rain-01 :location (c / city))",
    ]
    slips = {"good": [], "fair": ["boy"], "poor": ["boy", "dog", "city", "night"]}
    judged = []
    for rank, (name, words) in enumerate({"gold": [], **slips}.items()):
        graphs = []
        for number, graph in enumerate(gold):
            for word in words:
                graph = graph.replace(word, "thing")
            graphs.append(f"# ::id g{number}\n{graph}\n")
            judged.append(
                {"instance_id": f"g{number}", "summarizer_id": name, "metrics": {"worth": -rank}}
            )
        (tmp_path / f"{name}.amr").write_text("\n".join(graphs))
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(line) + "\n" for line in judged))
    systems = [word for name in slips for word in ("-s", tmp_path / f"{name}.amr")]
    run = karat(
        "score", "smatch", "-g", tmp_path / "gold.amr", *systems, "-o", tmp_path / "s.jsonl"
    )
    assert run.returncode == 0, run.stderr
    run = karat(
        "correlate", tmp_path / "s.jsonl", tmp_path / "judged.jsonl",
        "--metrics", "smatch_f", "worth", "--interval", "none", "--json", "-",
    )  # fmt: skip
    document = json.loads(run.stdout)
    assert document["system_level"]["num_summarizers"] == 3
    assert document["system_level"]["kendall"]["tau"] == 1.0


@pytest.mark.parametrize(
    ("command", "first", "advice"),
    [
        (
            "evaluate python-rouge -s x",
            "OptionError K312: there is no metric 'python-rouge'",
            "write: \"rouge(profile='python-rouge')\"",
        ),
        (
            "evaluate sent-bleu -s x",
            "OptionError K312: there is no metric 'sent-bleu'",
            "write: bleu, whose score sent-bleu it is",
        ),
        (
            "setup-metric rouge",
            "OptionError K300: there is no command 'setup-metric'",
            "write: karat setup metric NAME",
        ),
        (
            "significance x --metric-A a --metric-B b",
            "OptionError K301: there is no option '--metric-A'",
            "write here: --metrics A B",
        ),
        (
            "correlate x --num-tails 1",
            "OptionError K301: there is no option '--num-tails'",
            "write here: --one-tailed for correlate, --two-tailed for significance",
        ),
        (
            "conjunction --pvalue-json-files x",
            "OptionError K301: there is no option '--pvalue-json-files'",
            "write here: the files alone, as arguments",
        ),
    ],
)
def test_names_of_sacrerouge_are_told_by_ours(
    karat: Karat, command: str, first: str, advice: str
) -> None:
    done = karat(*command.split())
    assert done.returncode == 2
    assert done.stderr.splitlines() == [first, advice]


def test_a_configuration_of_sacrerouge_is_read(karat: Karat, tmp_path: Path) -> None:
    record = {"instance_id": "d", "summarizer_id": "s", "summary": "a dog", "references": ["a dog"]}
    (tmp_path / "s.jsonl").write_text(json.dumps(record) + "\n")
    config = {
        "dataset_reader": {"type": "reference-based"},
        "input_files": "s.jsonl",
        "metrics": [{"type": "python-rouge", "max_ngram": 1}, {"type": "rouge", "max_ngram": 1}],
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    done = karat("score", "--config", tmp_path / "config.json", "-o", tmp_path / "o.jsonl")
    assert done.returncode == 0, done.stderr
    (line,) = (tmp_path / "o.jsonl").read_text().splitlines()
    perfect = {"recall": 100.0, "precision": 100.0, "f1": 100.0}
    assert json.loads(line)["metrics"] == {"python-rouge-1": perfect, "rouge-1": perfect}
    del config["input_files"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    done = karat("score", "--config", tmp_path / "config.json", "-o", tmp_path / "o.jsonl")
    assert done.returncode == 2
    assert "K349: a configuration of SacreROUGE needs its 'input_files'" in done.stderr


def test_systems_are_drawn_whatever_the_level(karat: Karat, scores: Path, tmp_path: Path) -> None:
    done = karat(
        "correlate", scores, "--metrics", "good_f", "grade", "--level", "summary",
        "--plot-systems", tmp_path / "systems.svg",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "systems.svg").read_text().startswith("<svg")


def test_systems_of_one_file(karat: Karat, tmp_path: Path) -> None:
    """Each with an interval, and no advice to ask for what was asked for."""
    records = [
        {"response": text, "references": ["x y"], "model": model}
        for model, texts in (("A", ["x y", "x", "y x"]), ("B", ["x", "z", "y"]))
        for text in texts
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    plain = karat("evaluate", "exact", "-s", path)
    assert "the outputs of 2 systems (field 'model')" in plain.stderr
    done = karat("evaluate", "exact", "-s", path, "--by-system")
    assert (done.returncode, done.stderr) == (0, "")
    assert "95 % interval of accuracy" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines() if line[:3] in (" A ", " B ")]
    assert [row[:3] for row in rows] == [["A", "3", "0.3333"], ["B", "3", "0.0000"]]
    found = json.loads(karat("evaluate", "exact", "-s", path, "--by-system", "--json", "-").stdout)
    assert found["by"]["model"]["intervals"].keys() == {"A", "B"}
    assert found["warnings"] == []


def test_systems_all_after_one_option(karat: Karat, tmp_path: Path) -> None:
    for name in ("gold", "a", "b"):
        (tmp_path / f"{name}.txt").write_text("x\n")
    files = [tmp_path / f"{name}.txt" for name in ("a", "b")]
    done = karat("evaluate", "exact", "-s", *files, "-g", tmp_path / "gold.txt", "--json", "-")
    assert [run["system"] for run in json.loads(done.stdout)] == [str(path) for path in files]


def test_soft_pairwise_accuracy(karat: Karat, scores: Path) -> None:
    asked = scores, "--dependent", "grade", "--coefficient", "spa"
    done = karat("correlate", *asked, "-m", "good_f", "--resamples", 20, "--json", "-")
    found = json.loads(done.stdout)
    spa = found["system_level"]["spa"]
    assert 0.8 < spa["lower"] <= spa["spa"] <= 1
    assert "spa" not in found["global"]
    done = karat(
        "compare-metrics", *asked, "-m", "good_f", "-m", "noise", "--trials", 99, "--json", "-"
    )
    found = json.loads(done.stdout)
    assert [each["metric"] for each in found["metrics"]] == ["good_f", "noise"]
    assert found["p_values"][0][1] == 0.01
    done = karat("correlate", *asked, "-m", "good_f", "--level", "global")
    assert (done.returncode, done.stderr.partition(":")[0]) == (2, "OptionError K387")


def test_a_judgement_that_is_the_same_everywhere_is_told_of(karat: Karat, tmp_path: Path) -> None:
    """Nothing can be compared by it, whichever command is asked."""
    path = tmp_path / "flat.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {
                    "instance_id": f"i{item}",
                    "summarizer_id": f"s{system}",
                    "summarizer_type": "peer",
                    "metrics": {"flat": 1, "a": item * system % 5, "b": (item + system) % 3},
                }
            )
            + "\n"
            for item in range(6)
            for system in range(4)
        )
    )
    told = "warning: flat is the same everywhere: nothing correlates with it"
    for command in (
        ("correlate", path, "--metrics", "flat", "a"),
        ("compare-metrics", path, "--dependent", "flat", "-m", "a", "-m", "b"),
        ("power", "metrics", path, "--dependent", "flat", "--metrics", "a", "b", "--runs", "2"),
    ):
        done = karat(*command)
        # Nothing can be tested, so that there is no power.
        assert done.returncode == (2 if command[0] == "power" else 0)
        assert told in done.stderr.splitlines()
