"""Known names of fields and columns, values at dotted paths, and cells as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, cast

import msgspec

IDS = ("instance_id", "id")
TEXTS = (
    "summary", "hypothesis", "prediction", "output", "response", "completion", "generation",
    "candidate", "decoded", "generated_text", "model_output", "system_output", "text",
)  # fmt: skip
GOLDS = (("references", "reference"), ("gold",), ("target",), ("ground_truth",))
SYSTEMS = (
    "summarizer_id", "system_id", "system", "system_name", "model_id", "model", "model_name",
    "provider",
)  # fmt: skip
"""Fields that name the system of an output; the first one that a file has is used."""
INPUTS = (
    "source", "src", "input", "question", "prompt", "document", "article", "passage", "context",
    "sentence",
)  # fmt: skip
"""Fields that may hold what an output was made from."""
REFERENCES = tuple(name for group in GOLDS for name in group)
MISSING: Any = object()


def value_at(record: Any, path: str) -> Any:
    """The value at a name or a dotted path; MISSING where there is none.

    >>> value_at({"choices": [{"text": "a dog"}]}, "choices.0.text")
    'a dog'
    """
    if isinstance(record, Mapping) and path in record:
        return record[path]
    for part in path.split("."):
        if isinstance(record, Mapping) and part in record:
            record = record[part]
        elif isinstance(record, list) and part.isdecimal() and int(part[:9]) < len(record):
            record = record[int(part[:9])]
        else:
            return MISSING
    return record


def other_delimiter(header: Sequence[str]) -> str:
    """What separates the names of a table whose header is one cell, by the look of it.

    >>> other_delimiter(["id;hypothesis;reference"]), other_delimiter(["id", "a;b"])
    (';', '')
    """
    if len(header) != 1:
        return ""
    return next((each for each in ";|" if len(header[0].split(each)) > 1), "")


@cache
def csv_module() -> Any:
    """An instance of the native csv module, in which cells may be as long as lines.

    The standard limit is 131,072 characters, which documents exceed. It can only be changed for a
    whole module, and the usual one belongs to the user's program.
    """
    from importlib.util import find_spec, module_from_spec

    spec = cast(Any, find_spec("_csv"))
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    made.field_size_limit((1 << 31) - 1)
    return made


def csv_rows(lines: Iterable[str], **how: Any) -> Any:
    """The rows of a table, as `csv.reader` gives them; errors are `csv_module().Error`.

    >>> list(csv_rows(["a,b", '"1', '2",3']))
    [['a', 'b'], ['1\\n2', '3']]
    """
    return csv_module().reader((f"{line}\n" for line in lines), **how)


def json_text(value: float) -> str:
    """A number or a truth value as JSON writes it.

    >>> json_text(3), json_text(0.5), json_text(True)
    ('3', '0.5', 'true')
    """
    return msgspec.json.encode(value).decode()


def cell_text(value: Any) -> str | None:
    """A cell as text, as a file would hold it: numbers, dates, ranges; None for other values.

    >>> from datetime import date
    >>> cell_text(date(2026, 1, 31)), cell_text(True), cell_text([1])
    ('2026-01-31', 'true', None)
    """
    if (
        type(value).__module__.partition(".")[0] == "pandas"
    ):  # its times are Python's; its ranges and periods are not
        times = next((n for n in ("to_pydatetime", "to_pytimedelta") if hasattr(value, n)), None)
        value = getattr(value, times)() if times else str(value)
    if isinstance(value, (str, bytes)):
        return value if isinstance(value, str) else None
    if isinstance(value, float) and not math.isfinite(value):
        return "" if math.isnan(value) else str(value)
    try:
        found = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return None
    return None if found[0] in "[{" else found.strip('"')


def listed(names: Iterable[str]) -> str:
    """Names of fields for a message, not too many."""
    shown = [repr(name) for name in names]
    return ", ".join([*shown[:12], "..."][: len(shown) if len(shown) <= 12 else 13])
