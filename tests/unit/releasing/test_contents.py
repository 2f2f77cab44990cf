"""What belongs into a wheel and a source archive, and what does not."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from releasing import contents

ROOT = Path(__file__).resolve().parents[3]
INFO = "karat-0.0.0.dist-info"


def licences() -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "licenses").glob("*.txt"))


def metadata() -> bytes:
    names = "".join(f"License-File: {name}\n" for name in ["LICENSE", *licences()])
    return f"Metadata-Version: 2.4\nName: karat\nVersion: 0.0.0\n{names}\n".encode()


def tracked(*folders: str) -> list[str]:
    done = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("this is no clone")
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def good_wheel() -> dict[str, bytes]:
    """The package as it is, with a native module that only looks like one."""
    files = {name.removeprefix("src/"): (ROOT / name).read_bytes() for name in tracked("src")}
    files |= {"karat/_native.abi3.so": b"\x7fELF", "karat/_native.pyi": b""}
    files |= {f"{INFO}/METADATA": metadata()}
    files |= {f"{INFO}/licenses/{n}": (ROOT / n).read_bytes() for n in ["LICENSE", *licences()]}
    return files


def problems_of_wheel(
    folder: Path, files: dict[str, bytes], record: str | None = None
) -> list[str]:
    lines = [f"{INFO}/RECORD,,"]
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    path = folder / "karat-0.0.0-cp312-abi3-manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr(f"{INFO}/RECORD", "\n".join(lines) if record is None else record)
    return contents.problems(path, ROOT)


def test_the_package_as_it_is(tmp_path: Path) -> None:
    assert problems_of_wheel(tmp_path, good_wheel()) == []


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("tests/test_a.py", b"", "does not belong"),
        ("karat/text/data/words.txt", b"a", "lacks a row"),
        ("karat/core/metric.py.orig", b"", "stray"),
        ("karat/_native.cpython-311.so", b"", "one native module"),
        ("karat/_native.abi3.so", b"\x00/root/build/source.cpp\x00", "machine that built it"),
        (f"{INFO}/licenses/licenses/wordnet.txt", b"", "wordnet.txt is not there as it is"),
        (f"{INFO}/METADATA", b"Name: karat\nLicense-File: LICENSE\n\n", "not named as a licence"),
        ("karat/huge.py", b"#" * (contents.LARGEST_FILE + 1), "bytes"),
    ],
)
def test_what_is_wrong_with_a_wheel(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    found = problems_of_wheel(tmp_path, {**good_wheel(), name: data})
    assert any(said in each for each in found), found


def test_what_is_missing_in_a_wheel(tmp_path: Path) -> None:
    for name in ("karat/report/page/app.js", "karat/py.typed", f"{INFO}/METADATA"):
        files = good_wheel()
        del files[name]
        assert any("is not there" in each for each in problems_of_wheel(tmp_path, files))
    assert any("RECORD" in each for each in problems_of_wheel(tmp_path, good_wheel(), record=""))


def test_source_archives(tmp_path: Path) -> None:
    names = tracked("src", "native", "licenses", "LICENSE", "CMakeLists.txt", "pyproject.toml")
    files = {name: (ROOT / name).read_bytes() for name in names} | {"PKG-INFO": metadata()}

    def found(files: dict[str, bytes]) -> list[str]:
        path = tmp_path / "karat-0.0.0.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            for name, data in files.items():
                member = tarfile.TarInfo(f"karat-0.0.0/{name}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        return contents.problems(path, ROOT)

    assert found(files) == []
    assert any("tests/a.py" in each for each in found({**files, "tests/a.py": b""}))
    del files["native/module.cpp"]
    assert found(files) == ["native/module.cpp is not there"]


def test_every_part_of_the_page_has_its_licence() -> None:
    lock = json.loads((ROOT / "web/package-lock.json").read_text(encoding="utf-8"))["packages"]
    bundled = {
        path.removeprefix("node_modules/")
        for path, entry in lock.items()
        if path and not entry.get("dev") and not entry.get("devOptional")
    }
    listed = {row["name"]: row for row in contents.bundled(ROOT)}
    assert bundled <= set(listed)
    for name in sorted(bundled):
        row = listed[name]
        text = (ROOT / "licenses" / row["text"]).read_text(encoding="utf-8").strip()
        for file in row["files"]:  # pages carry the licence along, too
            assert text in (ROOT / "src" / file).read_text(encoding="utf-8")
    used = {row["text"] for row in contents.bundled(ROOT)} - {""}
    assert used == {path.name for path in (ROOT / "licenses").glob("*.txt")}
