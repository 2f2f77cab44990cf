"""Builds the documentation site from ``docs/`` into ``site/VERSION/``, which works from disk.

The pages are written for readers of the repository. Here they are copied to a folder of their own,
links that leave ``docs/`` are pointed at the repository, pages of the repository's root join
them, and the markers of ``docs/api.md`` become the reference that docstrings give. Zensical
makes the site of that folder; every warning of it ends the build.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

ROOT_PAGES = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "conduct.md",
}
"""Pages of the repository's root, and their names in the site."""

_FENCE = re.compile(r"(^(```+).*?^\2[ \t]*$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
_CODES = re.compile(r"^\| (K\d{3}[^|]*)\|", re.MULTILINE)
_API = re.compile(r"^<!-- api: ([\w.]+) -->$", re.MULTILINE)


def _told(file: str, pattern: str) -> str:
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{file} has no line like {pattern}")
    return found.group(1)


def version() -> str:
    """The version of the documentation: the first two numbers of the package's."""
    return _told("src/karat/version.py", r'^VERSION = "(\d+\.\d+)')


def repository() -> str:
    """The address of the repository."""
    return _told("pyproject.toml", r'^Homepage = "(.+)"$')


def rewritten(text: str, page: Path) -> str:
    """A page with links that work in the site; those in fenced blocks are left alone."""
    parts = _FENCE.split(text)
    # The split gives text, fence, ticks of the fence, text, ...
    for i in range(0, len(parts), 3):
        parts[i] = _LINK.sub(lambda found: _relinked(found, page), parts[i])
        parts[i] = _API.sub(r"::: \1", parts[i])
        if page == DOCS / "errors.md":
            parts[i] = _CODES.sub(lambda found: f"| {_anchored(found.group(1))}|", parts[i])
    return "".join(part for i, part in enumerate(parts) if i % 3 != 2)


def _anchored(codes: str) -> str:
    """Codes of errors that can be linked to: errors.html#k101."""
    return re.sub(r"K(\d{3})", r'<span id="k\1">K\1</span>', codes)


def _relinked(found: re.Match[str], page: Path) -> str:
    before, target, after = found.groups()
    if re.match(r"[a-z]+:|#", target):
        return found.group(0)
    path, hash_mark, anchor = target.partition("#")
    return f"{before}{_place(path, page)}{hash_mark}{anchor}{after}"


def _place(target: str, page: Path) -> str:
    """Where a link of a page leads in the site: to another page, else to the repository."""
    found = (page.parent / target).resolve()
    within = found.relative_to(ROOT).as_posix()
    if found.is_dir() and (found / "README.md").exists() and found.is_relative_to(DOCS):
        within += "/README.md"
    if found.is_relative_to(DOCS):
        inside = PurePosixPath(within).relative_to("docs")
    elif within in ROOT_PAGES:
        inside = PurePosixPath(ROOT_PAGES[within])
    else:
        return f"{repository()}/{'tree' if found.is_dir() else 'blob'}/main/{within}"
    start = page.parent.relative_to(DOCS) if page.is_relative_to(DOCS) else Path()
    return Path(os.path.relpath(inside.as_posix(), start.as_posix())).as_posix()


def sources() -> dict[str, Path]:
    """All pages of the site, by their place in it."""
    pages = {page.relative_to(DOCS).as_posix(): page for page in sorted(DOCS.rglob("*.md"))}
    return {**pages, **{name: ROOT / page for page, name in ROOT_PAGES.items()}}


def check_navigation(config: str) -> None:
    """Every page has its place in the navigation, and nothing else has."""
    nav = config.partition("\nnav:\n")[2]
    named = re.findall(r"([\w./+-]+\.md)\s*$", nav, re.MULTILINE)
    pages = set(sources())
    wrong = [f"{page} is not in the nav of website/mkdocs.yml" for page in pages - set(named)]
    wrong += [
        f"{name} is in the nav of website/mkdocs.yml, but is no page" for name in set(named) - pages
    ]
    wrong += [
        f"{name} is twice in the nav of website/mkdocs.yml"
        for name in set(named)
        if named.count(name) > 1
    ]
    if wrong:
        raise SystemExit("\n".join(sorted(wrong)))


def assemble(work: Path) -> None:
    """Makes the folder that the site is built from."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(DOCS, work / "docs", ignore=shutil.ignore_patterns("*.md"))
    shutil.copytree(ROOT / "website" / "theme", work / "theme")
    shutil.copytree(work / "theme" / "assets", work / "docs" / "assets")
    for name, page in sources().items():
        copy = work / "docs" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(rewritten(page.read_text(encoding="utf-8"), page), encoding="utf-8")
    config = (ROOT / "website" / "mkdocs.yml").read_text(encoding="utf-8")
    check_navigation(config)
    filled = config.replace("@VERSION@", version()).replace("@SOURCES@", str(ROOT / "src"))
    (work / "mkdocs.yml").write_text(filled.replace("@REPOSITORY@", repository()), encoding="utf-8")


def build(work: Path) -> None:
    """Runs Zensical; a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
        cwd=work,
        env={**os.environ, "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    if done.returncode or re.search(r"\bwarning\b", done.stdout, re.IGNORECASE):
        raise SystemExit(done.stdout + "\nthe site was not built")


def label_landmarks(work: Path) -> None:
    """Leaves screen readers one landmark for the list of pages, and another for the path to one."""
    for page in (work / "out").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        text = text.replace(
            'class="md-path" aria-label="Navigation"', 'class="md-path" aria-label="Path"'
        )
        nested = r'<nav class="md-nav" (data-md-level="[1-9]"|)[^>]*>'
        text = re.sub(nested, r'<nav class="md-nav" role="presentation" \1>', text)
        page.write_text(text, encoding="utf-8")


def publish(work: Path, site: Path) -> Path:
    """Puts what was built beside earlier versions, and tells all of them about each other."""
    target = site / version()
    shutil.rmtree(target, ignore_errors=True)
    site.mkdir(parents=True, exist_ok=True)
    shutil.move(work / "out", target)
    numbers = sorted(
        (each.name for each in site.iterdir() if re.fullmatch(r"\d+\.\d+", each.name)),
        key=lambda name: tuple(map(int, name.split("."))),
        reverse=True,
    )
    listed = json.dumps(numbers)
    (site / "versions.json").write_text(f"{listed}\n", encoding="utf-8")
    # A page that is read from disk may run scripts beside it, but not fetch data.
    (site / "versions.js").write_text(f"window.karatVersions = {listed};\n", encoding="utf-8")
    newest = f"{numbers[0]}/index.html"
    (site / "index.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>karat</title>'
        f'<meta http-equiv="refresh" content="0; url={newest}">'
        f'<p><a href="{newest}">Documentation of karat {numbers[0]}</a></p></html>\n',
        encoding="utf-8",
    )
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--site", type=Path, default=ROOT / "site", help="where it goes")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "website", help="for between")
    given = parser.parse_args()
    assemble(given.work.resolve())
    build(given.work.resolve())
    label_landmarks(given.work.resolve())
    print(publish(given.work.resolve(), given.site.resolve()) / "index.html")


if __name__ == "__main__":
    main()
