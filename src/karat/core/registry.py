"""Metrics and formats by name: built-in rows and plug-ins, loaded when used."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence, Set
from typing import Any

from karat.arguments import shown
from karat.core import catalog, signature
from karat.core.catalog import Row
from karat.core.files.opener import Source, plain_name
from karat.core.format import Format
from karat.core.metric import Metric
from karat.core.options import declared
from karat.core.plugins import (
    FORMATS,
    METRICS,
    NOUN,
    all_rows,
    clashes,
    find_row,
    load,
    own_rows,
    rows,
)
from karat.errors import FormatError, KaratError, OptionError, Place, did_you_mean

plugins_in_use: set[str] = set()
"""The packages of plug-ins that were loaded, which may be at fault where something breaks."""


def _readable(kind: str) -> Iterator[Row]:
    """The formats that files of a kind may have; a plug-in tells its kind when it is loaded."""
    return (row for row in all_rows(FORMATS) if row.reads and row.kind in (kind, "plug-in"))


def named_class(group: str, name: str, base: type) -> Any:
    """The class of this name in a group, which has to derive from `base`."""
    if not isinstance(name, str):
        raise OptionError(f"the name of a {NOUN[group]} is text, got {shown(name)}", code="K304")
    row = find_row(group, name)
    if row is None and (clash := clashes(group).get(name)):
        raise clash
    if row is None:
        noun = NOUN[group]
        write = catalog.ELSEWHERE.get(name.lower().replace("_", "-")) if group == METRICS else None
        raise OptionError(
            f"there is no {noun} {name!r}" + ("" if write else did_you_mean(name, rows(group))),
            code="K312",
            advice=write or f"karat list {noun}s shows them all",
        )
    try:
        loaded = load(row)
        if not (isinstance(loaded, type) and issubclass(loaded, base)):
            raise TypeError(f"{row.target} is not a {base.__name__}")
        if row.package != "karat":
            plugins_in_use.add(row.package)
        return loaded
    except KaratError:
        raise
    except Exception as error:
        if row.package == "karat":
            raise
        raise OptionError(
            f"the {NOUN[group]} {name!r} of {row.package} does not load: {error!r}",
            code="K313",
            advice="report this to the makers of that package; the rest of karat works",
        ) from error


def _loaded(found: Iterable[Row]) -> Iterator[type[Format]]:
    """The classes of formats; a plug-in that does not load is not in the way of the others."""
    for row in found:
        try:
            yield format_class(row.name)
        except OptionError:
            if row.package == "karat":
                raise


def _recognizes(cls: type[Format], head: str) -> bool:
    """Whether a format recognizes a file; a plug-in that fails does not."""
    try:
        return cls.recognizes(head)
    except Exception:
        if cls.__module__.partition(".")[0] == "karat":
            raise
        return False


def metric_class(name: str) -> type[Metric[Any, Any]]:
    """The class of the metric with this name."""
    return named_class(METRICS, name, Metric)  # type: ignore[no-any-return]


def format_class(name: str) -> type[Format]:
    """The class of the format with this name."""
    return named_class(FORMATS, name, Format)  # type: ignore[no-any-return]


def check_kind(cls: type[Format], kinds: Sequence[str]) -> type[Format]:
    """A format, if its items are of one of these kinds; else an error."""
    if cls.kind not in kinds:
        raise OptionError(
            f"the format {cls.name!r} holds items of the kind {cls.kind}, "
            f"expected {' or '.join(kinds)}",
            code="K319",
        )
    return cls


def can_write(name: str) -> bool:
    """Whether a format can be written: its row says so, or its class where a plug-in offers it."""
    row = find_row(FORMATS, name)
    if row is None or row.package == "karat":
        return row is not None and row.writes
    return format_class(name).write is not Format.write


def writer_class(name: str) -> type[Format]:
    """The class of a format that can be written; else an error."""
    cls = format_class(name)
    if not can_write(name):
        raise OptionError(f"karat cannot write the format {name}", code="K310")
    return cls


def writable(kind: str | None = None) -> list[Row]:
    """The formats that can be written, of a kind or of all."""
    return [row for row in own_rows(FORMATS) if row.writes and kind in (None, row.kind)]


def format_named_by(path: str, option: str, kind: str | None = None) -> str:
    """The format that the name of an output file tells; else `option` has to name it."""
    known = writable(kind)
    found = [row.name for row in known if path.lower().endswith(row.suffixes or ("\0",))]
    if len(found) == 1:
        return found[0]
    raise OptionError(
        "the output is standard output, and no name tells its format"
        if path == "-"
        else f"the format of the output {path!r} is not clear from its name",
        code="K343",
        advice=f"name it with ``{option}``: " + ", ".join(found or [row.name for row in known]),
    )


def name_within(kinds: Sequence[str], name: str) -> str:
    """The format that a name means among these kinds: `lines` of logical forms is `lf-lines`.

    A metric reads files in the same way whether their format is named or guessed: `amr` is
    `penman` for those that prefer the notation as it is written.
    """
    for row in own_rows(FORMATS):
        if row.also == name and row.kind == kinds[0]:
            return row.name
    named = find_row(FORMATS, name)
    if named is None or named.kind in (*kinds, "plug-in"):
        return name
    meant = [each.name for each in own_rows(FORMATS) if each.kind in kinds]
    return next((each for each in meant if each.endswith(f"-{name}")), name)


def guess_kind(kinds: Sequence[str], source: Source, option: str = "from") -> type[Format]:
    """The format of a file that may hold any of these kinds; a name that tells wins.

    `option` is the one that would name it, for the error where nothing tells.
    """
    base = _base_name(source)
    known = [row for row in own_rows(FORMATS) if row.reads and row.kind in kinds]
    if source.is_folder:
        for row in known:
            if (cls := format_class(row.name)).folders:
                return cls
    named = {row.kind for row in known if row.suffixes and base.endswith(row.suffixes)}
    for kind in [kind for kind in kinds if not named or kind in named]:
        try:
            cls = guess_format(kind, source)
        except (OptionError, FormatError):
            continue
        if named or cls.recognizes(_head(source)):
            return cls
    raise _unknown_format(source, option, known)


def suited(cls: type[Format], source: Source, role: str, given: Set[str]) -> type[Format]:
    """The format that a file was taken for, or the one that options ask for which it does not have.

    Options tell what a file is where its content does not: fields have names that only the user
    knows. Another format of the kind is taken only if the name of the file allows no third one.
    """

    def asked(each: type[Format]) -> Set[str]:
        return given - (each.of_systems if role == "gold" else {"gold_field"})

    if asked(cls) <= declared(cls).keys():
        return cls
    base = _base_name(source)
    classes = [
        format_class(row.name)
        for row in own_rows(FORMATS)
        if row.reads and row.kind == cls.kind and row.suffixes and base.endswith(row.suffixes)
    ]
    fit = [each for each in classes if asked(each) and asked(each) <= declared(each).keys()]
    return fit[0] if len(fit) == 1 else cls


def with_option(kinds: Container[str], name: str) -> list[str]:
    """The formats of these kinds that have an option of reading."""
    return [
        row.name
        for row in own_rows(FORMATS)
        if row.reads and row.kind in kinds and name in declared(format_class(row.name))
    ]


def _unknown_format(source: Source, option: str, known: Sequence[Row]) -> KaratError:
    """The error for a file whose format cannot be told; it may be no text at all."""
    head = source.head()
    if not head:
        return FormatError("the file is empty", code="K106", place=Place(source.name))
    if b"\0" in head and not source.hides_its_beginning:
        return FormatError("this is not UTF-8 text", code="K102", place=Place(source.name))
    return OptionError(
        f"{source.name}: the format cannot be guessed",
        code="K314",
        advice=f"name it with ``{option}``: " + ", ".join(row.name for row in known),
    )


_BEGINNING, _LONG_LINE = 4096, 4 << 20


def _head(source: Source) -> str:
    """How a file begins: at least its first line, unless that is very long."""
    head = source.head(_BEGINNING)
    if len(head) >= _BEGINNING and b"\n" not in head and not source.is_pipe:
        head = source.head(_LONG_LINE)
    return head.decode("utf-8", "replace").removeprefix("\ufeff")


def _base_name(source: Source) -> str:
    """The name of a file in lower case, without what tells its compression."""
    return plain_name(source.path).lower()


def parse(text: str | Metric[Any, Any]) -> Metric[Any, Any]:
    """The metric that a string means: a name, a repr or a signature.

    A metric is returned as it is.

    >>> parse("exact(ignore_case=True)")
    exact(ignore_case=True)
    """
    if isinstance(text, Metric):
        return text
    if not isinstance(text, str):
        raise _no_metric(text)
    name, options = signature.split(text)
    return metric_class(name)(**options)


def _no_metric(value: object) -> OptionError:
    advice = ""
    if isinstance(value, type) and issubclass(value, Metric):
        advice = f"this is its class: call it, {value.__name__}()"
    message = f"a metric is a name or a Metric, got {shown(value)}"
    return OptionError(message, code="K304", advice=advice)


def guess_format(kind: str, source: Source, option: str = "format") -> type[Format]:
    """The format of a file, from its name, else from how it begins."""
    if source.is_folder:
        for cls in _loaded(_readable(kind)):
            if cls.folders and cls.kind == kind:
                return cls
    base = _base_name(source)
    # Plug-ins declare no suffixes: a name that tells is karat's own to know.
    own = [row for row in own_rows(FORMATS) if row.reads and row.kind == kind]
    named = [row for row in own if row.suffixes and base.endswith(row.suffixes)]
    if len(named) == 1:
        only = format_class(named[0].name)
        if not only.content_decides or only.recognizes(_head(source)):
            return only
        named = []
    for row in own if not source.is_pipe else ():
        if row.binary and (cls := format_class(row.name)).recognizes_file(source):
            return cls
    if source.hides_its_beginning:
        raise _unknown_format(source, option, list(_readable(kind)))
    head = _head(source)
    if not head and own:
        # There is nothing to misread.
        return format_class((named or own)[0].name)
    is_cut = source.is_pipe and len(head) >= _BEGINNING and "\n" not in head
    for cls in _loaded(named or _readable(kind)):
        if cls.kind == kind and _recognizes(cls, head):
            if is_cut and cls.needs_first_line:
                break
            plug_ins = list(rows(FORMATS).values())[len(own_rows(FORMATS)) :]
            others = _loaded(plug_ins) if cls.is_fallback and not named else ()
            return next((o for o in others if o.kind == kind and _recognizes(o, head)), cls)
    candidates = list(_readable(kind))
    if len(candidates) == 1 or (kind == "text" and not named):
        return format_class(candidates[0].name)
    raise _unknown_format(source, option, candidates)
