"""The workflows: well-formed, pinned, with few rights, on machines that exist."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[3]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
IMAGES = {
    "ubuntu-24.04", "ubuntu-24.04-arm", "macos-14", "macos-15", "macos-15-intel",
    "windows-2022", "windows-2025", "windows-11-arm",
}  # fmt: skip


def jobs(path: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    used = re.findall(r"uses: *(.+)", path.read_text(encoding="utf-8"))
    pinned = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*")
    assert used
    assert [each for each in used if not pinned.fullmatch(each.strip())] == []


def test_an_action_has_one_version() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    pins = set(re.findall(r"uses: *([\w./-]+)@(\S+)", text))
    names = [name for name, _ in pins]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_rights_images_and_scripts(path: Path) -> None:
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert document.get("permissions") in ({}, {"contents": "read"})
    for name, job in jobs(path).items():
        matrix = job.get("strategy", {}).get("matrix", {})
        images = matrix.get("os", []) if "matrix.os" in job["runs-on"] else [job["runs-on"]]
        assert images
        assert set(images) <= IMAGES, name
        rights = job.get("permissions", {})
        assert {right for right, value in rights.items() if value == "write"} <= (
            {"id-token", "attestations", "pages"} if name in ("publish", "deploy") else set()
        )
        for step in job["steps"]:
            script = step.get("run", "")
            # What comes from outside is a variable, never a part of a script.
            assert "${{" not in script
            for called in re.findall(r"(?:^|\s)((?:\.ci|scripts)/[\w./-]+)", script):
                assert (ROOT / called).exists(), called
            for module in re.findall(r"-m (releasing\.\w+)", script):
                assert (ROOT / "scripts" / f"{module.replace('.', '/')}.py").exists()


@pytest.mark.parametrize(
    ("schema", "paths"),
    [("github-workflows", WORKFLOWS), ("github-actions", [ROOT / "action/action.yml"])],
)
def test_the_schema(schema: str, paths: list[Path]) -> None:
    pytest.importorskip("check_jsonschema")
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run([*words, *paths], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_nothing_known_to_be_dangerous() -> None:
    program = shutil.which("zizmor", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("zizmor is not there")
    words = [program, "--offline", "--quiet", ROOT / ".github", ROOT / "action"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
