"""What a metric may offer besides measuring, and what the package does with it.

Each capability is a protocol: a metric has it if it has the attributes and methods that the
protocol names; it need not derive from anything. `has` checks that. All of them are optional.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
import numpy as np

from karat.core.marks import Array
from karat.errors import OptionError

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from karat._native import FrequentErrors
    from karat.core.metric import Metric
    from karat.core.options import Declared, Mode
    from karat.core.pairing.pairs import ParsedChunk, Report
    from karat.core.reading.items import Pair, Refs, Rows
    from karat.core.reading.raw import RawChunk
    from karat.core.reading.strings import Referenced
    from karat.core.repairs import Claim, Edit, ItemRepair, Target
    from karat.core.scores import MetricsDict
    from karat.core.shown import Shown
    from karat.core.tracing import Grid
    from karat.errors import KaratError

Explanation: TypeAlias = dict[str, Any]
Pairs: TypeAlias = Sequence[tuple[Any, Any]]
_T = TypeVar("_T")
_FOUND: dict[tuple[type, type], bool] = {}


def has(metric: object, capability: type[_T]) -> TypeIs[_T]:
    """Whether a metric, or a class of metrics, has all attributes that a capability names."""
    cls = metric if isinstance(metric, type) else type(metric)
    found = _FOUND.get((cls, capability))
    if found is None:
        names = {*vars(capability), *vars(capability).get("__annotations__", ())}
        found = all(hasattr(cls, name) for name in names if not name.startswith("_"))
        _FOUND[cls, capability] = found
    return found


# -- showing items ----------------------------------------------------------------------------


class Explains(Protocol):
    """It explains the score of a pair: for ``karat explain``, error lists, item tables, pages."""

    def explain(self, system: Any, gold: Any, /) -> Explanation:
        """What matched, what is missing, what is surplus, ready for JSON."""


def encoded_explanation(metric: Metric[Any, Any], explanation: object) -> bytes:
    """An explanation as JSON; numbers of numpy are numbers, NaN and infinities null."""
    try:
        if isinstance(explanation, dict):
            return _encoder.encode(explanation)
        problem = f"it is a {type(explanation).__name__}, expected a dictionary"
    except (TypeError, ValueError, RecursionError) as error:
        problem = str(error)
    raise OptionError(
        f"{metric.name} cannot explain its scores: its explanation is not JSON ({problem})",
        code="K308",
    )


def _plain(value: object) -> object:
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"objects of type {type(value).__name__} are not supported")


_encoder = msgspec.json.Encoder(enc_hook=_plain)


class ExplainsMany(Explains, Protocol):
    """It explains many pairs by one call, which is faster than one call for each."""

    def explain_many(self, pairs: Pairs, /) -> list[Explanation]:
        """The explanation of each pair."""


class ExplainsMeasured(Explains, Protocol):
    """It explains many pairs by one call from their measured rows, so that no score is computed
    again."""

    def explain_measured(self, pairs: Pairs, rows: Array, /) -> list[bytes]:
        """The explanation of each pair as JSON."""


class Opaque(Protocol):
    """Its scores cannot be explained."""

    why_opaque: ClassVar[str]
    """The reason in a few words, for the error of ``karat explain`` and the like."""


class Profiles(Protocol):
    """It makes its own profile of errors, for ``--error-profile``.

    For other metrics, what their explanations list as missing, surplus or edits is counted.
    """

    def error_profile(self, explanations: Iterable[Explanation], /) -> Explanation:
        """The most frequent errors, from the explanations of all pairs."""


class ProfilesJson(Profiles, Protocol):
    """It makes the profile from encoded explanations, so that these need not be decoded."""

    def profile_of_json(self, explanations: Iterable[list[bytes]], /) -> Explanation:
        """The most frequent errors, from the explanations of all pairs as JSON, in batches."""


class Shows(Protocol):
    """It says how the page shows a pair: as arcs, as graphs, as forms, with layers of marks.

    For other metrics, texts are compared word by word, and other items are shown as written.
    """

    def shown(self, system: Any, gold: Any, explanation: Explanation, /) -> Shown:
        """The pair with the differences that its explanation lists; nothing is measured again.

        `explanation` is the result of `explain`; empty if the metric does not explain.
        """


class Marks(Protocol):
    """It marks parts of texts for the page: n-grams, common subsequences, alignments."""

    def layers(self, system: Any, gold: Any, explanation: Explanation, /) -> dict[str, list[int]]:
        """The marks of `Shown.layers`, as places in `as_text` of both sides."""


class LooksAtTexts(Explains, Protocol):
    """It explains and marks many texts by one call, from the bytes of files."""

    def texts_of(self, chunk: RawChunk, /) -> Referenced | None:
        """Texts and references as parsing would give them; None: the chunk has to be parsed."""

    def texts_of_pairs(self, pairs: Pairs, /) -> Referenced:
        """The same of parsed values."""

    def explain_texts(self, texts: Referenced, rows: Array, /) -> list[bytes]:
        """The explanation of each text as JSON; `rows` are the measured rows of counts.

        Files about items are made of them: they may leave out what is right, which `explain` tells.
        Empty: `explain` has to be called for that text.
        """

    def layers_of_texts(self, texts: Referenced, /) -> list[bytes] | None:
        """The marks of `Marks` for each text, as members of a JSON object.

        None: it has none, or they are made from explanations.
        """


class CountsErrors(Protocol):
    """It counts the errors that explanations list while it writes them."""

    def explain_and_count(
        self, texts: Referenced, rows: Array, errors: FrequentErrors, /
    ) -> list[bytes]:
        """What `explain_texts` returns, and is added to `errors`; none is empty."""


class PairOutputs(Protocol):
    """Many pairs that were compared by one call; each output is made on demand."""

    def explanations(self) -> list[bytes]:
        """The explanation of each pair as JSON; empty: `explain` has to be called for that pair."""

    def shown(self) -> tuple[Any, ...]:
        """The pairs as the page shows them: the members of `ShownPairs`."""


class WantedOutputs(NamedTuple):
    """Which outputs of `PairOutputs` will be needed, so that they can be made together."""

    explanations: bool = True
    shown: bool = False
    errors: FrequentErrors | None = None
    """Where errors are counted, if the profile of them is needed."""


class LazyPairs(NamedTuple):
    """The pairs of a chunk, which are read on demand."""

    raw: Callable[[], RawChunk | None]
    """The bytes of both sides; None: there are only parsed values."""
    pairs: Callable[[], Pairs]
    """The parsed values."""
    mappings: Sequence[bytes] = ()
    """The `Measured.mappings` of these pairs, if they were kept."""
    threads: int = 1
    outputs: WantedOutputs = WantedOutputs()


class LooksAtMany(Explains, Shows, Protocol):
    """It prepares many pairs for item files and pages by one call, without explaining each."""

    def look_at(self, chunk: LazyPairs, /) -> PairOutputs | None:
        """The compared pairs of a chunk; None: they have to be explained one by one."""


# -- breaking scores down, proving and checking them -------------------------------------------


class Split(NamedTuple):
    """Counts of a chunk broken down by a facet: one row per (pair, value)."""

    pairs: Sequence[int]
    values: Sequence[str]
    rows: Array


class Splits(Protocol):
    """Its scores can be broken down by facets: properties of an item's parts, such as POS tags."""

    @property
    def facets(self) -> tuple[str, ...]:
        """The names of the facets."""

    def split(self, facet: str, pairs: Pairs, /) -> Split:
        """A row for each pair and value of a facet; the rows of a pair add up to its whole row.

        Counts of whole items, which belong to no part, are left out.
        """


