"""What a metric may be able to do besides measuring, and what the package does with it.

Each capability is a protocol: a metric has it by having its methods, without deriving from
anything. `has` looks for it. A metric without any is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias, TypeVar

from karat.core.marks import Array

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from karat.core.audits import Reading
    from karat.core.metric import Metric
    from karat.core.options import Declared, Mode
    from karat.core.pairing.pairs import ParsedChunk, Report
    from karat.core.reading.items import Pair, Refs, Rows
    from karat.core.reading.raw import RawChunk, RawItems
    from karat.core.reading.strings import Referenced
    from karat.core.repairs import Claim, ItemRepair, Target
    from karat.core.scores import MetricsDict
    from karat.core.shown import Shown
    from karat.core.tracing import Grid
    from karat.errors import KaratError

Explanation: TypeAlias = dict[str, Any]
Pairs: TypeAlias = Sequence[tuple[Any, Any]]
_T = TypeVar("_T")
_FOUND: dict[tuple[type, type], bool] = {}


def has(metric: object, capability: type[_T]) -> TypeIs[_T]:
    """Whether a metric, or a class of metrics, has everything that a capability names."""
    cls = metric if isinstance(metric, type) else type(metric)
    found = _FOUND.get((cls, capability))
    if found is None:
        names = {*vars(capability), *vars(capability).get("__annotations__", ())}
        found = all(hasattr(cls, name) for name in names if not name.startswith("_"))
        _FOUND[cls, capability] = found
    return found


# -- showing items ----------------------------------------------------------------------------


class Explains(Protocol):
    """``karat explain``, error lists, item tables and reports show its explanations."""

    def explain(self, system: Any, gold: Any, /) -> Explanation:
        """What matched, what is missing, what is surplus, ready for JSON."""


class ExplainsMany(Explains, Protocol):
    """Many items are explained by one call, where that is faster."""

    def explain_many(self, pairs: Pairs, /) -> list[Explanation]:
        """The explanation of each pair."""


class Opaque(Protocol):
    """What asks for explanations is told why there are none."""

    why_opaque: ClassVar[str]
    """Why its scores cannot be explained, in a few words."""


class Profiles(Protocol):
    """Error profiles and reports show which errors are the most frequent.

    Without it, ``--error-profile`` counts what explanations list as missing, surplus or edits.
    """

    def error_profile(self, explanations: Iterable[Explanation], /) -> Explanation:
        """The most frequent errors, from the explanations of all pairs."""


class ProfilesJson(Profiles, Protocol):
    """The same from explanations as files hold them, which need not be decoded."""

    def profile_of_json(self, explanations: Iterable[list[bytes]], /) -> Explanation:
        """The most frequent errors, from the explanations of all pairs, some at a time."""


class Shows(Protocol):
    """The page shows its pairs as they are: arcs, graphs, forms, layers of marks.

    Without it, texts are compared word by word, and anything else is shown as it is written.
    """

    def shown(self, system: Any, gold: Any, explanation: Explanation, /) -> Shown:
        """The pair with what `explanation`, that of `explain`, says differs; nothing is measured.

        A metric that does not explain is given an empty explanation.
        """


class Marks(Protocol):
    """The page has layers of marks for texts: n-grams, common subsequences, alignments."""

    def layers(self, system: Any, gold: Any, explanation: Explanation, /) -> dict[str, list[int]]:
        """The marks of `Shown.layers`, as places in `as_text` of both sides."""


class ReadsTexts(Protocol):
    """The page takes the texts of its items from the bytes of files, and parses nothing."""

    def texts_of(self, chunk: RawChunk, /) -> Referenced | None:
        """The texts and references of a chunk as parsing would give them; None where it has to."""


class ExplainsTexts(ReadsTexts, Explains, Protocol):
    """Many texts are explained by one call, from the bytes of files."""

    def explain_texts(self, texts: Referenced, rows: Array, /) -> list[bytes]:
        """The explanation of each text as JSON; `rows` are those that were measured."""


class MarksTexts(ReadsTexts, Marks, Protocol):
    """Layers of many texts are made by one call, from the bytes of files, without explanations."""

    def layers_of_texts(self, texts: Referenced, /) -> list[bytes] | None:
        """The members of a JSON object, for each text; None where explanations are needed."""


class Looked(Protocol):
    """Many pairs that were compared at once; JSON is made when it is asked for."""

    def explanations(self) -> list[bytes]:
        """The explanation of each pair as JSON; empty where it is to be made of that pair alone."""

    def shown(self) -> tuple[Any, ...]:
        """The pairs as the page shows them: the members of `ShownPairs`."""


class Asked(NamedTuple):
    """What will be asked of `Looked`, so that it can be made together."""

    told: bool = True
    """The explanations."""
    shown: bool = False
    """The pairs as the page shows them."""


class ToLookAt(NamedTuple):
    """The pairs of a chunk; they are read when they are asked for."""

    raw: Callable[[], RawChunk | None]
    """The bytes of both sides, where there are such."""
    pairs: Callable[[], Pairs]
    """The parsed values."""
    mappings: Sequence[bytes] = ()
    """Those of `Measured` or `MeasuresMapped`, or none."""
    threads: int = 1
    asked: Asked = Asked()


class LooksAtMany(Explains, Shows, Protocol):
    """Item files and pages are made of many pairs by one call, without explaining each."""

    def look_at(self, chunk: ToLookAt, /) -> Looked | None:
        """The pairs of a chunk, from the bytes of files or from values; None where it cannot."""


# -- breaking scores down, proving and checking them -------------------------------------------


class Split(NamedTuple):
    """Counts of a chunk broken down by a facet: one row per (pair, value)."""

    pairs: Sequence[int]
    values: Sequence[str]
    rows: Array


class Splits(Protocol):
    """Scores can be grouped by properties of an item's parts, such as the POS of a word."""

    @property
    def facets(self) -> tuple[str, ...]:
        """The names of these properties."""

    def split(self, facet: str, pairs: Pairs, /) -> Split:
        """The rows of a chunk by the values of a facet; those of a pair add up to its row.

        Counts of whole items, which no part has, are left out.
        """


