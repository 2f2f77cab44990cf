"""``scripts/release VERSION``: builds and checks a release, then writes its version."""

from __future__ import annotations

import argparse
import datetime
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from releasing import building, changelog, contents, materials, places, trying
from releasing.interpreters import find, has_headers
from releasing.running import BIN, StepFailed, run, say

ROOT = Path(__file__).resolve().parents[2]

# One wheel for each Python that has no stable interface that nanobind can use, one for all others.
OWN_WHEELS = ("3.10", "3.11")
STABLE = "3.12"


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/release", description=__doc__)
    parser.add_argument("version", help="the version to release, like 0.2.0")
    parser.add_argument("--dry-run", action="store_true",
                        help="build and check all, but leave this folder as it is")  # fmt: skip
    parser.add_argument("--date", default=time.strftime("%Y-%m-%d", time.gmtime()),
                        help="the date of the release; today when left out")  # fmt: skip
    parser.add_argument("--output", type=Path, help="where the files go; dist, or build/dry-run")
    parser.add_argument("--debian", action="append", default=[], metavar="SUITE",
                        help="try the wheels in a minimal Debian, too (as root)")  # fmt: skip
    parser.add_argument("--only", action="append", choices=(*OWN_WHEELS, STABLE), metavar="PYTHON",
                        help="build the wheel of this Python alone")  # fmt: skip
    parser.add_argument("--once", action="store_true",
                        help="do not build again to compare the bytes")  # fmt: skip
    return parser.parse_args(arguments)


def release(chosen: argparse.Namespace) -> None:
    changed = run(["git", "status", "--porcelain"], cwd=ROOT)
    if changed and not chosen.dry_run:
        raise StepFailed(f"there are changes that are not committed:\n{changed}")
    if changed:
        say("changes that are not committed are left out of this dry run")
    out = (chosen.output or ROOT / ("build/dry-run" if chosen.dry_run else "dist")).absolute()
    with tempfile.TemporaryDirectory(prefix="karat-release-") as name:
        work = Path(name)
        tree = work / "tree"
        tree.mkdir()
        with subprocess.Popen(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE) as made:
            subprocess.run(["tar", "x"], cwd=tree, stdin=made.stdout, check=True)
        date = places.prepare(tree, chosen.version, chosen.date)
        moment = datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.timezone.utc)
        epoch = int(moment.timestamp())
        say(f"karat {chosen.version} of {date}")
        files = build(tree, work, chosen, epoch)
        check(files, tree, chosen, work)
        if out.exists():
            shutil.rmtree(out)
        shutil.copytree(work / "dist", out)
        (out / "SHA256SUMS").write_text(
            "".join(
                f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
                for path in sorted(out.iterdir())
            )
        )
    if chosen.dry_run:
        say(f"dry run: files are in {out}, nothing else was changed")
        return
    places.prepare(ROOT, chosen.version, chosen.date)
    say(f"version and changelog are written, files are in {out}. To publish:")
    version = chosen.version
    print(f"  git add --all && git commit -m 'karat {version}'")
    print(f"  git tag -a v{version} -m 'karat {version}'")
    print(f"  git push origin HEAD v{version}   # the workflow builds all platforms and publishes")


def build(tree: Path, work: Path, chosen: argparse.Namespace, epoch: int) -> list[Path]:
    """Source archive and wheels, in the folder dist."""
    dist = work / "dist"
    archive = building.sdist(tree, dist, epoch)
    say(f"{archive.name}: {archive.stat().st_size:,} bytes")
    with tarfile.open(archive) as opened:
        opened.extractall(work / "unpacked", filter="data")
    # Wheels are made of the archive, which shows that it is complete.
    source = work / "unpacked" / archive.name.removesuffix(".tar.gz")
    made = [archive]
    for version in chosen.only or (*OWN_WHEELS, STABLE):
        python = find(version)
        if python is None or not has_headers(python):
            say(f"no wheel for Python {version}: this machine does not have it")
            continue
        made.append(building.wheel(source, python, dist, work / f"build-{version}", epoch))
        last = python
    if len(made) == 1:
        raise StepFailed("this machine has no Python for which a wheel could be made")
    if not chosen.once:
        again = work / "again"
        building.sdist(tree, again, epoch)
        building.wheel(source, last, again, work / "another" / "build", epoch)
        for path in again.glob("karat-*"):
            if path.read_bytes() != (dist / path.name).read_bytes():
                kept = shutil.copytree(again, ROOT / "build/differs", dirs_exist_ok=True)
                shutil.copy(dist / path.name, kept / f"first-{path.name}")
                raise StepFailed(f"{path.name}: two builds differ, see {kept}")
            say(f"{path.name}: the same bytes, built twice")
    for path in dist.glob(".gitignore"):
        path.unlink()
    return made


def check(files: list[Path], tree: Path, chosen: argparse.Namespace, work: Path) -> None:
    """Everything that has to hold for a release."""
    run([BIN / "twine", "check", "--strict", *files])
    wrong = [f"{path.name}: {each}" for path in files for each in contents.problems(path, tree)]
    if wrong:
        raise StepFailed("\n".join(wrong))
    say(f"contents, licences and metadata of {len(files)} files are as they should be")
    dist = files[0].parent
    lacking, python = trying.in_each_python(dist, chosen.version, work)
    for suite in chosen.debian:
        for version in trying.in_debian(suite, dist, chosen.version, work):
            lacking = [each for each in lacking if each != version]
    if lacking:
        say(f"not tried, for lack of the Python or of a wheel: {', '.join(lacking)}")
    if python is None:
        raise StepFailed("this machine has no Python with which a wheel could be tried")
    materials.write(tree, python, dist / f"karat-{chosen.version}.cdx.json")
    say("bill of materials is written")
    text = (tree / "CHANGELOG.md").read_text(encoding="utf-8")
    (dist / "NOTES.md").write_text(changelog.section(text, chosen.version), encoding="utf-8")


def main() -> int:
    try:
        release(options(sys.argv[1:]))
    except (StepFailed, changelog.ChangelogError, places.VersionError) as error:
        print(f"scripts/release: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