class Pools(Protocol):
    """It pools rare values of a facet, which are known only when the whole run is measured."""

    def pooled(self, facet: str, values: Sequence[str], rows: Array, /) -> Sequence[str]:
        """The value of a facet for each row of a run, rare ones replaced by a common name."""


def facets_of(metric: object) -> tuple[str, ...]:
    """The facets of a metric, if it has any."""
    return metric.facets if has(metric, Splits) else ()


class Repairs(Protocol):
    """It names the edits that repair a system's item, for ``karat repair``."""

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        """The scores that edits change by known amounts, by dotted name; the first is the default.

        Empty if the options of the metric make that impossible; `unrepairable` says why.
        """

    @property
    def partitions(self) -> tuple[str, ...]:
        """The names of partitions of edits into classes, besides the partition by kind."""

    @property
    def repair_claim(self) -> Claim:
        """How the score of repaired items, measured again, relates to the predicted one."""

    @property
    def unrepairable(self) -> str:
        """Why nothing can be repaired with these options; empty: it can be."""

    def repairs(self, pairs: Pairs, /) -> Sequence[ItemRepair]:
        """The edits of each pair, from the correspondence that its row was counted under."""


class RepairsMapped(Protocol):
    """It finds edits under the mappings that measuring found (`MeasuresMapped`), not again."""

    def repairs_mapped(self, pairs: Pairs, mappings: Sequence[bytes], /) -> Sequence[ItemRepair]:
        """The edits of each pair; a mapping that is empty was not kept."""


