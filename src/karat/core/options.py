"""A metric's options, read from its constructor.

The constructor is the one declaration: names, types, defaults and a sentence
for each option. Checks, command-line flags, signatures and documentation are
made from it.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, Union

import msgspec

from karat.errors import OptionError, did_you_mean


class Range(msgspec.Struct, frozen=True):
    """The numbers that an option allows, both ends included: ``Annotated[int, Range(1), "…"]``."""

    low: float = float("-inf")
    high: float = float("inf")

    def __str__(self) -> str:
        if self.high == float("inf"):
            return f"at least {self.low:g}"
        if self.low == float("-inf"):
            return f"at most {self.high:g}"
        return f"from {self.low:g} to {self.high:g}"


class Option(msgspec.Struct, frozen=True):
    """One declared option of a metric."""

    name: str
    type: Any
    default: Any
    help: str = ""
    range: Range | None = None

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def choices(self) -> tuple[Any, ...]:
        """The allowed values of a Literal, None left out."""
        return tuple(
            value
            for part in _parts(self.type)
            if typing.get_origin(part) is Literal
            for value in typing.get_args(part)
        )

    @property
    def members(self) -> tuple[Any, ...]:
        """The values that a list of closed choices may hold."""
        lists = (part for part in _parts(self.type) if typing.get_origin(part) is tuple)
        inner = (typing.get_args(part)[0] for part in lists)
        return tuple(
            value
            for kind in inner
            if typing.get_origin(kind) is Literal
            for value in typing.get_args(kind)
        )

    @property
    def scalar(self) -> type:
        """The type to convert a string to: bool, int, float or str."""
        inner = [typing.get_args(p)[0] for p in _parts(self.type) if typing.get_origin(p) is tuple]
        for kind in (bool, int, float, str):
            if kind in (*_parts(self.type), *inner):
                return kind
        return str

    @property
    def is_list(self) -> bool:
        return any(typing.get_origin(part) is tuple for part in _parts(self.type))

    def expected(self) -> str:
        if self.choices:
            return "one of " + ", ".join(map(repr, self.choices))
        names = [_type_name(part) for part in _parts(self.type)]
        return " or ".join(names) + (f" {self.range}" if self.range else "")

    def accepts(self, value: Any) -> bool:
        return any(_is(value, part) for part in _parts(self.type)) and (
            self.range is None
            or not isinstance(value, (int, float))
            or self.range.low <= value <= self.range.high
        )


def _brief(value: Any) -> str:
    try:
        shown = repr(value)
    except ValueError:  # Python does not write very large numbers
        return "a very large number"
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _parts(kind: Any) -> tuple[Any, ...]:
    if typing.get_origin(kind) in (Union, types.UnionType):
        return typing.get_args(kind)
    return (kind,)


def _type_name(kind: Any) -> str:
    if kind is type(None):
        return "None"
    if typing.get_origin(kind) is tuple:
        inner = typing.get_args(kind)[0]
        if typing.get_origin(inner) is Literal:
            return "a tuple of any of " + ", ".join(map(repr, typing.get_args(inner)))
        return f"a tuple of {_type_name(inner)}"
    return str(kind) if typing.get_args(kind) else str(getattr(kind, "__name__", kind))


def _is(value: Any, kind: Any) -> bool:
    origin = typing.get_origin(kind)
    if origin is Literal:
        return any(value == one and type(value) is type(one) for one in typing.get_args(kind))
    if origin is tuple:
        inner = typing.get_args(kind)[0]
        return isinstance(value, tuple) and all(_is(each, inner) for each in value)
    if kind is float:
        # Only what can be written down again; this also keeps NaN out of all arithmetic.
        return type(value) is int or (isinstance(value, float) and math.isfinite(value))
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)


_DECLARED: dict[type, Mapping[str, Option]] = {}


def declared(cls: type) -> Mapping[str, Option]:
    """The options of a metric or format class, in the constructor's order."""
    if cls not in _DECLARED:
        _DECLARED[cls] = types.MappingProxyType(_read_constructor(cls))
    return _DECLARED[cls]


def _read_constructor(cls: type) -> dict[str, Option]:
    """The keyword arguments; ``**options`` stands for those of the next base class."""
    constructor: Any = cls.__init__  # type: ignore[misc]
    if constructor is object.__init__:
        return {}
    hints = typing.get_type_hints(constructor, include_extras=True)
    result: dict[str, Option] = {}
    for name, parameter in inspect.signature(constructor).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            bases = (base for base in cls.__mro__[1:] if base.__init__ is not constructor)  # type: ignore[misc]
            result |= _read_constructor(next(bases))
        if name == "self" or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        kind: Any = hints.get(name, Any)
        extras: list[Any] = []
        # Python 3.10 puts what defaults to None into Optional, annotations and all.
        for part in _parts(kind):
            if typing.get_origin(part) is typing.Annotated:
                kind, *extras = typing.get_args(part)
        result[name] = Option(
            name,
            kind,
            parameter.default,
            next((extra for extra in extras if isinstance(extra, str)), ""),
            next((extra for extra in extras if isinstance(extra, Range)), None),
        )
    return result


def check(metric: str, cls: type, values: Mapping[str, Any]) -> None:
    """Raises an OptionError for the first option that is unknown or has a wrong value."""
    known = declared(cls)
    for name, value in values.items():
        option = known.get(name)
        if option is None:
            raise OptionError(
                f"{metric} has no option {name!r}{did_you_mean(name, known)}",
                code="K301",
                advice=f"options of {metric}: {', '.join(known) or 'none'}",
            )
        if not option.accepts(value):
            raise OptionError(
                f"option {name!r} of {metric} must be {option.expected()}, got {_brief(value)}",
                code="K302",
            )
    for name, option in known.items():
        if option.required and name not in values:
            raise OptionError(
                f"{metric} needs the option {name!r} ({option.help})",
                code="K303",
                advice=f"on the command line: --{name.replace('_', '-')}",
            )
