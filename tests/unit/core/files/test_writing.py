"""Outputs: whole or not at all, and nothing else is touched."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from karat.core.files.writing import is_same_file, whole_file
from karat.errors import OptionError


def test_a_file_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with whole_file(path) as stream:
        stream.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_is_left_after_an_error(error: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def fail() -> None:
        with whole_file(path) as stream:
            stream.write(b"new")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_permissions_are_the_usual_ones(tmp_path: Path) -> None:
    with whole_file(tmp_path / "a"):
        pass
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/target")
    with whole_file(tmp_path / "link") as stream:
        stream.write(b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "target").read_bytes() == b"x"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()), daemon=True)
    reader.start()
    with whole_file(path) as stream:
        stream.write(b"through")
    reader.join(10)
    assert got == [b"through"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


UNWRITABLE = [
    ("{folder}", "it is a directory"),
    ("{folder}/no/file", "there is no folder"),
    ("{folder}/file/under", "Not a directory"),
    ("a\0b", "embedded null"),
]


@pytest.mark.parametrize(("path", "why"), UNWRITABLE)
def test_what_cannot_be_written(path: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    path = path.format(folder=tmp_path)
    with pytest.raises(OptionError) as caught, whole_file(path):
        pass
    assert caught.value.code == "K305"
    assert caught.value.message.startswith(f"cannot write {path!r}: {why}")


def test_a_file_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    """What is still in the buffer is written when the file is closed, which may fail."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    path = tmp_path / "a"
    path.write_bytes(b"old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        with pytest.raises(OptionError, match="cannot write"), whole_file(path) as stream:
            stream.write(b"more than one byte")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_writing_a_file_loads_no_large_modules(tmp_path: Path) -> None:
    """Each command that writes would wait for them."""
    code = (
        "import sys; from karat.core.files.writing import is_same_file, whole_file\n"
        f"with whole_file({str(tmp_path / 'a')!r}) as stream: stream.write(b'x')\n"
        "print(*{'pathlib', 'tempfile', 'shutil', 'random'} & sys.modules.keys())"
    )
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path = {sys.path}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.split() == []


def test_a_name_that_is_empty_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is that of data in memory, not of the folder that we are in."""
    (tmp_path / "page.html").write_text("")
    monkeypatch.chdir(tmp_path)
    assert not is_same_file("page.html", "")
    assert is_same_file("page.html", ".")