class RepairsBytes(Protocol):
    """It finds edits in the bytes of files natively, without parsing items into Python objects."""

    def edits_of_bytes(
        self, chunk: RawChunk, mappings: Sequence[bytes], /
    ) -> Sequence[tuple[list[Edit], bool]] | None:
        """The edits of each pair, their kinds as classes, and whether they add up (`KnowsSums`).

        None: the chunk has to be parsed.
        """

    def rows_of_repaired(
        self, chunk: RawChunk, chosen: Sequence[Sequence[Sequence[int]]], /
    ) -> Array | None:
        """The rows of each pair after some of its edits, but not all, for each choice of them.

        None: the chunk has to be parsed.
        """


class Slot(NamedTuple):
    """A place in a gold item that has one value: the label of a node, the head of a word."""

    kind: str
    """label, property, edge, top, head, tag, term, ..."""
    where: str
    """The place in terms of gold, so that it is the same for all systems."""


class Values(NamedTuple):
    """The values of gold and a system at a slot; None: none, such as no edge."""

    gold: str | None
    system: str | None
    others: int = 0
    """How many values besides gold's are possible, if that depends on the item, as for the head of
    a word in a short sentence; else 0."""


ABSTAINS: Final = "\0"
"""The value of a system that cannot vote on a slot, since it lacks the part that it is about."""

Reading: TypeAlias = Mapping[Slot, Values]
"""The values at all slots that gold or the system fill; at other slots neither has anything."""


class Audits(Protocol):
    """It compares gold and system part by part, for ``karat audit``."""

    def readings(self, pairs: Pairs, /) -> Sequence[Reading]:
        """The parts of each gold item with the values of gold and of the system."""


class MeasuresRepaired(Protocol):
    """Partly repaired items may break rules that it checks, such as that a tree has one root."""

    def for_repaired(self) -> Metric[Any, Any]:
        """The same metric without these checks."""


class WritesRepaired(Protocol):
    """Repaired items have to be completed before its format can write them, by ids for instance."""

    def to_write(self, repaired: Iterable[tuple[str, Any]], /) -> Iterator[Any]:
        """The values to write, from the ids and values of repaired items, in gold order."""


class KeepsComments(Protocol):
    """A format whose parsed items lack their comments, which are put back into repaired files."""

    def with_comments(
        self, repaired: Iterable[tuple[str, Any]], texts: Iterable[str], golds: Iterable[str], /
    ) -> Iterator[Any]:
        """The values to write, from ids and repaired items, and the texts of the system's files
        and of gold's."""


class Searches(Protocol):
    """It searches for an optimum, which may remain unproven for some items; results count these."""

    @property
    def inexact_column(self) -> str | None:
        """The column that counts unproven items; None: these options leave nothing unproven."""


class Certifies(Protocol):
    """It gives certificates, by which ``karat verify`` checks saved rows without searching."""

    @property
    def certifies(self) -> bool:
        """Whether it does so with these options."""

    def measure_certified(self, pairs: Pairs, /) -> tuple[Array, list[bytes]]:
        """The rows of a chunk, and a certificate for each."""

    def check_certified(self, pairs: Pairs, proofs: Sequence[bytes], /) -> Array:
        """The rows that pairs and certificates prove; raises a VerificationError if they do not."""


def can_certify(metric: object) -> bool:
    """Whether a metric gives certificates with its options."""
    return has(metric, Certifies) and metric.certifies


class Jackknifes(Protocol):
    """It can leave out references, so that ``karat score`` compares people and systems fairly.

    A person's text is scored against one reference less than a system's.
    """

    def jackknife(self, gold: Any, /) -> Sequence[Any] | None:
        """The gold without one of its references (or summaries of a pyramid), for each of them;
        None where gold is nothing that a person's text is one of, such as source documents."""


