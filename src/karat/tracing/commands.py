"""The command that shows a figure again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from karat.engine.inputs import is_path
from karat.tracing.reading import Inputs
from karat.tracing.slips import FIRST, LOST, NONE, SWAPPED, Slip


def command(
    inputs: Inputs, setting: str, slip: Slip, number: int, items: int, reading: Mapping[str, Any]
) -> str | None:
    """How ``karat evaluate`` prints what a setting gives; None where files would have to change."""
    gold, system = inputs.golds, [inputs.system]
    options = {**inputs.options, **reading}
    if slip in (FIRST, LOST):
        options["n"] = number if slip == FIRST else items - 1
    elif slip.kind == SWAPPED and len(gold) == 1:
        gold, system = system, gold
    elif slip != NONE:
        return None
    if not all(map(is_path, (*gold, *system))):
        return None
    words = ["karat", "evaluate", setting]
    for flag, files in (("-g", gold), ("-s", system)):
        words += [word for file in files for word in (flag, str(file))]
    formats = {"format": inputs.format, "gold_format": inputs.gold_format}
    for name, value in {**formats, "pair": inputs.pair, "on_error": inputs.on_error}.items():
        if value not in (None, "auto"):
            words += [_flag(name), value]
    for name, value in options.items():
        words += _given(name, value)
    return " ".join(map(_quoted, [*words, "--json", "-"]))


def _quoted(word: str) -> str:
    """A word for a shell; one with single quotes in double ones, which are easier to read.

    >>> print(_quoted("bleu(tokenize='intl')"), _quoted("a b"))
    "bleu(tokenize='intl')" 'a b'
    """
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _given(name: str, value: Any) -> Iterator[str]:
    """An option on the command line."""
    if isinstance(value, bool):
        yield _flag(name if value else f"no_{name}")
        return
    for each in value if isinstance(value, (list, tuple)) else [value]:
        yield from (_flag(name), str(each))
