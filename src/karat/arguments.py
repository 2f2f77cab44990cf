"""Refuses arguments of the wrong type where users call the package, by the annotations there."""

from __future__ import annotations

import builtins
import inspect
import os
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import IO, Any, Literal, TypeVar, Union

import numpy as np

from karat.errors import OptionError

_Call = TypeVar("_Call", bound=Callable[..., Any])
_NAMES = {NoneType: "None", os.PathLike: "a path", IO: "a file"}
_NUMBERS = {int: Integral, float: Real}
_NAMED = ("metric", "judge")
"""What `parse` checks, in its own words, where it may be a name."""
_COMPARED = "other"
"""What comparisons check, in their own words."""


def checks_arguments(call: _Call) -> _Call:
    """A function that refuses arguments of other types than its annotations name.

    Numbers of numpy are numbers, and what has a length and can be iterated is a sequence, unless
    it is a text or a mapping. Types that only type checkers import are not checked.

    >>> @checks_arguments
    ... def repeat(text: str, times: int = 2) -> str:
    ...     return text * times
    >>> repeat("a"), repeat("a", np.int64(3))
    ('aa', 'aaa')
    >>> repeat("a", times="3")
    Traceback (most recent call last):
    karat.errors.OptionError: OptionError K302: ``times`` must be int, got '3'
    """

    @wraps(call)
    def checked(*args: Any, **options: Any) -> Any:
        signature, kinds = _declared(call)
        try:
            given = signature.bind(*args, **options).arguments
        except TypeError:  # which Python says of the call itself, and better
            return call(*args, **options)
        for name, value in given.items():
            kind = kinds.get(name, Any)
            if not _fits(value, kind):
                raise OptionError(
                    f"``{name}`` must be {_said(kind)}, got {shown(value)}", code="K302"
                )
        return call(*args, **options)

    return typing.cast(_Call, checked)


@cache
def _declared(call: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Any]]:
    """The signature of a function, and the types of its parameters."""
    signature = inspect.signature(call)
    kinds = typing.get_type_hints(call, localns=_Names(call.__globals__))
    return signature, {
        name: kinds[name]
        for name, each in signature.parameters.items()
        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        and name in kinds
        and not (name in _NAMED and str in typing.get_args(kinds[name]))
        and name != _COMPARED
    }


class _Anything:
    """A type that is imported for type checkers alone."""

    def __class_getitem__(cls, _: Any) -> Any:
        return cls


class _Names(dict[str, Any]):
    """The names of a module, and `_Anything` for those that it lacks."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, _Anything)


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type; what is not known to be wrong is right."""
    if kind in (Any, object, _Anything):
        return True
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, UnionType):
        return any(_fits(value, each) for each in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin in (Sequence, Collection, Iterable):
        return _is_list(value, origin) and (
            not _is_plain(inner[0])  # many items, which are looked at elsewhere
            or not hasattr(value, "__len__")  # it can be read once
            or all(_fits(each, inner[0]) for each in value)
        )
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(each, inner[0]) for each in value)
    if origin is Callable:
        return callable(value)
    if kind is None:
        return value is None
    if kind is bool:
        return isinstance(value, (bool, np.bool_))
    if origin is IO:
        return hasattr(value, "write") or hasattr(value, "read")
    base = _NUMBERS.get(kind, origin or kind)
    if base in _NUMBERS.values():
        return isinstance(value, base) and not isinstance(value, bool)
    checkable = isinstance(base, type) and not getattr(base, "_is_protocol", False)
    return not checkable or isinstance(value, base)


def _is_plain(kind: Any) -> bool:
    """Whether a type is one of options: numbers, texts, paths."""
    if typing.get_origin(kind) in (Union, UnionType):
        return all(map(_is_plain, typing.get_args(kind)))
    return kind in (bool, int, float, str) or typing.get_origin(kind) in (Literal, os.PathLike)


def _is_list(value: Any, origin: Any) -> bool:
    """Whether a value may be a sequence, a collection or an iterable."""
    if not hasattr(value, "__iter__") or isinstance(value, (str, bytes)):
        return False
    if origin is Collection:
        return hasattr(value, "__len__")
    if isinstance(value, Mapping):
        return False
    return origin is Iterable or (
        hasattr(value, "__len__") and not isinstance(value, (set, frozenset))
    )


def _said(kind: Any) -> str:
    """A type in the words of a message."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_said, inner)))
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin in (Sequence, Collection, Iterable):
        return "a list" + ("" if inner[0] in (Any, object) else f" of {_said(inner[0])}")
    if origin is Mapping:
        return "a mapping"
    if origin is Callable:
        return "a function"
    base = origin or kind
    return _NAMES.get(base) or str(getattr(base, "__name__", base))


def shown(value: Any) -> str:
    """A value in a message: as it is written where that is short, else its type.

    >>> shown("x"), shown(None), shown([1, 2]), shown(int), shown(np.zeros(3))
    ("'x'", 'None', 'a list', 'the class int', 'a numpy.ndarray')
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        try:
            text = repr(value)
        except ValueError:  # Python does not write very large numbers
            return "a very large number"
        return text if len(text) <= 80 else text[:77] + "..."
    if isinstance(value, type):
        return f"the class {value.__name__}"
    kind = type(value)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