class Traces(Protocol):
    """It lists the settings that published figures may come from, for ``karat trace``."""

    @classmethod
    def tracing(cls) -> Grid:
        """The passes over the items, and the settings that can be computed from each pass."""


def grid_in(module: str, function: str = "grid") -> staticmethod[[], Grid]:
    """A `tracing` method that calls a function of another module, imported on demand.

    Modules of grids import metrics, so a metric cannot import its grid at the top.
    """
    return staticmethod(lambda: getattr(import_module(module), function)())


# -- reading and pairing -----------------------------------------------------------------------


class ReadsKinds(Protocol):
    """It takes items of several kinds."""

    kinds: ClassVar[tuple[str, ...]]
    """The kinds, the preferred one first."""


class ReadsOneFormat(Protocol):
    """Its files have one format, which is not guessed."""

    file_format: ClassVar[str]


class ReadsRecords(Protocol):
    """It extracts what it measures from a system's record: a text with sentences, an annotation.

    Other metrics get the text of a record as one string.
    """

    def of_system(self, record: Any, /) -> Any:
        """The system's side of a pair, from a record as it was read."""


class ReadsGold(Protocol):
    """It extracts what it needs from gold records: references, documents, questions, a pyramid.

    Other metrics get references as strings: all of them if they are declared as
    ``Metric[..., Sequence[...]]``, else exactly one.
    """

    def of_gold(self, records: Sequence[Any], /) -> Any:
        """The gold side of a pair, from the records of all gold files."""


class CompletedByFile(Protocol):
    """Some of its options depend on the measured file, such as the names of scores in a log."""

    def completed(self, records: Sequence[Any], report: Report, /) -> Metric[Any, Any]:
        """The metric with all its options, from the values of the system's file."""


class ChoosesScores(Protocol):
    """Runs with different scores can be compared by the scores that they have in common."""

    names: tuple[str, ...]
    range: tuple[str, ...]

    def chosen(
        self, names: Sequence[str], ranges: Sequence[str], /
    ) -> tuple[Metric[Any, Any], list[int]]:
        """The metric with some of its scores and these ranges, and the columns that it has."""


class HoldsGold(Protocol):
    """It recognizes records that hold their own gold, so that no gold file is needed."""

    def holds_gold(self, record: Any, /) -> bool:
        """Whether a record holds its own gold."""


class ComparesGold(Protocol):
    """It compares the gold in a system's record with the gold file, to warn of differences."""

    def has_other_gold(self, record: Any, golds: Sequence[Any], /) -> bool:
        """Whether a system's record holds gold that has nothing in common with `golds`."""


class FillsGaps(Protocol):
    """It scores items that the system left out or that cannot be read, with a warning.

    For other metrics such items are errors.
    """

    def absent(self, gold: Any, /) -> Any:
        """The value to score in place of a missing system item, such as an empty graph."""


class PairsItself(Protocol):
    """It pairs items itself, since its files are not paired one by one by id or position.

    It cuts the files into chunks that can be paired independently of each other.
    """

    def pairs_itself(self, mode: Mode, golds: int, /) -> bool:
        """Whether it pairs itself in this mode, with so many gold files; raises if it cannot."""

    def cuts(
        self, system: Refs, golds: Sequence[Refs], report: Report, size: int, /
    ) -> Iterator[tuple[Rows, Rows]]:
        """For each chunk, in gold order and of about this size, its rows of system and gold."""

    def pair_items(self, chunk: ParsedChunk, /) -> Iterator[Pair]:
        """The pairs of a chunk of items; those that the chunk does not take may be left out."""


class Measured(NamedTuple):
    """The result of `MeasuresBytes.measure_bytes`."""

    rows: Array
    """A row for each gold item, in order."""
    fields: Mapping[str, list[str]] = {}
    """The fields of the items, for breakdowns, a column each."""
    anything: bool = True
    """Whether at least one system item is not empty."""
    wanted: bool = True
    """Whether at least one gold item is not empty."""
    golds: Sequence[Any] = ()
    """The gold of each item, if the system's file holds it."""
    mappings: Sequence[bytes] = ()
    """For each pair the mapping between its parts, kept for `LooksAtMany` to avoid a new search."""
    empty: int = 0
    """How many system items are empty where gold is not."""