class Pools(Protocol):
    """Rare values of a facet are put together, which only the whole run can tell."""

    def pooled(self, facet: str, values: Sequence[str], rows: Array, /) -> Sequence[str]:
        """The values of a facet in all rows of a run, the rare ones by their common name."""


def facets_of(metric: object) -> tuple[str, ...]:
    """The facets of a metric, if it has any."""
    return metric.facets if has(metric, Splits) else ()


class Repairs(Protocol):
    """``karat repair`` says which of its errors cost how much, and writes items without them."""

    @property
    def repair_targets(self) -> Mapping[str, Target]:
        """The scores that edits change in a known way, by their dotted names, the first by default.

        Empty where the present options make that impossible; `unrepairable` says why.
        """

    @property
    def partitions(self) -> tuple[str, ...]:
        """How edits can be divided into classes, besides their kinds."""

    @property
    def repair_claim(self) -> Claim:
        """How the score of repaired items, measured again, relates to the predicted one."""

    @property
    def unrepairable(self) -> str:
        """Why nothing can be repaired with the present options; empty where it can."""

    def repairs(self, pairs: Pairs, /) -> Sequence[ItemRepair]:
        """The edits of each pair, from the correspondence that its row was counted under."""


class Audits(Protocol):
    """``karat audit`` looks for parts of gold that systems agree against."""

    def readings(self, pairs: Pairs, /) -> Sequence[Reading]:
        """The parts of each gold item, and what the system has there, by their correspondence."""


class MeasuresRepaired(Protocol):
    """Items that are repaired in part may break rules that systems keep, such as one root."""

    def for_repaired(self) -> Metric[Any, Any]:
        """The same metric, which lets such items pass."""


class WritesRepaired(Protocol):
    """Repaired items are not what its format writes: they have no ids, or parts of sentences."""

    def to_write(self, repaired: Iterable[tuple[str, Any]], /) -> Iterator[Any]:
        """What is to be written, from the ids and values of repaired items, in gold order."""


class KeepsComments(Protocol):
    """A format whose items come without their comments, which repaired files are to have."""

    def with_comments(
        self, repaired: Iterable[tuple[str, Any]], texts: Iterable[str], /
    ) -> Iterator[Any]:
        """What is to be written, from ids and repaired items, and the texts of the files."""


class Searches(Protocol):
    """Results say how many items have a score that is not proven to be the best."""

    @property
    def inexact_column(self) -> str | None:
        """The column that counts them; None where the options leave nothing to be proven."""


class Certifies(Protocol):
    """Saved runs hold certificates, by which ``karat verify`` checks rows without searching."""

    @property
    def certifies(self) -> bool:
        """Whether it does so with the present options."""

    def measure_certified(self, pairs: Pairs, /) -> tuple[Array, list[bytes]]:
        """The rows of a chunk, and for each what it takes to check it without searching."""

    def check_certified(self, pairs: Pairs, proofs: Sequence[bytes], /) -> Array:
        """The rows that follow from pairs and certificates.

        A certificate that does not fit its pair is a VerificationError.
        """


