"""Reads pickles of plain data without running anything that is in them.

Python's own reader imports and calls whatever a pickle names, so a pickle from
elsewhere is a program. This one knows containers, strings and numbers, and
numpy's numbers by their bytes; every other name is an error.
"""

from __future__ import annotations

import pickletools
import struct
from collections.abc import Callable
from typing import Any

from karat.errors import FormatError, LimitExceeded, Place

_MOST_STEPS = 50_000_000
_MARK = object()


class _Name:
    """Something that a pickle wants to be imported."""

    def __init__(self, module: str, name: str) -> None:
        self.full = f"{module}.{name}"
        if self.full not in _CALLS:
            raise _Refused(f"the name {self.full}")


class _Dtype:
    """A numpy type, as far as numbers need it."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.order = "<"


_FORMATS = {
    "f8": "d", "f4": "f", "i8": "q", "i4": "i", "i2": "h", "i1": "b",
    "u8": "Q", "u4": "I", "u2": "H", "u1": "B", "b1": "?",
}  # fmt: skip


class _Refused(Exception):
    """The pickle holds something that is no plain data."""


def _dtype(arguments: tuple[Any, ...]) -> _Dtype:
    if not arguments or not isinstance(arguments[0], str):
        raise _Refused("a numpy type without a name")
    return _Dtype(arguments[0].lstrip("<>|="))


def _scalar(arguments: tuple[Any, ...]) -> Any:
    if len(arguments) != 2 or not isinstance(arguments[0], _Dtype):
        raise _Refused("a numpy number without a type")
    dtype, data = arguments
    if isinstance(data, str):  # bytes, as protocol 2 writes them
        data = data.encode("latin-1")
    letter = _FORMATS.get(dtype.code)
    if letter is None or not isinstance(data, bytes) or len(data) != struct.calcsize(letter):
        raise _Refused(f"a numpy value of the type {dtype.code!r}")
    return struct.unpack(("<" if dtype.order in "<|=" else ">") + letter, data)[0]


def _pairs(arguments: tuple[Any, ...]) -> dict[Any, Any]:
    if not arguments:
        return {}
    items = arguments[0]
    if isinstance(items, dict):
        return dict(items)
    if isinstance(items, list) and all(isinstance(i, (list, tuple)) and len(i) == 2 for i in items):
        return dict(items)
    raise _Refused("a mapping of something else")


def _items(arguments: tuple[Any, ...]) -> list[Any]:
    if not arguments:
        return []
    if len(arguments) != 1 or not isinstance(arguments[0], (list, tuple)):
        raise _Refused("a list of something else")
    return list(arguments[0])


def _latin(arguments: tuple[Any, ...]) -> bytes:
    text, encoding = (*arguments, None)[:2]
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise _Refused("an encoded string")
    return text.encode("latin-1")


def _no_bytes(arguments: tuple[Any, ...]) -> bytes:
    if arguments:
        raise _Refused("bytes made from something else")
    return b""


_CALLS: dict[str, Callable[[tuple[Any, ...]], Any]] = {
    "collections.OrderedDict": _pairs,
    "collections.defaultdict": lambda _: {},
    "builtins.set": _items,
    "__builtin__.set": _items,
    "builtins.list": _items,
    "__builtin__.list": _items,
    "builtins.dict": _pairs,
    "__builtin__.dict": _pairs,
    "builtins.bytes": _no_bytes,
    "__builtin__.bytes": _no_bytes,
    "_codecs.encode": _latin,
    "numpy.dtype": _dtype,
    "numpy.core.multiarray.scalar": _scalar,
    "numpy._core.multiarray.scalar": _scalar,
}


def loads(data: bytes, name: str = "") -> Any:
    """The plain data in a pickle; anything else is a FormatError."""
    place = Place(name)
    try:
        return _Machine().run(data)
    except _Refused as refused:
        raise FormatError(
            f"the pickle holds {refused}, which is not read: only plain data is safe",
            code="K159",
            place=place,
            advice="convert the file to JSON with a program that you trust",
        ) from None
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise FormatError(
            f"this is no pickle, or a damaged one: {error}", code="K159", place=place
        ) from None


class _Machine:
    """The stack machine that a pickle is a program for, without its dangerous half."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def run(self, data: bytes) -> Any:
        for step, (opcode, argument, _) in enumerate(pickletools.genops(data)):
            if step > _MOST_STEPS:
                raise LimitExceeded(f"the pickle has more than {_MOST_STEPS:,} steps", code="K511")
            if opcode.name == "STOP":
                return self.stack.pop()
            self.step(opcode.name, argument)
        raise ValueError("it has no end")

    def step(self, name: str, argument: Any) -> None:
        if name in _LITERALS:
            self.stack.append(_LITERALS[name](argument))
        elif name in _VALUES:
            self.stack.append(argument)
        elif name in ("PUT", "BINPUT", "LONG_BINPUT"):
            self.memo[argument] = self.stack[-1]
        elif name == "MEMOIZE":
            self.memo[len(self.memo)] = self.stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            self.stack.append(self.memo[argument])
        elif name in _STEPS:
            _STEPS[name](self, argument)
        elif name not in ("PROTO", "FRAME"):
            raise _Refused(f"the instruction {name}")

    def marked(self) -> list[Any]:
        """What was put on the stack since the last mark."""
        for i in range(len(self.stack) - 1, -1, -1):
            if self.stack[i] is _MARK:
                items = self.stack[i + 1 :]
                del self.stack[i:]
                return items
        raise ValueError("a mark is missing")

    def drop(self, value: Any) -> None:
        """Nothing: the value is not wanted any more."""

    def extend(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, list):
            raise _Refused("a container of its own")
        target.extend(items)

    def fill(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, dict):
            raise _Refused("a container of its own")
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[key] = value

    def tuple_of(self, count: int) -> None:
        items = self.stack[len(self.stack) - count :] if count else []
        if len(items) != count:
            raise ValueError("the stack is too short")
        del self.stack[len(self.stack) - count :]
        self.stack.append(tuple(items))

    def call(self) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        if not isinstance(function, _Name):
            raise _Refused("a call of something that is no name")
        if not isinstance(arguments, tuple):
            raise ValueError("a call without arguments")
        self.stack.append(_CALLS[function.full](arguments))

    def build(self) -> None:
        state, target = self.stack.pop(), self.stack[-1]
        if not isinstance(target, _Dtype) or not isinstance(state, tuple) or len(state) < 2:
            raise _Refused("an object with a state")
        target.order = str(state[1])

    def name_from_stack(self) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.stack.append(_Name(str(module), str(name)))


