"""Where the version stands: one place decides, the others follow it at a release."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from releasing import changelog


class VersionError(Exception):
    """The version is none, or an older one than that which is there."""


class Place(NamedTuple):
    """A line that states version or date: the first group stays, what follows it is replaced."""

    path: str
    pattern: str
    states: str


PLACES = (
    Place("src/karat/version.py", r'^(VERSION = )"[^"]+"', '"{version}"'),
    Place("CITATION.cff", r"^(version: ).+", "{version}"),
    Place("CITATION.cff", r"^(date-released: ).+", "{date}"),
    Place("docs/metrics/README.md", r"(\|karat:)\d[\w.]*", "{version}"),
    Place("docs/run.md", r'^(karat = )"\d[^"]*"', '"{version}"'),
)


def current(root: Path) -> str:
    """The version that the build reads."""
    text = (root / "src/karat/version.py").read_text(encoding="utf-8")
    found = re.search(r'^VERSION = "([^"]+)"', text, re.MULTILINE)
    if found is None:
        raise VersionError('src/karat/version.py does not say VERSION = "..."')
    return found[1]


def prepare(root: Path, version: str, date: str) -> str:
    """Writes version and changelog into a tree, and gives the date of the release."""
    try:
        wanted = Version(version)
    except InvalidVersion:
        raise VersionError(f"{version!r} is no version; write it like 0.2.0") from None
    if str(wanted) != version:
        raise VersionError(f"{version!r} is no version as it should be written: {wanted}")
    if wanted < Version(current(root)):
        raise VersionError(f"{version} is older than the version that is here, {current(root)}")
    path = root / "CHANGELOG.md"
    folder = root / "changelog.d"
    texts = changelog.fragments(folder)
    text, date = changelog.with_release(path.read_text(encoding="utf-8"), version, date, texts)
    changed = {"CHANGELOG.md": text}
    for place in PLACES:
        before = changed.get(place.path) or (root / place.path).read_text(encoding="utf-8")
        stated = place.states.format(version=version, date=date)
        after, count = re.subn(place.pattern, r"\g<1>" + stated, before, flags=re.MULTILINE)
        if not count:
            raise VersionError(f"{place.path} should state it, in a line like {place.pattern}")
        changed[place.path] = after
    for name, content in changed.items():
        (root / name).write_text(content, encoding="utf-8")
    for fragment in changelog.files(folder):
        fragment.unlink()
    return date
