"""Wheels, installed where nothing else is, and used."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from releasing.interpreters import SUPPORTED, find
from releasing.running import run, say

SMOKE = Path(__file__).with_name("smoke.py")

# Of a Debian that is still being made, debootstrap of an older one knows no name.
_SCRIPT = "sid"


def in_empty_environment(wheels: Path, version: str, python: Path, folder: Path) -> Path:
    """Makes an environment with karat and what it depends on, and tries it. Compiles nothing."""
    run([python, "-m", "venv", folder])
    inside = folder / "bin/python"
    run([inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--only-binary", ":all:", "--find-links", wheels, f"karat=={version}"])  # fmt: skip
    shown = run([inside, "-I", SMOKE], cwd=folder)
    say("works: " + "; ".join(shown.splitlines()))
    return inside


def _fits(wheels: Path, python: str) -> bool:
    """Whether one of the wheels is for a Python."""
    minor = int(python.removeprefix("3."))
    tags = [path.name.split("-")[2:4] for path in wheels.glob("*.whl")]
    return any(
        name == f"cp3{minor}" or (abi == "abi3" and minor >= int(name.removeprefix("cp3")))
        for name, abi in tags
    )


def in_each_python(wheels: Path, version: str, folder: Path) -> tuple[list[str], Path | None]:
    """Tries karat with each Python of this machine; gives those it lacks, and an environment."""
    lacking = []
    last = None
    for name in SUPPORTED:
        python = find(name)
        if python is None or not _fits(wheels, name):
            lacking.append(name)
            continue
        last = in_empty_environment(wheels, version, python, folder / f"try-{name}")
    return lacking, last


def in_debian(suite: str, wheels: Path, version: str, folder: Path) -> list[str]:
    """Tries karat in a minimal Debian, which has no compiler; gives the Pythons that it has."""
    root = folder / f"debian-{suite}"
    mirror = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
    known = Path("/usr/share/debootstrap/scripts", suite).exists()
    run(["debootstrap", "--variant=minbase", "--include=python3-venv,ca-certificates",
         suite, root, mirror, *([] if known else [_SCRIPT])])  # fmt: skip
    for compiler in ("cc", "gcc", "g++", "clang"):
        if shutil.which(compiler, path=f"{root}/usr/bin"):
            raise AssertionError(f"Debian {suite} has a compiler: {compiler}")
    shutil.copytree(wheels, root / "wheels")
    shutil.copy(SMOKE, root / "smoke.py")
    # Names of hosts and certificates as they are here, so that pip finds what karat depends on.
    for name in ("/etc/resolv.conf", "/etc/hosts"):
        if Path(name).exists():
            shutil.copy(name, root / name.lstrip("/"))
    certificates = "/etc/ssl/certs/ca-certificates.crt"
    shutil.copy(certificates, root / certificates.lstrip("/"))
    inside: list[str | Path] = [
        "chroot", root, "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "HOME=/root",
        f"PIP_CERT={certificates}",
    ]  # fmt: skip
    run([*inside, "python3", "-m", "venv", "/try"])
    run([*inside, "/try/bin/python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:",
         "--find-links", "/wheels", f"karat=={version}"])  # fmt: skip
    shown = run([*inside, "/try/bin/python", "-I", "/smoke.py"])
    say(f"works in Debian {suite}: " + "; ".join(shown.splitlines()))
    name = run(
        [*inside, "/try/bin/python", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    )
    shutil.rmtree(root)
    return [name.strip()]