_VALUES = {
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT",
    "STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE",
    "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8",
}  # fmt: skip
_LITERALS: dict[str, Callable[[Any], Any]] = {
    "NONE": lambda _: None,
    "NEWTRUE": lambda _: True,
    "NEWFALSE": lambda _: False,
    "EMPTY_LIST": lambda _: [],
    "EMPTY_DICT": lambda _: {},
    "EMPTY_TUPLE": lambda _: (),
    "EMPTY_SET": lambda _: [],
    "MARK": lambda _: _MARK,
    "GLOBAL": lambda words: _Name(*str(words).split(" ", 1)),
}
_STEPS: dict[str, Callable[[_Machine, Any], None]] = {
    "APPEND": lambda m, _: m.extend([m.stack.pop()]),
    "APPENDS": lambda m, _: m.extend(m.marked()),
    "ADDITEMS": lambda m, _: m.extend(m.marked()),
    "SETITEM": lambda m, _: m.fill([m.stack.pop(-2), m.stack.pop()]),
    "SETITEMS": lambda m, _: m.fill(m.marked()),
    "LIST": lambda m, _: m.stack.append(m.marked()),
    "TUPLE": lambda m, _: m.stack.append(tuple(m.marked())),
    "DICT": lambda m, _: m.stack.append(_dict(m.marked())),
    "TUPLE1": lambda m, _: m.tuple_of(1),
    "TUPLE2": lambda m, _: m.tuple_of(2),
    "TUPLE3": lambda m, _: m.tuple_of(3),
    "POP": lambda m, _: m.drop(m.stack.pop()),
    "POP_MARK": lambda m, _: m.drop(m.marked()),
    "DUP": lambda m, _: m.stack.append(m.stack[-1]),
    "REDUCE": lambda m, _: m.call(),
    "BUILD": lambda m, _: m.build(),
    "STACK_GLOBAL": lambda m, _: m.name_from_stack(),
}


def _dict(items: list[Any]) -> dict[Any, Any]:
    return dict(zip(items[::2], items[1::2], strict=True))
