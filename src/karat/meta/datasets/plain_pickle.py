"""Reads pickles of plain data without running anything that is in them.

Python's own reader imports and calls whatever a pickle names, so a pickle from elsewhere is
a program. Here its instructions are looked at first, and it may name only what `_CALLS` holds:
containers, bytes, and numpy's numbers, which are made from their bytes.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import struct
from collections.abc import Callable
from itertools import islice
from typing import Any

from karat.errors import FormatError, LimitExceeded, Place

_MOST_STEPS = 10_000_000
_DEEPEST = 100


class _Refused(Exception):
    """The pickle holds something that is no plain data."""


def loads(data: bytes, name: str = "") -> Any:
    """The plain data in a pickle; anything else is a FormatError."""
    place = Place(name)
    try:
        _check_instructions(data)
        value = _Unpickler(io.BytesIO(data), encoding="latin-1").load()
        _check_size(value)
        return value
    except _Refused as refused:
        raise FormatError(
            f"the pickle holds {refused}, which is not read: only plain data is safe",
            code="K159",
            place=place,
            advice="convert the file to JSON with a program that you trust",
        ) from None
    except (
        pickle.UnpicklingError, EOFError, ArithmeticError, AttributeError, LookupError, TypeError,
        ValueError, struct.error,
    ) as error:  # fmt: skip
        reason = str(error).strip().partition("\n")[0][:200]
        raise FormatError(
            f"this is not a pickle, or it is damaged: {reason}", code="K159", place=place
        ) from None


class _Unpickler(pickle.Unpickler):
    """Finds nothing but the calls of plain data."""

    def find_class(self, module: str, name: str) -> Any:
        call = _CALLS.get(f"{module}.{name}".replace("__builtin__.", "builtins.", 1))
        if call is None:
            raise _Refused(f"the name {module}.{name}")
        return _Call(call)

    def persistent_load(self, pid: Any) -> Any:
        raise _Refused("a reference to something outside")


class _Call:
    """What a pickle may call; it cannot be given a state, which would change what it does."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[tuple[Any, ...]], Any]) -> None:
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        return self._function(arguments)

    def __setstate__(self, state: Any) -> None:
        raise _Refused("an object with a state")


class _Dtype:
    """A numpy type, as far as numbers need it."""

    __slots__ = ("code", "order")

    def __init__(self, code: str) -> None:
        self.code = code
        self.order = "<"

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) < 2:
            raise _Refused("an object with a state")
        self.order = str(state[1])


_FORMATS = {
    "f8": "d", "f4": "f", "i8": "q", "i4": "i", "i2": "h", "i1": "b",
    "u8": "Q", "u4": "I", "u2": "H", "u1": "B", "b1": "?",
}  # fmt: skip


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
    items = arguments[0] if arguments else []
    if not isinstance(items, list) or not all(isinstance(i, list) and len(i) == 2 for i in items):
        raise _Refused("a mapping of something else")
    if any(isinstance(key, tuple) for key, _ in items):
        raise _Refused("a tuple as a key")
    return dict(items)


def _latin(arguments: tuple[Any, ...]) -> bytes:
    text, encoding = (*arguments, None)[:2]
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise _Refused("an encoded string")
    return text.encode("latin-1")


def _empty(kind: type[Any]) -> Callable[[tuple[Any, ...]], Any]:
    def make(arguments: tuple[Any, ...]) -> Any:
        if arguments:
            raise _Refused(f"{kind.__name__} made from something else")
        return kind()

    return make


_CALLS: dict[str, Callable[[tuple[Any, ...]], Any]] = {
    "collections.OrderedDict": _pairs,
    "collections.defaultdict": lambda _: {},
    "builtins.list": _empty(list),
    "builtins.dict": _empty(dict),
    "builtins.bytes": _empty(bytes),
    "_codecs.encode": _latin,
    "numpy.dtype": _dtype,
    "numpy.core.multiarray.scalar": _scalar,
    "numpy._core.multiarray.scalar": _scalar,
}
_PUTS = {"PUT", "BINPUT", "LONG_BINPUT"}
_GETS = {"GET", "BINGET", "LONG_BINGET"}
_TUPLES = {"EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"}
_INSTRUCTIONS = _PUTS | _GETS | _TUPLES | {
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT",
    "STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE",
    "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "NONE", "NEWTRUE", "NEWFALSE",
    "EMPTY_LIST", "LIST", "APPEND", "APPENDS", "EMPTY_DICT", "DICT", "SETITEM", "SETITEMS",
    "MARK", "POP", "POP_MARK", "MEMOIZE", "GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD",
    "PROTO", "FRAME", "STOP",
}  # fmt: skip


def _check_instructions(data: bytes) -> None:
    """Refuses what Python's reader would take a lot of memory, time or stack for.

    Reading all arguments shows that none claims to be longer than the file. Of what is on the
    stack it is known whether it is a tuple: no key may be one, since its hash may take for ever.
    """
    stack: list[bool] = []
    marks: list[int] = []
    memo: dict[int, bool] = {}
    argument: Any
    for step, (instruction, argument, position) in enumerate(pickletools.genops(data)):
        name = instruction.name
        if step > _MOST_STEPS:
            raise LimitExceeded(f"the pickle has more than {_MOST_STEPS:,} steps", code="K511")
        if name not in _INSTRUCTIONS:
            raise _Refused(f"the instruction {name}")
        if name in _PUTS or name == "MEMOIZE":
            place = len(memo) if argument is None else argument
            if place > step:
                raise _Refused(f"the memo {place}, after {step} steps")
            memo[place] = stack[-1]
        elif name in _GETS:
            stack.append(memo[argument])
        elif name == "FRAME" and argument > len(data) - (position or 0):
            raise ValueError("a frame is longer than the file")
        elif name == "MARK":
            marks.append(len(stack))
        elif name == "POP" and marks and marks[-1] == len(stack):
            marks.pop()
        else:
            taken = _taken(stack, marks, instruction)
            keys = taken[::2] if name == "DICT" else taken[1::2]
            if name in ("DICT", "SETITEM", "SETITEMS") and any(keys):
                raise _Refused("a tuple as a key")
            if instruction.stack_after:
                stack.append(name in _TUPLES)


def _taken(stack: list[bool], marks: list[int], instruction: pickletools.OpcodeInfo) -> list[bool]:
    """Takes from the stack what an instruction takes."""
    count, start = len(instruction.stack_before), len(stack)
    if pickletools.stackslice in instruction.stack_before:
        if not marks:
            raise ValueError("a mark is missing")
        count, start = count - 2, marks.pop()  # the mark and what is above it count for two
    start -= count
    if start < (marks[-1] if marks else 0):
        raise ValueError("the stack is too short")
    taken = stack[start:]
    del stack[start:]
    return taken


def _check_size(value: Any) -> None:
    """Refuses data that is nested deeply, contains itself, or repeats its parts without end."""
    left = _MOST_STEPS
    layer = [value]
    for _ in range(_DEEPEST):
        inner = (
            inner
            for each in layer
            if isinstance(each, (list, tuple, dict))
            for inner in (each.values() if isinstance(each, dict) else each)
        )
        layer = list(islice(inner, left + 1))
        left -= len(layer)
        if not layer:
            return
        if left < 0:
            raise LimitExceeded(f"the pickle has more than {_MOST_STEPS:,} values", code="K511")
    raise _Refused(f"containers in one another, more than {_DEEPEST} deep")
