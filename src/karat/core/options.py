"""Options of metrics, formats and commands: declared once, as the fields of a class.

    class Contains(Metric[str, str]):
        fold: Annotated[bool, "compare without regard to case"] = False

Names, types, defaults and a sentence for each option stand in one place. Construction and its
checks, equality, hash, pickle, `repr`, command-line flags, signatures and documentation follow.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, Union

import msgspec

from karat.core import signature
from karat.errors import OptionError, did_you_mean

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:
        """For type checkers only; Python 3.10 does not have it."""
        return lambda cls: cls


Mode = Literal["auto", "id", "position", "samples"]
"""How gold and system items are paired; `samples` allows several items of one id."""
MODES: tuple[Mode, ...] = typing.get_args(Mode)
OnError = Literal["auto", "fail", "skip", "skip-gold"]
"""What to do with items that cannot be read."""
ERROR_POLICIES: tuple[OnError, ...] = typing.get_args(OnError)


Self = TypeVar("Self", bound="Declared")


_REQUIRED = inspect.Parameter.empty


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


class File(msgspec.Struct, frozen=True):
    """Marks an option that names a file whose content can move a figure.

    Signatures hold a checksum of the content: ``Annotated[str, File(), "…"]``.
    """


class Only(msgspec.Struct, frozen=True):
    """The option that another one is a detail of: ``Annotated[int, Only("solver", "climb"), …]``.

    Without values, whatever is not its default will do.
    """

    option: str
    values: Sequence[Any] | str = ()

    def holds(self, options: Mapping[str, Any], known: Mapping[str, Option]) -> bool:
        value = options.get(self.option, known[self.option].default)
        return value in self._allowed if self.values else value != known[self.option].default

    @property
    def _allowed(self) -> Sequence[Any]:
        return (self.values,) if isinstance(self.values, str) else self.values

    def __str__(self) -> str:
        return self.option + ("=" + " or ".join(map(repr, self._allowed)) if self.values else "")


class Option(msgspec.Struct, frozen=True):
    """One declared option."""

    name: str
    type: Any
    default: Any
    help: str = ""
    range: Range | None = None
    file: bool = False
    only: Only | None = None

    @property
    def required(self) -> bool:
        return self.default is _REQUIRED

    @property
    def choices(self) -> tuple[Any, ...]:
        """The allowed values of a Literal, None left out."""
        return _literals(_parts(self.type))

    @property
    def members(self) -> tuple[Any, ...]:
        """The values that a list of closed choices may hold."""
        return _literals(self._of_lists)

    @property
    def _of_lists(self) -> list[Any]:
        """The types of the values in a list."""
        return [typing.get_args(p)[0] for p in _parts(self.type) if typing.get_origin(p) is tuple]

    @property
    def scalar(self) -> type:
        """The type to convert a string to: bool, int, float or str."""
        known = (*_parts(self.type), *self._of_lists)
        return next((kind for kind in (bool, int, float) if kind in known), str)

    @property
    def is_list(self) -> bool:
        return bool(self._of_lists)

    def expected(self) -> str:
        if self.choices:
            return "one of " + ", ".join(map(repr, self.choices))
        names = [_type_name(part) for part in _parts(self.type)]
        return " or ".join(names) + (f" {self.range}" if self.range else "")

    def accepts(self, value: Any) -> bool:
        if self.range is not None:
            for each in value if isinstance(value, tuple) else (value,):
                if isinstance(each, (int, float)) and not self.range.low <= each <= self.range.high:
                    return False
        return any(_is(value, part) for part in _parts(self.type))


def _brief(value: Any) -> str:
    try:
        shown = repr(value)
    except ValueError:  # Python does not write very large numbers
        return "a very large number"
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _literals(kinds: Iterable[Any]) -> tuple[Any, ...]:
    literals = (kind for kind in kinds if typing.get_origin(kind) is Literal)
    return tuple(value for kind in literals for value in typing.get_args(kind))


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
        return any(type(value) is type(one) and value == one for one in typing.get_args(kind))
    if origin is tuple:
        inner = typing.get_args(kind)[0]
        return isinstance(value, tuple) and all(_is(each, inner) for each in value)
    if kind is float:
        # Only what can be written down again; this also keeps NaN out of all arithmetic.
        return type(value) is int or (isinstance(value, float) and math.isfinite(value))
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, origin or kind)


def _is_utf8(value: Any) -> bool:
    """Whether texts are such as UTF-8 can hold; bytes of a command line may be none."""
    if isinstance(value, tuple):
        return all(map(_is_utf8, value))
    return not isinstance(value, str) or not any("\ud800" <= mark <= "\udfff" for mark in value)


_DECLARED: dict[type, Mapping[str, Option]] = {}


def declared(cls: type) -> Mapping[str, Option]:
    """The options of a class, its own first, then those of its base classes."""
    if cls not in _DECLARED:
        found: dict[str, Option] = {}
        for base in cls.__mro__:
            if issubclass(base, Declared) and base is not Declared:
                for option in _own_options(base):
                    found.setdefault(option.name, option)
        # A class that fixes a value (``word_order = 2``) still has the option.
        _DECLARED[cls] = types.MappingProxyType(
            {
                name: msgspec.structs.replace(option, default=getattr(cls, name, option.default))
                for name, option in found.items()
            }
        )
    return _DECLARED[cls]


def _own_options(cls: type) -> list[Option]:
    """The public fields that a class itself annotates, other than class variables."""
    texts = {
        name: kind
        for name, kind in inspect.get_annotations(cls).items()
        if not name.startswith("_") and not _is_class_variable(kind)
    }
    # Only these annotations are evaluated: others may name what type checkers alone import.
    fields = type("fields", (), {"__annotations__": texts, "__module__": cls.__module__})
    hints = typing.get_type_hints(fields, include_extras=True)
    return [_option(name, hints[name], cls.__dict__.get(name, _REQUIRED)) for name in texts]


def _is_class_variable(kind: Any) -> bool:
    if isinstance(kind, str):
        return kind.removeprefix("typing.").startswith("ClassVar")
    return kind is ClassVar or typing.get_origin(kind) is ClassVar


def _option(name: str, kind: Any, default: Any) -> Option:
    extras: list[Any] = []
    if typing.get_origin(kind) is typing.Annotated:
        kind, *extras = typing.get_args(kind)
    return Option(
        name,
        kind,
        default,
        next((extra for extra in extras if isinstance(extra, str)), ""),
        next((extra for extra in extras if isinstance(extra, Range)), None),
        any(isinstance(extra, File) for extra in extras),
        next((extra for extra in extras if isinstance(extra, Only)), None),
    )


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Declared:
    """Base class of metrics, formats and commands: options are fields; instances are values.

    Every public annotated field is an option; a field with ``ClassVar`` is none. `__post_init__`
    may refuse combinations of options, or prepare what follows from them.
    """

    name: ClassVar[str]
    """The registry key and the name on the command line."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "__init__" in cls.__dict__:
            raise TypeError(
                f"{cls.__name__} has a constructor: declare its options as fields "
                '(fold: Annotated[bool, "ignore case"] = False), '
                "and check or prepare them in __post_init__"
            )

    def __init__(self, *args: Any, **options: Any) -> None:
        if args:
            raise OptionError(
                f"the options of {self.name} have names: write {self.name}(option={args[0]!r})",
                code="K301",
            )
        check(self.spoken_name(), type(self), options)
        self.__dict__.update(options)
        self.__post_init__()

    def __post_init__(self) -> None:
        """Called when all options are set."""

    @classmethod
    def spoken_name(cls) -> str:
        """Its name in messages about options."""
        return cls.name

    def __setattr__(self, name: str, value: Any) -> None:
        if name in declared(type(self)):
            raise AttributeError(f"option {name!r} of {self.name} cannot be changed")
        super().__setattr__(name, value)

    @property
    def options(self) -> dict[str, Any]:
        """All options with their values."""
        return {name: getattr(self, name) for name in declared(type(self))}

    def changed_options(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        known = declared(type(self))
        return {k: v for k, v in self.options.items() if v != known[k].default}

    def __repr__(self) -> str:
        return signature.join(self.name, self.changed_options())

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.options == getattr(other, "options", None)

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.options.values())))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.options)


