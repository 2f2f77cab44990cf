"""What is in a source archive or a wheel: all that has to be, and nothing else.

``python -m releasing.contents FILE...`` checks files that were built elsewhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import tarfile
import zipfile
from email.parser import BytesParser
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LARGEST_FILE = 8_000_000
LARGEST_WHEEL = 6_000_000
LARGEST_SDIST = 3_000_000

OWN = (
    "karat/py.typed",
    "karat/_native.pyi",
    "karat/cli/templates/*.txt",
    "karat/report/page/app.css",
    *(
        f"karat/report/page/{name}.js"
        for name in (
            "app",
            "beyond",
            "confusions",
            "errors",
            "graph",
            "groups",
            "pairs",
            "people",
            "served",
        )
    ),
    "karat/text/data/NOTICE.md",
)
"""Files of the package that are neither Python nor of others."""

SOURCES = (
    "src", "native", "web", "licenses", "docs",
    "CMakeLists.txt", "pyproject.toml", "PKG-INFO", "README.md", "LICENSE", "CHANGELOG.md",
    "CITATION.cff", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "SECURITY.md", ".gitignore",
)  # fmt: skip
"""What a source archive may hold: what builds karat, and what says how."""

STRAY = re.compile(
    r"(^|/)(\.git|\.venv|__pycache__|node_modules|build|dist)(/|$)|\.(pyc|o|a|orig|rej|swp|log)$|~$"
)
PLACES_HERE = re.compile(rb"/(?:root|home|Users|tmp|work)/[\w.-]+/")
"""Paths of the machine that built it, which would make two builds differ."""


def bundled(root: Path) -> list[dict[str, Any]]:
    """The table of what of others is in the package."""
    text = (root / "licenses/bundled.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text)["bundled"])


def wheel_problems(path: Path, root: Path) -> list[str]:
    """What is wrong with a wheel; nothing where it is as it should be."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    table = bundled(root)
    info = next((name.split("/")[0] for name in files if ".dist-info/" in name), "")
    problems = _common(path, files, LARGEST_WHEEL)
    data = {pattern for row in table for pattern in row["files"]}
    for name in files:
        if name.startswith(f"{info}/"):
            continue
        known = any(fnmatchcase(name, pattern) for pattern in (*OWN, *data))
        if not name.startswith("karat/") or not (known or name.endswith(".py")):
            problems.append(
                f"{name} does not belong into a wheel, or lacks a row in licenses/bundled.toml"
            )
    problems += [f"{each} is not there" for each in (*OWN, *data) if not _any(files, each)]
    native = [name for name in files if re.fullmatch(r"karat/_native\.[\w.-]*(so|pyd)", name)]
    if len(native) != 1:
        problems.append(f"one native module is expected, not {native}")
    problems += [f"{name} names a folder of the machine that built it" for name in native
                 if PLACES_HERE.search(files[name])]  # fmt: skip
    problems += _record(files, f"{info}/RECORD")
    problems += _licences(files, f"{info}/METADATA", f"{info}/licenses", root)
    if (
        "abi3" in path.name
        and native
        and ".abi3." not in native[0]
        and not native[0].endswith(".pyd")
    ):
        problems.append(f"{path.name} is tagged abi3, but {native[0]} is not")
    return problems


def sdist_problems(path: Path, root: Path) -> list[str]:
    """What is wrong with a source archive."""
    with tarfile.open(path) as archive:
        members = [each for each in archive.getmembers() if not each.isdir()]
        odd = [each.name for each in members if not each.isfile()]
        held = {each.name: archive.extractfile(each) for each in members if each.isfile()}
        files = {name: stream.read() for name, stream in held.items() if stream}
    top = path.name.removesuffix(".tar.gz")
    problems = [f"{name} is no plain file" for name in odd]
    problems += [
        f"{name} lies outside of {top}" for name in files if not name.startswith(f"{top}/")
    ]
    files = {name.partition("/")[2]: data for name, data in files.items()}
    problems += _common(path, files, LARGEST_SDIST)
    problems += [f"{name} does not belong into a source archive" for name in files
                 if name.split("/")[0] not in SOURCES]  # fmt: skip
    for pattern in (
        "src/karat/version.py",
        "native/module.cpp",
        "CMakeLists.txt",
        "pyproject.toml",
    ):
        if pattern not in files:
            problems.append(f"{pattern} is not there")
    problems += _licences(files, "PKG-INFO", "", root)
    return problems


def _common(path: Path, files: dict[str, bytes], largest: int) -> list[str]:
    problems = [f"{name} is stray" for name in files if STRAY.search(name)]
    problems += [f"{name} has {len(data)} bytes" for name, data in files.items()
                 if len(data) > LARGEST_FILE]  # fmt: skip
    if path.stat().st_size > largest:
        problems.append(f"{path.name} has {path.stat().st_size} bytes, more than {largest}")
    return problems


def _any(files: dict[str, bytes], pattern: str) -> bool:
    return any(fnmatchcase(name, pattern) for name in files)


def _record(files: dict[str, bytes], name: str) -> list[str]:
    """Whether the list of a wheel's files is complete and true."""
    if name not in files:
        return ["RECORD is not there"]
    listed: dict[str, str] = {}
    for line in files[name].decode().splitlines():
        path, digest, _ = line.rsplit(",", 2)
        listed[path] = digest
    problems = [f"RECORD does not list {each}" for each in files if each not in listed]
    for path, digest in listed.items():
        if path == name:
            continue
        made = base64.urlsafe_b64encode(hashlib.sha256(files.get(path, b"")).digest())
        if f"sha256={made.rstrip(b'=').decode()}" != digest:
            problems.append(f"RECORD is wrong about {path}")
    return problems


def _licences(files: dict[str, bytes], metadata: str, folder: str, root: Path) -> list[str]:
    if metadata not in files:
        return [f"{metadata} is not there"]
    stated = BytesParser().parsebytes(files[metadata]).get_all("License-File") or []
    wanted = {"LICENSE", *(f"licenses/{row['text']}" for row in bundled(root) if row["text"])}
    problems = [f"{each} is not named as a licence" for each in sorted(wanted - set(stated))]
    for each in sorted(wanted):
        held = files.get(f"{folder}/{each}".lstrip("/"))
        if held != (root / each).read_bytes():
            problems.append(f"{each} is not there as it is in the repository")
    return problems


def problems(path: Path, root: Path) -> list[str]:
    """What is wrong with a file of a release."""
    return (wheel_problems if path.suffix == ".whl" else sdist_problems)(path, root)


def main(arguments: list[str]) -> int:
    root = Path(__file__).resolve().parents[2]
    found = [f"{name}: {each}" for name in arguments for each in problems(Path(name), root)]
    print("\n".join(found) if found else f"{len(arguments)} files are as they should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