class MeasuresBytes(Protocol):
    """It measures the bytes of files natively, without parsing items into Python objects.

    This is used for runs that need counts only: no facets, no certificates.
    """

    def measure_bytes(self, chunk: RawChunk, /) -> Measured | None:
        """The rows that parsing, pairing and `measure_many` would give, one for each gold item.

        A chunk without gold has records that hold their own, which `Measured.golds` names. None:
        the chunk has to be parsed, because its format is not supported here, an item is missing,
        or one is invalid (parsing then raises the error).
        """


class MeasuresMapped(Protocol):
    """It returns the mappings that it found while measuring, which are kept for `LooksAtMany`."""

    def measure_mapped(self, pairs: Pairs, /) -> tuple[Array, Sequence[bytes]]:
        """The rows of `measure_many`, and a mapping for each pair, or none at all."""


class AllowsEmpty(Protocol):
    """It scores an empty corpus; for other metrics that is an error."""

    allows_empty: ClassVar[bool]


def allows_empty(metric: object) -> bool:
    """Whether an empty corpus has scores."""
    return has(metric, AllowsEmpty) and metric.allows_empty


# -- guarding results --------------------------------------------------------------------------


class DetectsNull(Protocol):
    """It recognizes empty items: a run in which all system items are empty is an error.

    For other metrics, only blank texts count as empty.
    """

    def is_null(self, system: Any, /) -> bool:
        """Whether an item is empty: no text, no node, nothing that can be read."""


class DiagnosesNull(Protocol):
    """It explains why an item is empty, for the message of that error."""

    def why_null(self, system: Any, /) -> tuple[str, str]:
        """The reason, and advice; both may be empty."""


class Objects(Protocol):
    """It rejects totals that no valid run can have."""

    def objection(self, totals: Array, /) -> KaratError | None:
        """The error to raise for a sum of rows, for instance if an option selects nothing."""


class Warns(Protocol):
    """It warns about its scores; the warnings are shown and saved with them."""

    def caveats(self, totals: Array, /) -> list[str]:
        """Warnings that follow from the sum of rows."""


class AddsFigures(Protocol):
    """It adds figures to the JSON of a run that do not follow from the sum of rows."""

    def extras(self, ids: Sequence[str], rows: Array, /) -> MetricsDict:
        """The figures, such as the interval of another tool."""


# -- other programs ----------------------------------------------------------------------------


class Needs(Protocol):
    """It needs packages, files or programs, as ``karat doctor`` and ``karat setup`` report."""

    @classmethod
    def missing(cls) -> str:
        """What has to be installed before it can run, in one line; empty: nothing."""


def install_hint(metric: type) -> str:
    """What has to be installed before a metric can run; empty: nothing."""
    return metric.missing() if has(metric, Needs) else ""


class Runs(Protocol):
    """It runs a program or contacts a server, which a saved run may not do without consent.

    Options called command, url or function count without this; it is for anything else.
    """

    def runs(self) -> str:
        """The program that measuring would run, or the address that it would contact."""


def would_run(metric: Declared) -> str:
    """The program that measuring would run, or the address that it would contact; empty: none."""
    return metric.runs() if has(metric, Runs) else named_programs(metric)


def named_programs(metric: Declared) -> str:
    """The programs and addresses that the options of a metric name."""
    named = {name: metric.options.get(name) for name in ("command", "url", "function")}
    return " and ".join(f"the {name} {value!r}" for name, value in named.items() if value)


class NamesProgram(Protocol):
    """Its scores come from a program, which signatures name: others are not comparable."""

    def program(self) -> str:
        """Name and version of the program."""


class HasToolLine(Protocol):
    """It stands in for another tool, whose line of output ``--line`` prints."""

    tool_line: ClassVar[str]
    """A template for `str.format` with names of scores: ``F-score: {f:.2f}``."""


class PrintsLine(Protocol):
    """It prints such a line by a method, since its options decide the layout."""

    def line(self, scores: MetricsDict, /) -> str:
        """The line of a result, or empty; the figures of `AddsFigures` are under ``extras``."""


class RenamesFlags(Protocol):
    """It has further flags on the command line, where they are not taken."""

    flag_synonyms: ClassVar[Mapping[str, str]]
    """Flags of the tool that it stands in for, and the options that they set."""