def _rebuild(cls: type[Self], options: dict[str, Any]) -> Self:
    return cls(**options)


def check(owner: str, cls: type, values: Mapping[str, Any]) -> None:
    """Raises an OptionError for the first option that is unknown or has a wrong value."""
    known = declared(cls)
    for name, value in values.items():
        option = known.get(name)
        if option is None:
            raise OptionError(
                f"{owner} has no option {name!r}{did_you_mean(name, known)}",
                code="K301",
                advice=f"options of {owner}: {', '.join(known) or 'none'}",
            )
        if not option.accepts(value):
            raise OptionError(
                f"option {name!r} of {owner} must be {option.expected()}, got {_brief(value)}",
                code="K302",
            )
        if not option.file and not _is_utf8(value):
            raise OptionError(
                f"option {name!r} of {owner} is not UTF-8 text: {_brief(value)}", code="K302"
            )
        if value != option.default and option.only and not option.only.holds(values, known):
            raise OptionError(
                f"option {name!r} of {owner} has no effect without {option.only}", code="K390"
            )
    for name, option in known.items():
        if option.required and name not in values:
            raise OptionError(
                f"{owner} needs the option {name!r} ({option.help})",
                code="K303",
                advice=f"on the command line: --{name.replace('_', '-')}",
            )