def can_certify(metric: object) -> bool:
    """Whether a metric gives certificates with its present options."""
    return has(metric, Certifies) and metric.certifies


class Jackknifes(Protocol):
    """``karat score`` compares human and system texts, each against equally many references."""

    def jackknife(self, gold: Any, /) -> Sequence[Any]:
        """The golds with one part (a reference, a summary of a pyramid) left out each."""


class Traces(Protocol):
    """``karat trace`` looks among its settings for those that give a published figure."""

    @classmethod
    def tracing(cls) -> Grid:
        """The passes over the items, and the settings that each of them is enough for."""


def grid_in(module: str, function: str = "grid") -> staticmethod[[], Grid]:
    """The method `tracing` of a metric: what a function of a module gives.

    Grids are made of metrics, so that a metric finds its own by name, when it is wanted.
    """
    return staticmethod(lambda: getattr(import_module(module), function)())


# -- reading and pairing -----------------------------------------------------------------------


class ReadsKinds(Protocol):
    """Files of several kinds of items can be read for it."""

    kinds: ClassVar[tuple[str, ...]]
    """The kinds, the preferred one first."""


class ReadsOneFormat(Protocol):
    """Its files are read in one format; nothing is guessed."""

    file_format: ClassVar[str]


class ReadsRecords(Protocol):
    """It takes what it needs of a system's record: a text with sentences, an annotation.

    Without it, a metric gets the text of a record as one string.
    """

    def of_system(self, record: Any, /) -> Any:
        """The system's side of a pair, from what a reader gave."""


class ReadsGold(Protocol):
    """It takes what it needs of gold records: references, documents, questions, a pyramid.

    Without it, a metric gets references as strings: all of them if it is a
    ``Metric[..., Sequence[...]]``, else the only one.
    """

    def of_gold(self, records: Sequence[Any], /) -> Any:
        """The gold side of a pair, from what the readers of all gold files gave."""


class CompletedByFile(Protocol):
    """Some of its options follow from the file that is measured: which scores a log holds."""

    def completed(self, records: Sequence[Any], report: Report, /) -> Metric[Any, Any]:
        """The metric with all its options, from the values of the system's file."""


class ChoosesScores(Protocol):
    """Runs with different scores can be compared by those that they share."""

    names: tuple[str, ...]
    range: tuple[str, ...]

    def chosen(
        self, names: Sequence[str], ranges: Sequence[str], /
    ) -> tuple[Metric[Any, Any], list[int]]:
        """The metric with some of its scores and these ranges, and the columns that it has."""


class HoldsGold(Protocol):
    """Files whose records hold their own gold need no gold file."""

    def holds_gold(self, record: Any, /) -> bool:
        """Whether a record does."""


class ComparesGold(Protocol):
    """A warning tells of system records with gold that is not in the given gold file."""

    def has_other_gold(self, record: Any, golds: Sequence[Any], /) -> bool:
        """Whether a system's record holds gold that has nothing in common with `golds`."""


class FillsGaps(Protocol):
    """Items that the system left out, or wrote unreadably, are scored with a warning.

    For other metrics they are errors.
    """

    def absent(self, gold: Any, /) -> Any:
        """What to score in place of a missing system item."""


class PairsItself(Protocol):
    """Its files are not paired item by item, or must agree in more than their ids.

    They are cut into chunks that have nothing to do with each other.
    """

    def pairs_itself(self, mode: Mode, golds: int, /) -> bool:
        """Whether it does so in this mode, with so many gold files; raises where it cannot."""

    def cuts(
        self, system: Refs, golds: Sequence[Refs], report: Report, size: int, /
    ) -> Iterator[tuple[Rows, Rows]]:
        """Rows of the system and of gold for each chunk, of about this size, in the gold order."""

    def pair_items(self, chunk: ParsedChunk, /) -> Iterator[Pair]:
        """The pairs of a chunk of items."""


class Measured(NamedTuple):
    """What `MeasuresBytes` gives for a chunk."""

    rows: Array
    """A row for each gold item, in order."""
    fields: Mapping[str, list[str]] = {}
    """The fields by which the items can be grouped, a column each."""
    anything: bool = True
    """Whether the system gave anything in one of the items, and whether gold has anything."""
    wanted: bool = True
    golds: Sequence[Any] = ()
    """The gold of each item, where the system's file holds it."""
    mappings: Sequence[bytes] = ()
    """How the parts of each pair correspond, for `LooksAtMany`, where finding that takes time."""


