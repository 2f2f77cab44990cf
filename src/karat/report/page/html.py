"""The file of a page: policy, style, headline as text, data, script, items, in this order."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import NamedTuple

from karat.report.contract import Page
from karat.report.page.columns import embedded as packed_element

__all__ = ["Frame", "extras_of", "frame", "packed_element", "policy", "served"]

_CLOSING = b"</body>\n</html>\n"

EXTRAS = ("graph", "groups", "errors", "confusions", "pairs", "people", "beyond", "served")
"""Parts of the application that pages have where they need them."""


@lru_cache(maxsize=8)
def asset(name: str) -> str:
    """A part of the built application."""
    return Path(__file__).with_name(name).read_text("utf-8")


@lru_cache(maxsize=8)
def _digest(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def policy(scripts: list[str], style: str, served: bool = False) -> str:
    """What the page may do: run its own script and style, and, where served, ask its server."""
    connect = "; connect-src 'self'" if served else ""
    return (
        f"default-src 'none'; script-src {' '.join(map(_digest, scripts))}; "
        f"style-src {_digest(style)}{connect}; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


class Frame(NamedTuple):
    """A page without its columns and blocks."""

    opening: bytes
    """What stands before the columns."""
    scripts: bytes

    @property
    def size(self) -> int:
        return len(self.opening) + len(self.scripts) + len(_CLOSING)

    def around(self, columns: Mapping[str, bytes], blocks: Mapping[str, bytes]) -> bytes:
        """The page as a file."""
        parts = [self.opening]
        for id, data in columns.items():
            parts += _element(id, data)
        parts.append(self.scripts)
        for id, data in blocks.items():
            parts += _element(id, data)
        return b"".join([*parts, _CLOSING])


def served(head: Page, encoded: bytes) -> bytes:
    """The page that fetches its columns and blocks from the server."""
    return frame(head, encoded, EXTRAS).around({}, {})


def policy_of_served() -> str:
    """The policy of a served page, to be sent with it."""
    return policy(_scripts(EXTRAS), asset("app.css"), served=True) + "; frame-ancestors 'none'"


def extras_of(head: Page, drawings: bool) -> list[str]:
    """The parts of the application that a page needs."""
    needed = {
        "graph": drawings,
        "groups": any(each.facets for each in head.sets),
        "errors": any(each.errors for each in head.sets),
        "confusions": any(each.confusions for each in head.sets),
        "pairs": any(len(each.systems) > 1 for each in head.sets),
        "people": any(each.agreements for each in head.sets),
        "beyond": any(each.repairs or each.audit or each.trace for each in head.sets),
        "served": head.served,
    }
    return [name for name in EXTRAS if needed[name]]


def _scripts(extras: Sequence[str]) -> list[str]:
    """The application comes last: it looks for the others."""
    return [asset(f"{name}.js") for name in (*extras, "app")]


def frame(head: Page, encoded: bytes, extras: Sequence[str]) -> Frame:
    """The page with its head, and with the parts of the application that it needs."""
    style, scripts = asset("app.css"), _scripts(extras)
    allowed = policy(scripts, style, head.served)
    title, *rest = head.headline
    opening = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(allowed)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(visible(f'{title} · karat'))}</title>\n<style>{style}</style>\n</head>\n"
        '<body>\n<div id="app"><main class="still">'
        f"<h1>{escape(visible(title))}</h1>"
        + "".join(f"<p>{escape(visible(line))}</p>" for line in (*rest, *head.warnings))
        + '<p class="noscript">This page needs a browser of 2024 or later, with scripts: '
        "Chrome 123, Firefox 120, Safari 17.5.</p></main></div>\n"
    ).encode()
    return Frame(
        b"".join([opening, *_element("k-head", packed_element(encoded))]),
        "".join(f"<script>{script}</script>\n" for script in scripts).encode(),
    )


def _element(id: str, data: bytes) -> tuple[bytes, bytes, bytes]:
    return f'<script type="text/plain" id="{id}">'.encode(), data, b"</script>\n"


def visible(text: str) -> str:
    """The text with control characters, and those that turn its direction, as visible signs."""
    return "".join(
        chr(0x2400 + ord(mark))
        if mark < " " and mark not in "\n\t"
        else "\ufffd"
        if mark == "\x7f" or "\u202a" <= mark <= "\u202e" or "\u2066" <= mark <= "\u2069"
        else mark
        for mark in text.encode("utf-8", "replace").decode()
    )
