"""Source archive and wheels, as anybody can make them again, byte by byte.

The compiler is Zig's, from PyPI: it links against the symbols of an old glibc, so that a wheel made
on any Linux runs on all that are not older than that. It brings LLVM's C++ library, so that a wheel
needs none of the system's.
"""

from __future__ import annotations

import platform
import shutil
import sys
from pathlib import Path

from releasing.running import BIN, StepFailed, run, say

GLIBC = "2.17"
CONSTRAINTS = Path(__file__).with_name("constraints.txt")


def sdist(tree: Path, out: Path, epoch: int) -> Path:
    """The source archive of a tree."""
    run(
        [
            BIN / "uv",
            "build",
            "--sdist",
            "--out-dir",
            out,
            "--build-constraints",
            CONSTRAINTS,
            tree,
        ],
        env={"SOURCE_DATE_EPOCH": str(epoch)},
    )
    return next(out.glob("*.tar.gz"))


def wheel(source: Path, python: Path, out: Path, work: Path, epoch: int) -> Path:
    """A manylinux wheel of an unpacked source archive for a Python."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        raise StepFailed("wheels are made on Linux; .github/workflows/release.yml makes the others")
    work.mkdir(parents=True)
    # A path of its own for each build: were it to get into the wheel, two would differ.
    tree = work / "source"
    shutil.copytree(source, tree)
    compilers = _compilers(work)
    environment = {
        "CC": str(compilers["cc"]),
        "CXX": str(compilers["c++"]),
        "SOURCE_DATE_EPOCH": str(epoch),
        # Zig compiles the C++ library before it links the first time.
        "ZIG_GLOBAL_CACHE_DIR": str(BIN.parent / "zig-cache"),
    }
    plain = work / "plain"
    run(
        [BIN / "uv", "build", "--wheel", "--python", python, "--out-dir", plain,
         "--build-constraints", CONSTRAINTS, tree],
        env=environment,
    )  # fmt: skip
    made = next(plain.glob("*.whl"))
    tag = f"manylinux_{GLIBC.replace('.', '_')}_{platform.machine()}"
    out.mkdir(exist_ok=True)
    before = set(out.glob("*.whl"))
    run([BIN / "auditwheel", "repair", "--plat", tag, "--wheel-dir", out, made], env=environment)
    (repaired,) = set(out.glob("*.whl")) - before
    shown = run([BIN / "auditwheel", "show", repaired])
    if f'"{tag}"' not in " ".join(shown.split()):
        raise StepFailed(f"{repaired.name} is no {tag}:\n{shown}")
    if "-abi3-" in repaired.name:
        run([BIN / "abi3audit", "--strict", repaired])
    shutil.rmtree(work)
    say(f"{repaired.name}: {repaired.stat().st_size:,} bytes, {tag}")
    return repaired


def _compilers(folder: Path) -> dict[str, Path]:
    target = f"{platform.machine()}-linux-gnu.{GLIBC}"
    made = {}
    for name in ("cc", "c++"):
        path = folder / f"zig-{name}"
        # `-g0`: what Zig adds for debuggers names the folders of the build.
        path.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {name} -target {target} -g0 "$@"\n'
        )
        path.chmod(0o755)
        made[name] = path
    return made
