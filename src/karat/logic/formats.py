"""Forms line by line: alone, in columns (COGS, OpenNMT), beside a file of sentences, as JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import IO, Annotated, Any, ClassVar, NamedTuple

import msgspec

from karat import _native
from karat.core.files.opener import Source
from karat.core.format import Format, LineFormat, Part
from karat.core.options import File
from karat.core.reading.items import Item, Key
from karat.core.reading.raw import RawItems
from karat.core.reading.strings import Strings
from karat.errors import FormatError, OptionError, Place
from karat.logic.convert import restore as restored
from karat.logic.model import Entry


class Spans(NamedTuple):
    """The forms of some lines, their sentences where these are compared, and the fields of gold."""

    forms: Strings
    sentences: Strings | None
    fields: Mapping[str, list[str]]


def spans_of(items: RawItems, *, is_gold: bool) -> Spans | None:
    """Where the forms of lines are, as a format that has `spans` finds them without parsing.

    None where the lines have to be parsed to know.
    """
    find = getattr(items.format, "spans", None)
    return None if find is None else find(items, is_gold=is_gold)


IGNORE_SENTENCES = "do not check that system and gold have the same sentences"
RESTORE = "the forms are token-reduced COGS: give them back their brackets"

_NOUNS = ("common", "proper")
_STRUCTURAL = frozenset({"obj_pp_to_subj_pp", "cp_recursion", "pp_recursion"})
_LEXICAL = frozenset(
    {
        *(f"subj_to_obj_{kind}" for kind in _NOUNS),
        *(f"obj_to_subj_{kind}" for kind in _NOUNS),
        *(f"prim_to_subj_{kind}" for kind in _NOUNS),
        *(f"prim_to_obj_{kind}" for kind in _NOUNS),
        "prim_to_inf_arg",
        "active_to_passive",
        "passive_to_active",
        "obj_omitted_transitive_to_transitive",
        "unacc_to_transitive",
        "do_dative_to_pp_dative",
        "pp_dative_to_do_dative",
        "only_seen_as_unacc_subj_as_obj_omitted_transitive_subj",
        "only_seen_as_unacc_subj_as_unerg_subj",
        "only_seen_as_transitive_subj_as_unacc_subj",
    }
)


def fields_of(type_: str) -> dict[str, str]:
    """The groups of an item: its type, and the kind of generalization that COGS papers report."""
    structure = "other"
    if type_ in _STRUCTURAL:
        structure = "structural"
    elif type_ in _LEXICAL:
        structure = "lexical"
    return {"type": type_, "structure": structure}


def field_columns(types: Sequence[str]) -> dict[str, list[str]]:
    """The fields of items with these types, a column each."""
    known = {type_: fields_of(type_) for type_ in set(types)}
    return {name: [known[type_][name] for type_ in types] for name in ("type", "structure")}


class _ThreeColumns(LineFormat, ABC):
    """Exactly three columns, without header and without quoting."""

    kind = "logic"
    blank_lines = "inside"
    has_keys = False
    expected: ClassVar[str]
    """What the columns are, for messages."""
    columns: ClassVar[tuple[int, int]]
    """Which column has the form of a system, and which that of gold; the first has the sentence."""

    restore: Annotated[bool, RESTORE] = False

    def parse_line(self, text: str, line: int, file: str) -> Item:
        cells = text.split("\t")
        if len(cells) != 3:
            error = FormatError(
                f"the line has {len(cells)} tab-separated columns, expected 3: {self.expected}",
                code="K172",
                place=Place(file, line),
            )
            return Item(None, None, line, error=error)
        return self.item(cells, file, line)

    @abstractmethod
    def item(self, cells: list[str], file: str, number: int) -> Item: ...

    def form(self, text: str) -> str:
        return restored(text) if self.restore else text

    def spans(self, items: RawItems, *, is_gold: bool) -> Spans | None:
        if self.restore:
            return None
        cells = _native.tab_cells(items.data, Strings(items.data, items.begin, items.end).spans, 3)
        if (cells < 0).any():
            return None
        forms = Strings.at(items.data, cells[:, self.columns[is_gold]])
        sentences = Strings.at(items.data, cells[:, 0])
        fields = self._fields(Strings.at(items.data, cells[:, 2])) if is_gold else {}
        return Spans(forms, sentences if self.compares_sentences else None, fields)

    @property
    def compares_sentences(self) -> bool:
        """Whether the sentences of system and gold must be the same."""
        return True

    def _fields(self, cells: Strings) -> dict[str, list[str]]:
        """The fields of items that have no type."""
        return field_columns([""] * len(cells))


class LfTsv(_ThreeColumns):
    """The files of COGS, SLOG and ReCOGS: sentence, logical form, type.

    A quotation mark is a character like any other. The type of the gold file can
    be used for breakdowns, also as `structure`: lexical or structural.
    """

    name = "lf-tsv"
    expected = "sentence, logical form, type"
    columns = (1, 1)

    ignore_sentences: Annotated[bool, IGNORE_SENTENCES] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        # Another number of columns than three is for the reader to complain about.
        return "\t" in head.partition("\n")[0]

    def item(self, cells: list[str], file: str, number: int) -> Item:
        sentence, form, type_ = cells
        kept = None if self.ignore_sentences else sentence
        entry = Entry(self.form(form), None, kept, file, number, type_)
        return Item(entry, None, number, fields_of(type_))

    @property
    def compares_sentences(self) -> bool:
        return not self.ignore_sentences

    def _fields(self, cells: Strings) -> dict[str, list[str]]:
        return field_columns(cells.decoded())

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        for value in values:
            cells = (value.sentence or "", value.form or "", value.type)
            if any(end in cell for cell in cells for end in "\t\n\r"):
                raise FormatError(
                    "a column would have a tab or a line end in it",
                    code="K171",
                    place=Place(value.file, value.line),
                    advice="write the forms as lf-jsonl, which can hold them",
                )
            stream.write(("\t".join(cells) + "\n").encode())


class OpenNmt(_ThreeColumns):
    """One file with source sentence, gold form and predicted form; there is no type."""

    name = "opennmt"
    expected = "source sentence, gold form, predicted form"
    columns = (2, 1)

    @classmethod
    def recognizes(cls, head: str) -> bool:
        # Predictions may be empty or broken, so that one line alone does not tell.
        return any(map(_has_prediction, head.splitlines()))

    def item(self, cells: list[str], file: str, number: int) -> Item:
        sentence, gold, form = cells
        entry = Entry(self.form(form), self.form(gold), sentence, file, number)
        return Item(entry, None, number, fields_of(""))


def _has_prediction(line: str) -> bool:
    """Whether the third of three columns looks like a form, not like a type."""
    cells = line.split("\t")
    return len(cells) == 3 and (" ( " in cells[2] or cells[1] == cells[2] != "")


_TARGET, _SOURCE = "_target.txt", "_source.txt"


class LfLines(LineFormat):
    """One logical form per line and nothing else; an empty line is an empty prediction."""

    name = "lf-lines"
    kind = "logic"
    is_fallback = True
    has_keys = False

    restore: Annotated[bool, RESTORE] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return "\t" not in head and not head.lstrip().startswith("{")

    def parse_line(self, text: str, line: int, file: str) -> Item:
        form = restored(text) if self.restore else text
        return Item(Entry(form, file=file, line=line), None, line)

    def spans(self, items: RawItems, *, is_gold: bool) -> Spans | None:
        return (
            None if self.restore else Spans(Strings(items.data, items.begin, items.end), None, {})
        )

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        for value in values:
            stream.write(f"{value.form or ''}\n".encode())


class OpenNmtParallel(Format):
    """The parallel files of OpenNMT: forms in one file, sentences in another.

    For ``gen_target.txt`` the sentences are those of ``gen_source.txt``, unless
    `source` names another file. Predictions are read as `lf-lines`.
    """

    name = "opennmt-parallel"
    kind = "logic"

    source: Annotated[
        str, File(), "the file of sentences (if not given, the _source.txt next to the input)"
    ] = ""
    restore: Annotated[bool, RESTORE] = False

    def read(self, source: Source) -> Iterator[Item]:
        beside = Source(self.source or self._beside(source))
        for form, sentence in zip_longest(source.lines(), beside.lines()):
            if form is None or sentence is None:
                longer, count = (beside, sentence) if form is None else (source, form)
                raise FormatError(
                    f"the file goes on at line {count[0]}, but the file beside it ends there",
                    code="K174",
                    place=Place(longer.name, count[0]),
                    advice="source and target have one line for each item",
                )
            number, text = form
            text = restored(text) if self.restore else text
            entry = Entry(text, None, sentence[1], source.name, number)
            yield Item(entry, None, number, fields_of(""))

    def _beside(self, source: Source) -> str:
        if not source.path.endswith(_TARGET):
            raise OptionError(
                f"{source.name}: no file of sentences can be guessed, since the name does not end "
                f"in {_TARGET}",
                code="K371",
                advice="name it with ``source``",
            )
        return source.path.removesuffix(_TARGET) + _SOURCE


_decode = msgspec.json.Decoder().decode


class LfJsonLines(LineFormat):
    """One JSON object per line; the options say which field holds what.

    A line must have the form, or the gold form, or both (then no gold file is
    needed). Sentence, type and id may be absent; items with ids are paired by id.
    """

    name = "lf-jsonl"
    json_keys = "all"
    kind = "logic"
    blank_lines = "skipped"

    form_field: Annotated[str, "the field of the logical form"] = "lf"
    gold_field: Annotated[str, "the field of the gold form"] = "gold"
    sentence_field: Annotated[str, "the field of the sentence"] = "sentence"
    type_field: Annotated[str, "the field of the type"] = "type"
    id_field: Annotated[str, "the field of the id"] = "id"
    ignore_sentences: Annotated[bool, IGNORE_SENTENCES] = False
    restore: Annotated[bool, RESTORE] = False

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return head.lstrip().startswith("{")

    def name_items(self, part: Part, file: str) -> None:
        refs = part.refs
        known = msgspec.defstruct("Known", [("id", Any, None)], rename={"id": self.id_field})
        decode: Callable[[bytes], Any] = msgspec.json.Decoder(known).decode
        keys: list[Key | None] = []
        for row, data in enumerate(part.data()):
            try:
                keys.append(self._key(decode(data).id))
            except (msgspec.DecodeError, RecursionError, _UnfitError):
                item = self.parse_line(data.decode(), int(refs.line[row]), file)
                keys.append(item.key)
                if item.error is not None:
                    refs.errors[row] = item.error
        if any(keys) or refs.errors:
            refs.keys = keys

    def parse_line(self, text: str, line: int, file: str) -> Item:
        try:
            return self._item(text, file, line)
        except _UnfitError as unfit:
            error = FormatError(str(unfit), code="K173", place=Place(file, line))
            return Item(None, None, line, error=error)

    def spans(self, items: RawItems, *, is_gold: bool) -> Spans | None:
        if self.restore or self._known is None:
            return None
        forms: list[str] = []
        sentences: list[str] = []
        types: list[str] = []
        try:
            for begin, end in zip(items.begin.tolist(), items.end.tolist(), strict=True):
                record = self._known.decode(items.data[begin:end])
                self._key(record.id)
                form = record.gold if is_gold and record.gold is not None else record.form
                if form is None:
                    return None
                forms.append(form)
                if record.sentence is not None:
                    sentences.append(record.sentence)
                types.append(record.type or "")
        except (msgspec.DecodeError, RecursionError, _UnfitError):
            return None
        if not self.ignore_sentences and 0 < len(sentences) < len(forms):
            return None  # some are to be compared
        compared = None if self.ignore_sentences or not sentences else Strings.of(sentences)
        return Spans(Strings.of(forms), compared, field_columns(types) if is_gold else {})

    @cached_property
    def _known(self) -> msgspec.json.Decoder[Any] | None:
        """A decoder of the fields that count; None where one of them is to count twice."""
        named = {
            "id": self.id_field,
            "form": self.form_field,
            "gold": self.gold_field,
            "sentence": self.sentence_field,
            "type": self.type_field,
        }
        if len(set(named.values())) < len(named):
            return None
        fields = [(name, Any if name == "id" else str | None, None) for name in named]
        return msgspec.json.Decoder(msgspec.defstruct("Known", fields, rename=named))

    def _item(self, line: str, file: str, number: int) -> Item:
        try:
            record = _decode(line)
        except msgspec.DecodeError as error:
            raise _UnfitError(f"this is not JSON: {error}") from None
        except RecursionError:
            raise _UnfitError("this JSON is nested too deeply") from None
        if not isinstance(record, dict):
            raise _UnfitError("expected a JSON object")
        form, gold = self._text(record, self.form_field), self._text(record, self.gold_field)
        if form is None and gold is None:
            raise _UnfitError(
                f"there is no form: expected a string under {self.form_field!r} "
                f"or {self.gold_field!r}"
            )
        if self.restore:
            form, gold = (each and restored(each) for each in (form, gold))
        sentence = self._text(record, self.sentence_field)
        type_ = self._text(record, self.type_field) or ""
        key = self._key(record.get(self.id_field))
        kept = None if self.ignore_sentences else sentence
        name = str(key[0]) if key else ""
        entry = Entry(form, gold, kept, file, number, type_, name)
        return Item(entry, key, number, fields_of(type_))

    def _text(self, record: dict[str, Any], field: str) -> str | None:
        value = record.get(field)
        if value is not None and not isinstance(value, str):
            raise _UnfitError(f"$.{field} must be a string")
        return value

    def _key(self, value: Any) -> Key | None:
        if value is None:
            return None
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            raise _UnfitError(f"$.{self.id_field} must be a string or a whole number")
        return (str(value),)

    def write(self, values: Iterable[Any], stream: IO[bytes]) -> None:
        for value in values:
            record = {
                self.id_field: value.id or None,
                self.sentence_field: value.sentence,
                self.form_field: value.form,
                self.gold_field: value.gold,
                self.type_field: value.type,
            }
            present = {key: each for key, each in record.items() if each is not None}
            stream.write(msgspec.json.encode(present) + b"\n")


class _UnfitError(Exception):
    """A record that does not fit the schema."""
