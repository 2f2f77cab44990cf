"""karat gate: exit codes, what it prints and writes, the action and the hook, on a planted loss."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from commands import Karat

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def runs(karat: Karat, tmp_path: Path) -> None:
    """base.karat, and same, worse and unsure ones, of 200 items in 40 passages."""
    right = [i % 10 != 0 for i in range(200)]
    files = {
        "base": right,
        "same": right,
        "worse": [ok and i % 7 != 0 for i, ok in enumerate(right)],
        "unsure": [not ok if i in (20, 31, 57) else ok for i, ok in enumerate(right)],
    }
    for name, values in files.items():
        rows = [f"q{i},{int(ok)},p{i // 5}\n" for i, ok in enumerate(values)]
        (tmp_path / f"{name}.csv").write_text("id,acc,passage\n" + "".join(rows), encoding="utf-8")


def save(karat: Karat, *names: str) -> None:
    for name in names:
        done = karat("evaluate", "scores", "-s", f"{name}.csv", "--save", f"{name}.karat")
        assert done.returncode == 0, done.stderr


CODES = {"same": 0, "worse": 1, "unsure": 3}
VERDICTS = {0: "NOT WORSE", 1: "WORSE", 3: "CANNOT TELL"}


def test_exit_codes_and_lines(karat: Karat, tmp_path: Path) -> None:
    for name, code in CODES.items():
        done = karat("gate", "scores", "-s", "base.csv", f"{name}.csv", "--cluster", "passage")
        header, row, verdict = done.stdout.splitlines()
        assert (done.returncode, done.stderr) == (code, "")
        assert header.split() == [
            "scores",
            "base",
            "new",
            "change",
            "90",
            "%",
            "interval",
            "margin",
        ]
        assert row.split()[:2] == ["acc", "0.9000"]
        assert verdict.startswith(
            f"{VERDICTS[code]}  200 items in 40 clusters (passage); alpha 0.05; scores("
        )
    assert "cannot tell: about " in row
    done = karat(
        "gate", "scores", "-s", "base.csv", "unsure.csv", "--allow-unsure", "--json", "x.json"
    )
    document = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert (done.returncode, document["exit_code"], document["verdict"]) == (0, 3, "cannot tell")
    assert document["scores"]["acc"]["needed_items"] > 200


def test_saved_runs_margins_and_markdown(karat: Karat, tmp_path: Path) -> None:
    save(karat, "base", "worse")
    runs = "base.karat", "worse.karat"
    assert karat("gate", *runs, "--score", "acc:0.5").returncode == 0
    done = karat("gate", *runs, "--score", "acc", "--markdown", "gate.md")
    assert done.returncode == 1
    text = (tmp_path / "gate.md").read_text(encoding="utf-8")
    assert text.startswith("## karat gate: worse\n\n| score | base | new | change |")
    assert "| acc | 0.9000 | " in text
    assert "Lost most (acc): `q7`, `q14`, `q21`, `q28`, `q35`" in text


BAD = [
    (
        ("gate", "nothing.karat", "base.karat"),
        "nothing.karat: FormatError K101: there is no",
    ),
    (("gate", "scores", "-s", "base.csv"), "got 1"),
    (("gate", "scores", "-s", "base.csv", "bad.csv"), "'acc' is 'good'"),
    (("gate", "scores", "-s", "base.csv", "other.csv"), "not measured on the same items"),
    (("gate", "scores", "-s", "twice.csv", "base.csv"), "occurs twice"),
    (("gate", "scores", "-s", "base.csv", "same.csv", "--score", "f"), "there is no score 'f'"),
    (("gate", "scores", "-s", "base.csv", "same.csv", "--margin", "0"), "--margin"),
    (("gate", "scores", "-s", "base.csv", "same.csv", "--json", "no/such/folder"), "folder"),
]


@pytest.mark.parametrize(("words", "message"), BAD)
def test_all_that_goes_wrong_is_2(
    words: tuple[str, ...], message: str, karat: Karat, tmp_path: Path
) -> None:
    for name, rows in {
        "bad": "q0,1\nq1,1\nq2,good\n", "other": "z,1\n", "twice": "q0,1\nq0,1\n"
    }.items():  # fmt: skip
        (tmp_path / f"{name}.csv").write_text("id,acc\n" + rows, encoding="utf-8")
    done = karat(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_the_action_fails_on_a_planted_regression(tmp_path: Path, program: str) -> None:
    action = yaml.safe_load((ROOT / "action" / "action.yml").read_text(encoding="utf-8"))
    (step,) = [each for each in action["runs"]["steps"] if each.get("id") == "gate"]
    assert step["shell"] == "bash"
    for name, code in CODES.items():
        given = {
            "base": "base.csv", "new": f"{name}.csv", "metric": "scores", "cluster": "passage",
            "score": "acc:0.01\n",
        }  # fmt: skip
        inputs = {
            key: given.get(key, each.get("default", "")) for key, each in action["inputs"].items()
        }
        env = {
            key: inputs[value.removeprefix("${{ inputs.").removesuffix(" }}")]
            for key, value in step["env"].items()
        }
        output, summary = tmp_path / f"{name}.output", tmp_path / f"{name}.md"
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            env={
                **os.environ, **env, "PATH": f"{Path(program).parent}:{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary),
            },
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert output.read_text(encoding="utf-8") == f"exit-code={code}\n"
        assert f"## karat gate: {VERDICTS[code].lower()}" in summary.read_text(encoding="utf-8")


def test_the_hook_stops_a_push(karat: Karat, tmp_path: Path, program: str) -> None:
    """The snippet of the documentation, run by pre-commit itself."""
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    (snippet,) = [
        block.partition("```")[0] for block in page.split("```yaml\n")[1:] if "repos:" in block
    ]
    (tmp_path / ".pre-commit-config.yaml").write_text(snippet, encoding="utf-8")
    save(karat, "base", "same", "worse")
    env = {
        **os.environ, "PATH": f"{Path(program).parent}:{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
    }  # fmt: skip
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", ".pre-commit-config.yaml"], cwd=tmp_path, check=True)
    for name, code in (("same", 0), ("worse", 1)):
        shutil.copy(tmp_path / f"{name}.karat", tmp_path / "new.karat")
        done = subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--hook-stage", "pre-push", "--all-files"],
            cwd=tmp_path, env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
    assert "WORSE" in done.stdout
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    local = yaml.safe_load(snippet)["repos"][0]["hooks"][0]
    (hook,) = hooks
    assert local["entry"].startswith(hook["entry"])
    assert {key: local[key] for key in ("id", "pass_filenames", "stages")} == {
        key: hook[key] for key in ("id", "pass_filenames", "stages")
    }
