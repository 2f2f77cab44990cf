"""JSON against JSON: the leaves that two values share under the best alignment of their lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
import numpy as np

from karat._native import RecordBatch
from karat.core.capabilities import Explanation, LazyPairs, Pairs, Split, grid_in
from karat.core.marks import count, main
from karat.core.metric import Metric
from karat.core.options import File, Range, declared
from karat.core.reading.strings import decoded_as
from karat.core.repairs import Claim, Target, f_score
from karat.core.scores import Array, Scores, ratio
from karat.core.shown import Shown
from karat.errors import FormatError, KaratError, LimitExceeded, OptionError, counted
from karat.records.batch import COUNTS, WAYS, Batch, Event, measure_anls
from karat.records.model import Document, Golds, encoded, excerpt
from karat.records.repair import PARTITIONS, Change, DocumentRepair, changes_of, written_leaves
from karat.records.schema import Schema
from karat.records.settings import (
    Lists,
    Setting,
    Settings,
    Step,
    Strings,
    Types,
    amount,
    canonical,
    share,
)

if TYPE_CHECKING:
    from karat.records.content import DocumentOutputs

_Told = TypeVar("_Told")
Extract = Literal["none", "fence", "first", "last"]
MOST_FOREIGN_PATHS = 200
"""How many paths that gold does not have the facet `path` tells apart."""
OTHER = "(other)"
_NAN = float("nan")


class Json(Metric[Any, Any]):
    """Leaves that system and gold share under the best alignment, as precision, recall and F.

    A value is an object, a list or a leaf. Keys of objects have no order; lists are multisets
    (`lists`), whose elements are aligned so that the most leaves match: proven, not greedy, so
    the score depends neither on the order of a list nor on a solver. Null, ``[]`` and ``{}``
    are nothing (`empty`). Output that is not JSON has no leaves, and lowers `parsed`.

    >>> Json().score({"a": 1, "b": [2, 3]}, {"b": [3, 2, 4], "a": 1})["f"]
    0.8571428571428571
    >>> Json().score("no JSON", {"a": 1})["parsed"]
    0.0
    """

    name = "json"
    kind = "record"
    releases_gil = True

    strings: Annotated[Strings, "how strings are compared"] = "exact"
    threshold: Annotated[
        float, Range(0, 1), "with strings=fuzzy: the least similarity that counts"
    ] = 0.5
    abs: Annotated[str, "how far numbers may be apart, as decimal text"] = "0"
    rel: Annotated[str, "how far numbers may be apart, as a share of the gold number"] = "0"
    types: Annotated[Types, "whether '5' may be 5 (loose)"] = "strict"
    lists: Annotated[Lists, "lists as multisets, in order, or position by position"] = "set"
    empty: Annotated[
        Literal["drop", "leaf"], "whether null, [] and {} count as nothing or as leaves"
    ] = "drop"
    extract: Annotated[
        Extract, "take JSON from a fenced block, or the first or last in the text"
    ] = "none"
    duplicates: Annotated[
        Literal["error", "last"], "what to do with a key that occurs twice in a gold object"
    ] = "error"
    schema: Annotated[str, File(), "a JSON schema that outputs are checked against"] = ""
    paths: Annotated[str | dict[str, Any], "settings by path: JSON, or a JSON or TOML file"] = ""
    literal: Annotated[bool, "take $any and $optional in gold for ordinary keys"] = False
    max_list: Annotated[int, Range(1), "the longest list that is aligned"] = 5000
    compat: Annotated[Literal["none", "anls"], "give the figure of ANLS*"] = "none"

    root_only: ClassVar[bool] = False
    """Whether records are the elements of the root alone."""
    records_name: ClassVar[str] = "records"

    def __post_init__(self) -> None:
        self.__dict__["paths"] = canonical(self.paths)
        self._settings  # noqa: B018, to refuse wrong settings at once
        default = declared(type(self))["threshold"].default
        fuzzy = self.strings == "fuzzy" or self.paths or self.schema
        if self.threshold != default and not fuzzy:
            raise OptionError(
                f"option 'threshold' of {self.name} has no effect without strings='fuzzy'",
                code="K390",
            )

    @cached_property
    def _schema(self) -> Schema | None:
        return Schema(self.schema) if self.schema else None

    @cached_property
    def _settings(self) -> Settings:
        default = Setting(
            compare=self.strings,
            threshold=share(self.threshold),
            abs=amount("abs", self.abs),
            rel=amount("rel", self.rel),
            types=self.types,
            list=self.lists,
        )
        return Settings.of(default, str(self.paths), self.own_settings())

    tracing = grid_in("karat.records.metrics.grids", "json")

    def own_settings(self) -> dict[str, Any]:
        """Settings of paths that those of the user go before."""
        return self._schema.settings() if self._schema else {}

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        if self.compat == "anls":
            return ("items", "anls")
        return (
            "items", *(each.replace("records", self.records_name) for each in COUNTS[:7]),
            "parsed", "extracted", "duplicates", "extractable", "shared",
            *(("valid",) if self.schema else ()),
            *(f"gold leaves at {each.text}" for each in self._settings.patterns),
        )  # fmt: skip

    # -- reading -------------------------------------------------------------------------------

    def of_gold(self, records: Sequence[Any]) -> Any:
        golds: list[Any] = []
        for record in records:
            if isinstance(record, Document):
                golds += record.gold_values()
            elif isinstance(record, Golds):
                golds += record.documents
            else:
                golds.append(record)
        return golds[0] if len(golds) == 1 else Golds(tuple(golds))

    def holds_gold(self, record: Any) -> bool:
        return isinstance(record, Document) and record.golds is not None

    def has_other_gold(self, record: Any, golds: Sequence[Any]) -> bool:
        return isinstance(record, Document) and record.has_other_gold(golds)

    def absent(self, gold: Any) -> Any:
        return b""

    # -- measuring -----------------------------------------------------------------------------

    def documents(self, texts: list[bytes], *, gold: bool) -> tuple[list[bytes], Array | None]:
        """The texts of documents as they are compared, and what became of them, if known."""
        return texts, None

    def measure_many(self, pairs: Pairs) -> Array:
        if self.compat == "anls":
            return measure_anls(pairs)
        work = Work(self, pairs)
        rows = work.rows()
        patterns = self._settings.patterns
        if self._schema is not None:
            valid = np.array([self._schema.is_valid(text) for text in work.values], float)
            rows = np.column_stack([rows, valid])
        if patterns:
            rows = np.column_stack([rows, work.fitting(len(patterns))])
        return rows

    def summarize(self, totals: Array) -> Scores:
        columns = self.by_column(totals)
        items = columns["items"]
        if self.compat == "anls":
            return {"anls": main(ratio(columns["anls"], items, _NAN)), "items": count(items)}
        gold, system, matched = columns["gold"], columns["system"], columns["matched"]
        name = self.records_name
        scores: dict[str, Any] = {
            "f": main(ratio(2 * matched, gold + system, _NAN)),
            "precision": ratio(matched, system, _NAN),
            "recall": ratio(matched, gold, _NAN),
            name: {
                "f": ratio(
                    2 * columns[f"{name}_equal"],
                    columns[f"{name}_gold"] + columns[f"{name}_system"],
                    _NAN,
                )
            },
            "exact": ratio(columns["exact"], items, _NAN),
            "parsed": ratio(columns["parsed"], items, _NAN),
            "extracted": ratio(columns["extracted"], items, _NAN),
        }
        if self.schema:
            scores["valid"] = ratio(columns["valid"], items, _NAN)
        return scores

    # -- guarding results ----------------------------------------------------------------------

    def objection(self, totals: Array) -> KaratError | None:
        columns = self.by_column(totals)
        if self.compat == "anls" or columns["items"] < 10:
            return None
        if not columns["parsed"] + columns["extracted"]:
            hint = "check that this is the right file, and the field that is read"
            if columns["extractable"]:
                hint = "use ``extract='first'`` to take the JSON that is inside other text"
            return FormatError(
                f"none of the {int(columns['items'])} outputs is JSON", code="K241", advice=hint
            )
        if columns["gold"] and columns["system"] and not columns["shared"]:
            return FormatError(
                "gold and system have no path in common: nothing could match",
                code="K242",
                advice="check that both hold the same kind of record, and the field that is read",
            )
        return None

    def caveats(self, totals: Array) -> list[str]:
        columns = self.by_column(totals)
        if self.compat == "anls":
            return []
        found = []
        if inside := int(columns["extractable"]):
            found.append(
                f"{counted(inside, 'output')} with JSON inside other text, which is not read: "
                "``extract='first'`` would read it"
            )
        if doubled := int(columns["duplicates"]):
            found.append(
                f"{counted(doubled, 'output')} with a key twice in one object; the last counts"
            )
        found += [
            f"the pattern {each.text!r} fits no path of gold"
            for each in self._settings.patterns
            if not columns[f"gold leaves at {each.text}"]
        ]
        return found

    # -- facets and explanations ---------------------------------------------------------------

    @property
    def facets(self) -> tuple[str, ...]:
        return () if self.compat == "anls" else ("path", "type")

    def split(self, facet: str, pairs: Pairs) -> Split:
        work = Work(self, pairs)
        numbers: list[int] = []
        values: list[str] = []
        rows: list[Array] = []
        at = {name: self.columns.index(name) for name in ("gold", "system", "matched")}
        for i in range(len(pairs)):
            parts: dict[str, Array] = {}
            for event in work.events(i):
                for side, leaf in (("gold", event.gold), ("system", event.system)):
                    if leaf is None or not leaf.weight or (event.optional and side == "gold"):
                        continue
                    typed = leaf
                    if side == "system" and event.gold is not None and event.similarity:
                        typed = event.gold
                    value = leaf.path if facet == "path" else typed.type
                    row = parts.setdefault(value, np.zeros(len(self.columns)))
                    share_of = leaf.weight
                    if event.optional and side == "system":
                        share_of *= 1 - event.similarity
                    row[at[side]] += share_of
                    if side == "gold" and event.system is not None:
                        row[at["matched"]] += leaf.weight * event.similarity
            # In the order of their names: numbers of keys depend on the rest of the chunk.
            numbers += [i] * len(parts)
            values += sorted(parts)
            rows += (parts[value] for value in sorted(parts))
        return Split(numbers, values, np.array(rows).reshape(len(rows), len(self.columns)))

    def pooled(self, facet: str, values: Sequence[str], rows: Array) -> Sequence[str]:
        """Paths that gold does not have, beyond the most frequent ones, as one."""
        if facet != "path":
            return values
        gold, system = self.columns.index("gold"), self.columns.index("system")
        weights: dict[str, float] = {}
        in_gold: set[str] = set()
        for value, row in zip(values, rows, strict=True):
            weights[value] = weights.get(value, 0.0) + float(row[system])
            if row[gold]:
                in_gold.add(value)
        foreign = sorted(weights.keys() - in_gold, key=lambda path: (-weights[path], path))
        rare = set(foreign[MOST_FOREIGN_PATHS:])
        return [OTHER if value in rare else value for value in values] if rare else values

    def shown(self, system: Any, gold: Any, explanation: Explanation) -> Shown:
        from karat.records.content import shown_documents

        golds = gold.documents if isinstance(gold, Golds) else [gold]
        (ours,), _ = self.documents([encoded(system)], gold=False)
        theirs, _ = self.documents([encoded(each) for each in golds], gold=True)
        drop = self.empty == "drop"
        return shown_documents(ours, theirs, explanation, way=self.extract, drop=drop)

    def explain(self, system: Any, gold: Any) -> Explanation:
        """What matched, what is missing, surplus or changed, by JSON pointers."""
        return self.explain_many([(system, gold)])[0]

    def explain_many(self, pairs: Pairs) -> list[Explanation]:
        """The same for many pairs, which are read at once."""
        if self.compat == "anls":
            return [{"anls": float(row[1])} for row in self.measure_many(pairs)]
        work = Work(self, pairs)
        return [self._explained(work, i) for i in range(len(pairs))]

    def look_at(self, chunk: LazyPairs) -> DocumentOutputs | None:
        pairs = chunk.pairs()
        if self.compat == "anls" or any(isinstance(gold, Golds) for _, gold in pairs):
            return None
        from karat.records.content import DocumentOutputs

        work = Work(self, pairs)
        return DocumentOutputs(work, self.empty == "drop", chunk.outputs)

    def _explained(self, work: Work, i: int) -> Explanation:
        matched, events = work.told(i)
        result: Explanation = {"matched": matched, "missing": [], "surplus": [], "changed": []}
        if failure := work.failure(i):
            result["unparsed"] = failure
        for event in events:
            _tell(event, result)
        for kind in ("missing", "surplus", "changed"):
            result[kind].sort(key=lambda each: (each.get("gold_at", ""), each.get("system_at", "")))
        return result

    # -- repairing -----------------------------------------------------------------------------

    partitions = PARTITIONS

    @property
    def repair_claim(self) -> Claim:
        # What is taken out of such a list leaves a null, which is a leaf then.
        by_index = self.empty == "leaf" and any(each.list == "index" for each in self._settings.all)
        return "estimate" if by_index else "at least"

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        if self.unrepairable:
            return {}
        return {
            "f": f_score({"matched": 1}, {"system": 1}, {"gold": 1}, "precision", "recall"),
            "exact": Target({"exact": 1}, {"items": 1}, whole=True),
        }

    @property
    def unrepairable(self) -> str:
        return "ANLS* gives one figure for a document, not counts" if self.compat == "anls" else ""

    def repairs(self, pairs: Pairs) -> list[DocumentRepair]:
        work = Work(self, pairs)
        rows = work.rows()
        texts = _as_read(self.documents(work.texts, gold=False)[0], self.extract)
        return [
            self._repair(work, i, system, rows[i], texts[i]) for i, (system, _) in enumerate(pairs)
        ]

    def _repair(self, work: Work, i: int, system: Any, row: Array, text: bytes) -> DocumentRepair:
        gold = encoded(work.golds[work.chosen(i) - work.first_gold])
        events = partial(work.events, i)
        if work.failure(i):
            whole = float(row[1])  # leaves of gold
            rewrite = Change("rewrite", changes=(("matched", whole), ("system", whole)))
            leaves = [event.gold for event in events() if event.gold and not event.optional]
            written = written_leaves(leaves, gold, self._by_index)
            text, changes, gold = work.texts[i], [rewrite], written
        else:
            changes = changes_of(work.told(i)[1])
        return DocumentRepair(
            system,
            text,
            gold,
            events,
            changes,
            drop=self.empty == "drop",
            by_index=self._by_index,
        )

    def _by_index(self, path: Sequence[Step]) -> bool:
        return self._settings.at(path).list == "index"

    def error_profile(self, explanations: Iterable[Explanation]) -> Explanation:
        """The most frequent errors, by kind and path."""
        return self.profile_of_json([msgspec.json.encode(each)] for each in explanations)

    def profile_of_json(self, explanations: Iterable[list[bytes]]) -> Explanation:
        found: dict[str, Counter[str]] = {
            kind: Counter() for kind in ("missing", "surplus", "changed")
        }
        for some in explanations:
            for encoded_one in some:
                each = decoded_as(_differing, encoded_one)
                for kind, counts in found.items():
                    counts.update(leaf.path for leaf in getattr(each, kind))
        return {
            kind: [{"path": path, "count": times} for path, times in _frequent(counts)]
            for kind, counts in found.items()
        }


class _Path(msgspec.Struct, gc=False):
    path: str


class _Differing(msgspec.Struct):
    """What a profile takes of an explanation."""

    missing: list[_Path] = []
    surplus: list[_Path] = []
    changed: list[_Path] = []


_differing = msgspec.json.Decoder(_Differing)


def _as_read(texts: list[bytes], way: Extract) -> list[bytes]:
    """The JSON that is read of texts, as JSON."""
    batch = RecordBatch(False, True, False)
    batch.read(texts, WAYS[way])
    return [bytes(batch.text(i)) for i in range(len(texts))]


def _frequent(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:50]


def _tell(event: Event, result: Explanation) -> None:
    """Adds what differs at a leaf."""
    gold, system = event.gold, event.system
    if event.optional:
        gold = None  # it need not have been there
    leaf = gold or system
    if leaf is None or not leaf.weight:
        return
    told: dict[str, Any] = {"path": leaf.path}
    if gold is not None:
        told |= {"gold_at": gold.pointer, "gold": gold.value}
    if system is not None:
        told |= {"system_at": system.pointer, "system": system.value}
    if gold is not None and system is not None:
        told["similarity"] = event.similarity
        if gold.type != system.type:
            told["type"] = f"{gold.type} in gold, {system.type} in the output"
        result["changed"].append(told)
    else:
        result["missing" if gold is not None else "surplus"].append(told)


def _too_long(why: object) -> LimitExceeded:
    return LimitExceeded(f"{why}: too many to align", code="K505", advice="raise ``max_list``")


class Work:
    """Pairs of a chunk, read and ready to be compared."""

    def __init__(self, metric: Json, pairs: Pairs) -> None:
        self.metric = metric
        self.texts = [encoded(system) for system, _ in pairs]
        self.systems, states = metric.documents(self.texts, gold=False)
        self.golds: list[Any] = []
        self.spans: list[tuple[int, int]] = []
        for _, gold in pairs:
            before = len(self.golds)
            self.golds += gold.documents if isinstance(gold, Golds) else [gold]
            self.spans.append((before, len(self.golds)))
        gold_texts, gold_states = metric.documents(
            [encoded(gold) for gold in self.golds], gold=True
        )
        self.batch = Batch(
            metric._settings,
            empty=metric.empty,
            literal=metric.literal,
            root_only=metric.root_only,
        )
        self.batch.read(self.systems, metric.extract, gold=False)
        self.first_gold = self.batch.read(gold_texts, "none", gold=True)
        self.values = (
            [self.batch.native.text(i) for i in range(len(pairs))] if metric.schema else []
        )
        """What was read of the outputs, as JSON."""
        errors = dict(self.batch.prepare(metric.max_list))
        self.states = self.batch.native.states()
        if states is not None:
            self.states[: len(pairs)] = states
        if gold_states is not None:
            self.states[self.first_gold :, 3] = gold_states[:, 3]
        for i, gold in enumerate(self.golds):
            self._check(i, gold, errors.get(self.first_gold + i, ""))

    def _check(self, i: int, gold: Any, error: str) -> None:
        number = self.first_gold + i
        offset = -1
        if not self.states[number, 0]:
            message, offset = self.batch.native.failure(number)
            error = f"gold is not JSON: {message}"
        elif self.states[number, 3] and self.metric.duplicates == "error":
            error = "gold has a key twice in one object; ``duplicates='last'`` takes the last one"
        elif not error and not self.batch.native.is_even(number):
            error = "the choices of '$any' must have the same weight"
        if error:
            document = gold if isinstance(gold, Document) else Document(encoded(gold))
            raise document.error(error, offset)

    def rows(self) -> Array:
        """Items, the counts of the best gold, and what became of the output."""
        pairs = [
            (self.first_gold + gold, system)
            for system, (begin, end) in enumerate(self.spans)
            for gold in range(begin, end)
        ]
        rows, errors = self.batch.compare(pairs)
        for message in errors.values():
            raise _too_long(message)
        if len(pairs) != len(self.spans):
            rows = rows[[begin + _best(rows[begin:end]) for begin, end in self.spans]]
        size = len(self.spans)
        states = self.states[:size]
        return np.column_stack([np.ones(size), rows[:, :7], states[:, [0, 1, 3, 2]], rows[:, 7]])

    def chosen(self, i: int) -> int:
        """The gold document that counts for a pair."""
        begin, end = self.spans[i]
        if end - begin == 1:
            return self.first_gold + begin
        rows, _ = self.batch.compare([(self.first_gold + gold, i) for gold in range(begin, end)])
        return self.first_gold + begin + _best(rows)

    def events(self, i: int) -> list[Event]:
        """The leaves of the chosen alignment of a pair."""
        return self._aligned(self.batch.events, i)

    def told(self, i: int) -> tuple[float, list[Event]]:
        """The weight that is matched in a pair, and the leaves that are not."""
        return self._aligned(self.batch.told, i)

    def _aligned(self, tell: Callable[[int, int], _Told], i: int) -> _Told:
        try:
            return tell(self.chosen(i), i)
        except ValueError as error:
            raise _too_long(error) from None

    def failed(self) -> list[int]:
        """The pairs whose output could not be read."""
        states = self.states[: len(self.spans)]
        return np.flatnonzero(~(states[:, 0].astype(bool) | states[:, 1].astype(bool))).tolist()

    def failure(self, i: int) -> str:
        """Why an output could not be read; empty where it could."""
        if self.states[i, 0] or self.states[i, 1]:
            return ""
        message, offset = self.batch.native.failure(i)
        return f"{message} at offset {offset}; {excerpt(self.texts[i], offset)}"

    def fitting(self, patterns: int) -> Array:
        """How many leaves of gold each pattern fits, for each pair."""
        found = np.zeros((len(self.spans), patterns))
        settings = self.metric._settings
        fits: dict[int, list[int]] = {}
        for i in range(len(self.spans)):
            for path, _ in self.batch.native.leaves(self.chosen(i)).tolist():
                if path not in fits:
                    fits[path] = settings.fitting(self.batch.path(path))
                for pattern in fits[path]:
                    found[i, pattern] += 1
        return found


def _best(rows: Array) -> int:
    """Which gold fits best: the highest F, the first on ties."""
    whole = rows[:, 0] + rows[:, 1]
    f = np.where(whole > 0, 2 * rows[:, 2] / np.where(whole > 0, whole, 1), rows[:, 6])
    return int(np.argmax(f))