class MeasuresBytes(Protocol):
    """Chunks of files are measured without making values of their items.

    So it is done where counts alone are wanted; what looks at items has them parsed.
    """

    def measure_bytes(self, chunk: RawChunk, /) -> Measured | None:
        """The rows that parsing, pairing and `measure_many` would give, one for each gold item.

        None where it cannot tell: the format is another, an item is missing or cannot be read.
        Then the chunk is parsed, which words the errors.
        """


class MeasuresMapped(Protocol):
    """What measuring found out about pairs is kept for `LooksAtMany`."""

    def measure_mapped(self, pairs: Pairs, /) -> tuple[Array, Sequence[bytes]]:
        """The rows of `measure_many`, and the mappings of `Measured`, or none."""


class MeasuresRecords(Protocol):
    """The same for files whose records hold their own gold."""

    def measure_records(self, items: RawItems, /) -> Measured | None:
        """The rows of such records, and their gold; None where they have to be parsed."""


class AllowsEmpty(Protocol):
    """An empty corpus has scores rather than being an error."""

    allows_empty: ClassVar[bool]


def allows_empty(metric: object) -> bool:
    """Whether an empty corpus has scores."""
    return has(metric, AllowsEmpty) and metric.allows_empty


# -- guarding results --------------------------------------------------------------------------


class DetectsNull(Protocol):
    """A run in which the system gave nothing in all items is an error.

    Without it, only blank texts count as nothing.
    """

    def is_null(self, system: Any, /) -> bool:
        """Whether the system gave nothing: no text, no node, nothing that can be read."""


class DiagnosesNull(Protocol):
    """That error says what is wrong with the first item."""

    def why_null(self, system: Any, /) -> tuple[str, str]:
        """What is wrong, and advice; both may be empty."""


class Objects(Protocol):
    """A result that cannot be right is an error rather than a figure."""

    def objection(self, totals: Array, /) -> KaratError | None:
        """What is wrong with a sum of rows, such as an option that chooses what is not there."""


class Warns(Protocol):
    """Warnings about its scores are shown and saved with them."""

    def caveats(self, totals: Array, /) -> list[str]:
        """What a user should know, told from the sum of rows."""


class AddsFigures(Protocol):
    """The JSON of a run has figures that no sum of rows gives."""

    def extras(self, ids: Sequence[str], rows: Array, /) -> MetricsDict:
        """These figures, such as another tool's interval."""


# -- other programs ----------------------------------------------------------------------------


class Needs(Protocol):
    """``karat doctor`` and ``karat setup`` say what has to be installed for it."""

    @classmethod
    def missing(cls) -> str:
        """What has to be installed before it runs here, in one line; empty: nothing."""


def install_hint(metric: type) -> str:
    """What has to be installed before a metric runs here; empty: nothing."""
    return metric.missing() if has(metric, Needs) else ""


class Runs(Protocol):
    """A saved run does not start programs or contact servers without the user's consent.

    Options called command, url or function are taken to name such. A metric that runs anything
    else says so.
    """

    def runs(self) -> str:
        """The program that measuring would run, or the address it would contact."""


def would_run(metric: Declared) -> str:
    """The program that measuring would run, or the address it would contact; empty: none."""
    return metric.runs() if has(metric, Runs) else named_programs(metric)


def named_programs(metric: Declared) -> str:
    """The programs and addresses that the options of a metric name."""
    named = {name: metric.options.get(name) for name in ("command", "url", "function")}
    return " and ".join(f"the {name} {value!r}" for name, value in named.items() if value)


class NamesProgram(Protocol):
    """Signatures name the program that its scores come from; other ones are not comparable."""

    def program(self) -> str:
        """Name and version of the program."""


class HasToolLine(Protocol):
    """``--line`` prints what the tool prints that the metric stands in for: see `core.lines`."""

    tool_line: ClassVar[str]
    """The line with the names of scores in it, as `str.format` has them: ``F-score: {f:.2f}``."""


class PrintsLine(Protocol):
    """The same for a metric whose options decide what the line is."""

    def line(self, scores: MetricsDict, /) -> str:
        """The line of a result; what `AddsFigures` adds is under ``extras``. Empty: it has none."""


class RenamesFlags(Protocol):
    """Other flags than those of its options work on the command line, where they are free."""

    flag_synonyms: ClassVar[Mapping[str, str]]
    """Flags of the tool that it stands in for, or names, and the options that they mean."""
