"""One self-contained page: its scripts, its style, the word lists and what files hold."""

from __future__ import annotations

import base64
import gzip
import hashlib
import sys
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from karat.report.page.parts import escaped
from karat.report.page.parts import style as page_style
from karat.text.words.lists import smart_stopwords, wordnet_exceptions
from karat.version import VERSION

Viewer = Literal["pyramid", "rouge"]
TITLES: dict[Viewer, str] = {"pyramid": "Pyramid viewer", "rouge": "ROUGE viewer"}
ENGINE = ("stems", "words", "reading", "rouge", "ngram_graphs", "alignment", "pyramids", "records")
_SCRIPTS: dict[Viewer, tuple[str, ...]] = {
    "pyramid": ("interface.js", "pyramid.js"),
    "rouge": ("interface.js", "pictures.js", "rouge.js"),
}
WEIGHT = 1.2
"""Of ROUGE-W. Browsers round powers in their own ways, so that Python's go with the page."""
_POWERS = 512


def page(viewer: Viewer, content: dict[str, Any]) -> bytes:
    """The whole page, as UTF-8."""
    script = '"use strict";\n' + engine() + "".join(map(_asset, _SCRIPTS[viewer]))
    style = page_style() + _asset("viewers.css")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    title = TITLES[viewer]
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'>",
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>karat: {escaped(title)}</title>",
        f"<style>{style}</style>",
        f"<header><h1>{escaped(title)}</h1><p class=dim>karat {VERSION}</p></header>",
        "<main id=main><noscript><p>This page needs JavaScript.</p></noscript></main>",
        f"<script type='text/plain' id=lists>{packed_lists()}</script>",
        f"<script type='application/json' id=content>{_embedded(content)}</script>",
        f"<script>{script}</script></html>",
    ]
    return "\n".join([*parts, ""]).encode()


def engine() -> str:
    """The scripts that compute, and touch no page."""
    return "".join(_asset(f"engine/{name}.js") for name in ENGINE)


@cache
def packed_lists() -> str:
    """The word lists and powers that the engine takes, compressed, in base 64."""
    lists = {
        "stopwords": sorted(smart_stopwords()),
        "irregular": "\n".join(f"{form}\t{base}" for form, base in wordnet_exceptions().items()),
        "folds": {
            letter: letter.casefold()
            for letter in map(chr, range(sys.maxunicode + 1))
            if letter.casefold() != letter
        },
        "weight": WEIGHT,
        "powers": [float(k) ** WEIGHT for k in range(_POWERS)],
        "compensated": sys.version_info >= (3, 12),  # how Python's sum adds up floats
    }
    packed = gzip.compress(msgspec.json.encode(lists), mtime=0)
    return base64.b64encode(packed).decode()


def _asset(name: str) -> str:
    return files("karat.report").joinpath("viewers", *name.split("/")).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _embedded(content: dict[str, Any]) -> str:
    """JSON in which no text can end the element that it stands in."""
    return msgspec.json.encode(content).decode().replace("<", "\\u003c")
