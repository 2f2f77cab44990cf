"""The changelog: small files of ``changelog.d`` become a section of ``CHANGELOG.md``."""

from __future__ import annotations

import re
from pathlib import Path

KINDS = {
    "numbers": "Figures that changed",
    "breaking": "Breaking",
    "added": "Added",
    "fixed": "Fixed",
    "faster": "Faster",
}


class ChangelogError(Exception):
    """A file of changelog.d, or the changelog, is not as it should be."""


def files(folder: Path) -> list[Path]:
    """The files that wait for a release."""
    return sorted(path for path in folder.iterdir() if path.name != "README.md")


def fragments(folder: Path) -> dict[str, list[str]]:
    """The texts of each kind, in the order of their files' names."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for path in files(folder):
        name = re.fullmatch(r"[a-z0-9][a-z0-9+-]*\.([a-z]+)\.md", path.name)
        if name is None or name[1] not in KINDS:
            raise ChangelogError(
                f"{path}: a file of the changelog is named TOPIC.KIND.md, "
                f"where KIND is one of {', '.join(KINDS)}"
            )
        text = path.read_text(encoding="utf-8").strip()
        if not text:
            raise ChangelogError(f"{path}: the file is empty; say what changes for users")
        # From the folder's point of view to that of the folder above it.
        found[name[1]].append(text.replace("](../", "]("))
    return found


def with_release(
    changelog: str, version: str, date: str, texts: dict[str, list[str]]
) -> tuple[str, str]:
    """The changelog with a section for a version, and the date of that section.

    A section that is there keeps its date and its entries, and new ones go below them.
    """
    head, sections = _parts(changelog)
    place = next((i for i, (title, _) in enumerate(sections) if _version(title) == version), None)
    if place is None:
        if not any(texts.values()):
            raise ChangelogError("changelog.d is empty: there is nothing to release")
        sections.insert(0, (f"{version} ({date})", ""))
        place = 0
    title, body = sections[place]
    stated = re.fullmatch(r"\S+ \((\d{4}-\d\d-\d\d)\)", title)
    if stated is None:
        raise ChangelogError(f"CHANGELOG.md has a section {title!r}; it should be {version} (DATE)")
    entries = _entries(body)
    for kind, heading in KINDS.items():
        entries.setdefault(heading, []).extend(_entry(text) for text in texts[kind])
    written = [
        f"### {heading}\n\n" + "\n".join(entries[heading]) + "\n"
        for heading in [*KINDS.values(), *(h for h in entries if h not in KINDS.values())]
        if entries.get(heading)
    ]
    sections[place] = (title, "\n".join(written))
    body = "\n".join(f"## {name}\n\n{text.strip()}\n" for name, text in sections)
    return f"{head.strip()}\n\n{body}", stated[1]


def section(changelog: str, version: str) -> str:
    """What the changelog says of a version."""
    for title, body in _parts(changelog)[1]:
        if _version(title) == version:
            return body.strip() + "\n"
    raise ChangelogError(f"CHANGELOG.md has no section for {version}")


def _parts(changelog: str) -> tuple[str, list[tuple[str, str]]]:
    head, *rest = re.split(r"^## ", changelog, flags=re.MULTILINE)
    parts = [each.partition("\n") for each in rest]
    return head, [(title.strip(), body.strip("\n") + "\n") for title, _, body in parts]


def _version(title: str) -> str:
    return title.split()[0] if title.split() else ""


def _entries(body: str) -> dict[str, list[str]]:
    """The entries below each heading of a section, as they are written."""
    found: dict[str, list[str]] = {}
    for part in re.split(r"^### ", body, flags=re.MULTILINE)[1:]:
        heading, _, text = part.partition("\n")
        entries = re.split(r"\n(?=- )", text.strip("\n"))
        found[heading.strip()] = [each.strip("\n") for each in entries if each.strip()]
    return found


def _entry(text: str) -> str:
    lines = text.splitlines()
    if lines[0].startswith("- "):  # several entries
        return "\n".join(line.rstrip() for line in lines)
    return "\n".join([f"- {lines[0]}", *(f"  {line}".rstrip() for line in lines[1:])])
