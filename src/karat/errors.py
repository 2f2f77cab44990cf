"""Errors, one class for each thing that a user can do about them.

Every error has a stable code (``K103``), keeps its facts as attributes, and has
a first line that is complete on its own. The codes are explained in
``docs/errors.md``.

Messages name options between double backquotes, as Python writes them:
``pair='position'``. The command line shows these as flags: ``karat.cli.common.flags``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Place(NamedTuple):
    """A place in the input; lines and columns count from 1, 0 is unknown."""

    file: str = ""
    line: int = 0
    column: int = 0
    item: str = ""

    def __str__(self) -> str:
        parts = [self.file or "input"]
        if self.line:
            parts.append(str(self.line))
            if self.column:
                parts.append(str(self.column))
        return ":".join(parts)


class KaratError(Exception):
    """Base class of all errors that a user can fix."""

    code = "K000"
    exit_code = 1
    side = ""
    """Whose file to look into first: system or gold. The name of the file is added later."""

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        place: Place | None = None,
        excerpt: str = "",
        advice: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.place = place
        self.excerpt = excerpt
        self.advice = advice

    @property
    def headline(self) -> str:
        """The error in one line."""
        name = f"{type(self).__name__} {self.code}: "
        if self.place is None:
            return name + self.message
        where = f"{self.place}: " if self.place.file or self.place.line else ""
        item = f"item {self.place.item!r}: " if self.place.item else ""
        return f"{where}{name}{item}{self.message}"

    def __str__(self) -> str:
        return "\n".join(part for part in (self.headline, self.excerpt, self.advice) if part)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (
            type(self),
            self.message,
            self.code,
            self.place,
            self.excerpt,
            self.advice,
        )


def _restore(
    kind: type[KaratError], message: str, code: str, place: Place | None, excerpt: str, advice: str
) -> KaratError:
    return kind(message, code=code, place=place, excerpt=excerpt, advice=advice)


class FormatError(KaratError):
    """The file is not what its format asks for: fix the file."""

    code = "K100"


class PairingError(KaratError):
    """Gold and system items cannot be paired: fix the ids."""

    code = "K200"

    @classmethod
    def in_file_of(cls, side: str, message: str, *, code: str, advice: str = "") -> PairingError:
        error = cls(message, code=code, advice=advice)
        error.side = side
        return error


class OptionError(KaratError, ValueError):
    """The call is wrong: fix the call."""

    code = "K300"
    exit_code = 2


class MissingExtra(KaratError):
    """An optional package or program is needed: install it."""

    code = "K400"
    exit_code = 2

    @classmethod
    def package(cls, module: str, extra: str, purpose: str) -> MissingExtra:
        return cls(
            f"{purpose} needs the Python package '{module}', which is not installed",
            code="K401",
            advice=f"install it with: pip install 'karat[{extra}]'",
        )


class LimitExceeded(KaratError):
    """A limit that protects from hostile input was reached: raise it if the input is yours."""

    code = "K500"


class VerificationError(KaratError):
    """A saved run is not what it claims to be."""

    code = "K600"


class RunError(KaratError):
    """A run cannot go on: its workers or its folder fail it. What was kept stays."""

    code = "K700"


def shell(words: str, option: str, value: str) -> str:
    """A command to type, for messages about what only the command line does.

    >>> shell("setup metric meteor", "from", "FOLDER")
    'karat setup metric meteor --from FOLDER'
    """
    return f"karat {words} --{option} {value}"


def check_choice(what: str, value: object, choices: Sequence[str]) -> None:
    """Raises unless a value is one of the choices: ``check_choice("a test", test, TESTS)``."""
    if not isinstance(value, str) or value not in choices:
        raise OptionError(f"{what} is one of {', '.join(choices)}; got {value!r}", code="K302")


def check_between(what: str, value: float, low: float = 0, high: float = 1) -> None:
    """Raises unless a number lies between two others, and is none of them."""
    if not low < value < high:
        raise OptionError(f"{what} lies between {low:g} and {high:g}, got {value}", code="K302")


def _plain(name: str) -> str:
    """A name without what is easily mistaken: case, and what joins its words."""
    return name.lower().replace("_", "").replace("-", "")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A question to put at the end of a message, or nothing.

    >>> did_you_mean("resarts", ["restarts", "seed"])
    "; did you mean 'restarts'?"
    >>> did_you_mean("EVAL", ["evaluate", "seed"]), did_you_mean("colour", ["restarts", "seed"])
    ("; did you mean 'evaluate'?", '')
    """
    from rapidfuzz import fuzz, process

    if not isinstance(name, str):  # which is no name at all
        return ""
    every = [str(each) for each in known]
    if same := [each for each in every if _plain(each) == _plain(name)]:
        return f"; did you mean {same[0]!r}?"
    near = process.extract(
        name, every, scorer=fuzz.ratio, limit=3, score_cutoff=70, processor=str.lower
    )
    found = [match for match, _, _ in near]
    if not found and len(name) > 2:
        found = [each for each in every if each.lower().startswith(name.lower())][:3]
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""


def about(file: str, warning: str) -> str:
    """A warning that names its file, once.

    >>> about("a.amr", "2 items differ"), about("a.amr", "left out: a.amr:3: no node")
    ('a.amr: 2 items differ', 'left out: a.amr:3: no node')
    """
    return warning if f"{file}:" in warning else f"{file}: {warning}"


def quote_some(names: Sequence[str], most: int = 5) -> str:
    """The first few names, quoted, and how many more there are.

    >>> quote_some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(name) for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest} more" if rest > 0 else shown


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things, for messages and reports; `many` is the plural, if not with an s.

    >>> counted(1, "item"), counted(1200, "item"), counted(2, "item is", "items are")
    ('1 item', '1,200 items', '2 items are')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def part_of(part: int, whole: int, noun: str, has: str = "has", have: str = "have") -> str:
    """Some of a number of things, with a verb for them.

    >>> part_of(1, 1, "item"), part_of(1, 3, "item"), part_of(2, 3, "row", "is", "are")
    ('1 of 1 item has', '1 of 3 items has', '2 of 3 rows are')
    """
    return f"{part:,} of {counted(whole, noun)} {has if part == 1 else have}"
