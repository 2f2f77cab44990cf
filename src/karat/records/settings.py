"""Settings of leaves and lists by their paths: how they are compared, aligned and weighed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from karat.core.files.notations import doubled_key, read_toml
from karat.core.files.opener import Source
from karat.errors import OptionError, did_you_mean

Compare: TypeAlias = Literal["exact", "text", "fuzzy", "date", "number"]
Strings: TypeAlias = Literal["exact", "text", "fuzzy"]
Types: TypeAlias = Literal["strict", "loose"]
Lists: TypeAlias = Literal["set", "ordered", "index"]
Step: TypeAlias = str | None
"""A step of a path: a key, or None for an element of a list."""
_COMPARE = {"exact": 0, "text": 1, "fuzzy": 2, "date": 3}
_LIST = {"set": 0, "ordered": 1, "index": 2}


class Setting(msgspec.Struct, frozen=True):
    """How what is at a path is compared."""

    compare: Strings | Literal["date"] = "exact"
    threshold: Fraction = Fraction(1, 2)
    abs: str = "0"
    rel: str = "0"
    types: Types = "strict"
    formats: tuple[str, ...] = ()
    list: Lists = "set"
    key: tuple[str, ...] = ()
    weight: Fraction = Fraction(1)

    def native(self, denominator: int, dates: Sequence[tuple[str, ...]]) -> dict[str, Any]:
        """The setting as the kernel takes it."""
        return {
            "compare": _COMPARE[self.compare],
            "list": _LIST[self.list],
            "loose": self.types == "loose",
            "abs": self.abs,
            "rel": self.rel,
            "least": self.threshold.numerator,
            "of": self.threshold.denominator,
            "dates": dates.index(self.formats) if self.compare == "date" else 0,
            "weight": int(self.weight * denominator),
            "keys": [name.encode("utf-8", "surrogatepass") for name in self.key],
        }


class Pattern(msgspec.Struct, frozen=True):
    """A path in which ``*`` stands for any key or position, and what it sets."""

    text: str
    steps: tuple[str, ...]
    given: Mapping[str, Any]

    def fits(self, path: Sequence[Step]) -> bool:
        return len(path) == len(self.steps) and all(
            mine == "*" or mine == other for mine, other in zip(self.steps, path, strict=True)
        )

    @property
    def literal(self) -> int:
        """How many of its steps are no ``*``."""
        return sum(step != "*" for step in self.steps)


def split_pointer(text: str) -> tuple[str, ...]:
    """The steps of a JSON pointer.

    >>> split_pointer("/items/*/a~1b")
    ('items', '*', 'a/b')
    """
    if text and not text.startswith("/"):
        raise OptionError(
            f"{text!r} is not a path: it must be empty or begin with '/'",
            code="K375",
            advice="write paths as JSON pointers, such as /items/*/price",
        )
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])


def pointer(path: Iterable[Step]) -> str:
    """A path as a JSON pointer, with ``*`` for elements of lists.

    >>> pointer(["items", None, "a/b"])
    '/items/*/a~1b'
    """
    steps = ("*" if step is None else step.replace("~", "~0").replace("/", "~1") for step in path)
    return "".join("/" + step for step in steps)


def canonical(paths: str | Mapping[str, Any]) -> str:
    """Settings by path as canonical text, from a mapping, from JSON or from a JSON or TOML file.

    >>> canonical({"/total": {"weight": 3}})
    '{"/total":{"weight":3}}'
    """
    if isinstance(paths, str):
        paths = _loaded(paths)
    if not isinstance(paths, Mapping):
        raise OptionError("``paths`` must map patterns to their settings", code="K375")
    if not paths:
        return ""
    for text, given in paths.items():
        split_pointer(text)
        if not isinstance(given, Mapping):
            raise OptionError(f"the settings of {text!r} must be a table", code="K375")
        for name in given:
            if name not in _CHECKED:
                raise OptionError(
                    f"there is no setting {name!r} (of {text!r}){did_you_mean(name, _CHECKED)}",
                    code="K375",
                    advice="settings: " + ", ".join(_CHECKED),
                )
    return json.dumps(
        {text: dict(given) for text, given in paths.items()},
        separators=(",", ":"),
        ensure_ascii=False,
        default=str,
    )


def _loaded(text: str) -> Any:
    if not text.strip():
        return {}
    in_file = not text.lstrip().startswith("{")
    source = Source(text).text() if in_file else text
    if not text.endswith(".toml") and (name := doubled_key(source)):
        raise OptionError(f"``paths`` has the key {name!r} twice in one object", code="K375")
    try:
        return (
            read_toml(source.encode()) if in_file and text.endswith(".toml") else json.loads(source)
        )
    except (ValueError, RecursionError) as error:
        raise OptionError(
            f"``paths`` is neither JSON nor the name of a JSON or TOML file: {error}", code="K375"
        ) from None


class Settings:
    """The settings of all paths, by default and by pattern."""

    def __init__(
        self, default: Setting, patterns: Sequence[Pattern], underlying: Sequence[Pattern] = ()
    ) -> None:
        self.default = default
        self.patterns = _by_rank(patterns)
        self.underlying = _by_rank(underlying)
        self._known: dict[tuple[Step, ...], Setting] = {}
        self.all = [default, *(self._made(each.given) for each in (*patterns, *underlying))]
        """All settings that a path may have, except weights from above."""
        self.longest = max((len(each.steps) for each in (*patterns, *underlying)), default=-1)
        """The steps of the longest pattern; -1 where there is none."""
        self.denominator = lcm(*(each.weight.denominator for each in self.all))

    @classmethod
    def of(
        cls, default: Setting, paths: str, underlying: Mapping[str, Any] | None = None
    ) -> Settings:
        """The settings that the canonical text and a schema give."""
        given = json.loads(paths) if paths else {}
        return cls(default, _patterns(given), _patterns(underlying or {}))

    def at(self, path: Sequence[Step]) -> Setting:
        """The setting of a path."""
        if not self.patterns and not self.underlying:
            return self.default
        key = tuple(path)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._resolved(key)
        return found

    def below(self, above: Setting) -> Setting:
        """The setting of a path that no pattern reaches, from that of the path above it."""
        return msgspec.structs.replace(self.default, weight=above.weight)

    def fitting(self, path: Sequence[Step]) -> list[int]:
        """Which of the patterns fit a path or what is above it."""
        return [
            i
            for i, pattern in enumerate(self.patterns)
            if any(pattern.fits(path[:size]) for size in range(len(path) + 1))
        ]

    def dates(self, used: Iterable[Setting]) -> list[tuple[str, ...]]:
        """The lists of date formats of some settings."""
        return list(dict.fromkeys(each.formats for each in used if each.compare == "date"))

    def _resolved(self, path: tuple[Step, ...]) -> Setting:
        given: dict[str, Any] = {}
        for patterns in (self.underlying, self.patterns):
            winner = next((each for each in patterns if each.fits(path)), None)
            if winner is not None:
                given |= winner.given
        setting = self._made(given)
        if "weight" not in given and path:
            # What is above a path may have been given a weight for all that is below.
            above = self.at(path[:-1]).weight
            setting = msgspec.structs.replace(setting, weight=above)
        return setting

    def _made(self, given: Mapping[str, Any]) -> Setting:
        changes = {name: _CHECKED[name](name, value) for name, value in given.items()}
        if changes.get("compare") == "number":  # which numbers are compared by in any case
            del changes["compare"]
        return msgspec.structs.replace(self.default, **changes)


def _patterns(given: Mapping[str, Any]) -> list[Pattern]:
    return [Pattern(text, split_pointer(text), settings) for text, settings in given.items()]


def _by_rank(patterns: Sequence[Pattern]) -> list[Pattern]:
    return sorted(patterns, key=lambda each: -each.literal)


def _one_of(choices: Any, name: str, value: Any) -> Any:
    allowed = get_args(choices)
    if value not in allowed:
        raise OptionError(
            f"the setting {name!r} must be one of {', '.join(allowed)}, got {value!r}", code="K375"
        )
    return value


def _number(name: str, value: Any) -> Decimal:
    try:
        if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
            raise InvalidOperation
        number = Decimal(str(value))
        if not number.is_finite() or number < 0 or abs(number.adjusted()) > 1000:
            raise InvalidOperation
    except InvalidOperation:
        raise OptionError(
            f"{name!r} must be a number of at least 0, such as '0.01', got {value!r}", code="K375"
        ) from None
    return number


def amount(name: str, value: Any) -> str:
    """A tolerance as decimal text.

    >>> amount("abs", 0.005), amount("rel", "5E-2")
    ('0.005', '0.05')
    """
    return f"{_number(name, value):f}"


def share(value: Any) -> Fraction:
    """A threshold as a fraction of whole numbers."""
    found = Fraction(_number("threshold", value)).limit_denominator(10**9)
    if found > 1:
        raise OptionError(f"'threshold' must be from 0 to 1, got {value!r}", code="K375")
    return found


def _weight(name: str, value: Any) -> Fraction:
    found = Fraction(_number(name, value))
    if found.denominator > 10**6 or found > 10**6:
        raise OptionError(
            f"'weight' must be at most 1,000,000, with at most six decimals, got {value!r}",
            code="K375",
        )
    return found


def _names(name: str, value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(each, str) for each in names):
        raise OptionError(
            f"the setting {name!r} must be a list of strings, got {value!r}", code="K375"
        )
    return tuple(names)


_CHECKED: dict[str, Callable[[str, Any], Any]] = {
    "compare": partial(_one_of, Compare),
    "threshold": lambda _, value: share(value),
    "abs": amount,
    "rel": amount,
    "types": partial(_one_of, Types),
    "formats": _names,
    "list": partial(_one_of, Lists),
    "key": _names,
    "weight": _weight,
}
"""All settings, and what makes one of a value."""
