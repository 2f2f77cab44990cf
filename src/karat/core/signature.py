"""A metric as a string, and back: ``parse(repr(metric)) == metric``.

A signature goes on after the metric, in parts with bars between them: versions, conventions,
and how the files were read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.core.files.opener import Source
from karat.errors import FormatError, OptionError

if TYPE_CHECKING:
    from karat.core.options import Option
    from karat.core.runs.evaluation import Evaluation

_UP_TO_BAR = r"""(?s)(?:[^|'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*"""
_CALL = re.compile(r"\s*([A-Za-z][\w+-]*)\s*(\(.*\))?\s*\Z", re.DOTALL)


def split(text: str) -> tuple[str, dict[str, Any]]:
    """The name and options in ``name(option=value, …)``; a bare name has none.

    What follows the first ``|`` outside quotes, as in a signature, is ignored.

    >>> split("exact(ignore_case=True)|karat:1.0.0")
    ('exact', {'ignore_case': True})
    """
    match = _CALL.match(_before_bar(text))
    if match is None:
        raise _malformed(text)
    name, arguments = match.group(1), match.group(2) or "()"
    try:
        call = ast.parse("metric" + arguments, mode="eval").body
        if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
            raise _malformed(text)
        options = {}
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in options:
                raise _malformed(text)
            options[keyword.arg] = ast.literal_eval(keyword.value)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _malformed(text) from None
    return name, options


def join(name: str, options: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in options.items())})"


def reading(name: str, declared: Mapping[str, Option], given: Mapping[str, Any]) -> str:
    """How a file was read: its format, with the options that are not at their defaults.

    An option that names a file is shown by what that file holds.
    """
    changed = {key: value for key, value in given.items() if value != declared[key].default}
    if not changed:
        return name
    checksums = digests(declared, changed)
    shown = (f"{key}={checksums.get(key) or repr(value)}" for key, value in changed.items())
    return f"{name}({', '.join(shown)})"


def of_reading(
    systems: Sequence[str], golds: Sequence[str], pair: str = "auto", on_error: str = "auto"
) -> str:
    """The part of a signature that says how files were read.

    >>> of_reading(["mrp"], ["amr", "amr"], on_error="skip")
    'system:mrp|gold:amr|on-error:skip'
    >>> of_reading(["lines"], ["lines"])
    'format:lines'
    """
    system, gold = ("+".join(dict.fromkeys(filter(None, side))) for side in (systems, golds))
    parts = [f"system:{system}", f"gold:{gold}"]
    if gold in ("", system):
        parts = [f"format:{system}"] if system else []
    parts += [f"pair:{pair}"] if pair != "auto" else []
    parts += [f"on-error:{on_error}"] if on_error != "auto" else []
    return "|".join(parts)


def of_runs(runs: Sequence[Evaluation]) -> str:
    """The signature of runs by one metric: one for each way in which files were read."""
    return "  ".join(dict.fromkeys(run.signature() for run in runs))


def digests(declared: Mapping[str, Option], values: Mapping[str, Any]) -> dict[str, str]:
    """Checksums of the files that options name; several files of one option have one each."""
    result = {}
    for name, value in values.items():
        if value and declared[name].file:
            paths = (value,) if isinstance(value, str) else value
            result[name] = "+".join(filter(None, map(_digest, paths)))
    return {name: checksum for name, checksum in result.items() if checksum}


def _digest(path: str) -> str:
    """The beginning of a file's checksum; empty for what cannot be read, or only once."""
    source = Source(path)
    try:
        return "" if source.is_pipe or source.is_folder else source.digest()[:12]
    except FormatError:
        return ""


def _before_bar(text: str) -> str:
    match = re.match(_UP_TO_BAR, text)
    # A quote that is never closed is left to the parser to complain about.
    return match.group() if match and text[match.end() :][:1] in ("", "|") else text


def _malformed(text: str) -> OptionError:
    shown = text if len(text) <= 80 else text[:77] + "..."
    if not text.strip():
        return OptionError(
            "the name of a metric is empty",
            code="K304",
            advice="names of several metrics have commas between them, and no blanks: bleu,chrf",
        )
    return OptionError(
        f"{shown!r} is not a metric",
        code="K304",
        advice="write a name, or a name with options as in Python: \"bleu(tokenize='intl')\"",
    )
