"""What a page holds: the contract between Python, which computes, and the page, which shows.

``web/src/contract.ts`` is made from these structs. Within a version, fields are only added. No
string is HTML or SVG. Undefined numbers are null.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from karat.core.shown import Content, Overlay, Unit

SCHEMA = "karat.page/1"

Figure: TypeAlias = tuple[float | None, float | None, float | None]
"""A score and both ends of its interval."""


class Made(msgspec.Struct):
    """How the figures were made."""

    version: str
    level: float
    resamples: int
    seed: int
    method: str
    trials: int
    alpha: float
    cluster: str = ""
    """The field whose values make clusters of items, which statistics take as one."""


class InputFile(msgspec.Struct):
    """A file that was measured."""

    role: str
    name: str
    reading: str
    sha256: str


class System(msgspec.Struct):
    """What was measured; its letter is its sign everywhere."""

    name: str
    letter: str
    path: str
    """The name of its file, or what else it is called in the JSON of the run."""
    short: str
    """Its name where room is scarce: without what the names of all systems share."""


class Leaf(msgspec.Struct):
    """One of the scores of a metric."""

    name: str
    digits: int
    """Decimals that are shown; 0 for counts."""
    count: bool
    lower_is_better: bool


class MetricInfo(msgspec.Struct):
    """A metric, and the scores it has."""

    key: str
    """Its name; with a number where several differ in their options alone."""
    name: str
    label: str
    """The headline score as it is called on the page."""
    digits: int
    scale: float
    perfect: float
    lower_is_better: bool
    headline: int
    """The place of the headline among the leaves."""
    leaves: list[Leaf]
    layers: list[str]
    """The layers of marks that its items have, the first one being shown."""


class Pair(msgspec.Struct):
    """The test of two systems: the first minus the second."""

    first: int
    second: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    """Corrected for all pairs of systems."""
    floor: bool = False
    """Whether no smaller value was possible."""


class RunInfo(msgspec.Struct):
    """What is to be known of one run: a system by a metric."""

    signature: str
    items: int
    skipped: int
    inexact: int | None
    warnings: list[str]
    files: list[InputFile]


class ScoreTable(msgspec.Struct):
    """The scores of all systems by one metric, in the order of systems; null: not measured."""

    runs: list[RunInfo | None]
    figures: list[list[Figure] | None]
    """For each system the figures of all leaves."""
    means: list[float | None]
    """The mean of the items' headlines."""
    ranks: list[int | None]
    pairs: list[Pair]
    test: str
    reasons: str
    """Why intervals are missing."""
    untested: str = ""
    """Why systems are not compared, where they could be."""


class Group(msgspec.Struct):
    """A group of items."""

    name: str
    items: int
    figures: list[list[Figure | None]]
    """For each metric the headline of each system."""
    pairs: list[list[Pair]]
    """For each metric the differences of systems; none for small groups."""


class Facet(msgspec.Struct):
    """A way to break the items down."""

    name: str
    groups: list[Group]
    column: str
    """The column that says which group an item is in; empty where items are split."""
    level: float
    """The level of the intervals of differences, none of them corrected."""


class ErrorRow(msgspec.Struct):
    """A frequent error: how often each system makes it, and in how many items."""

    part: str
    kind: int
    gold: str
    system: str
    metric: int
    times: list[int]
    items: list[int]
    columns: list[str]
    """For each system the column of the rows that have it; empty: none has."""


class Confusion(msgspec.Struct):
    """Which labels a system takes for which others: a table of counts, gold in rows."""

    part: str
    metric: int
    system: int
    labels: list[str]
    counts: list[list[int]]


class Column(msgspec.Struct):
    """Values of all items, in an element of their own."""

    id: str
    name: str
    role: str
    """score, facet, key, posting or human."""
    dtype: str
    """f8, u1, u2, u4: little-endian; text: lines; gaps: distances of row numbers."""
    size: int
    """How many bytes it has, decompressed."""
    metric: int = -1
    system: int = -1
    values: list[str] = []
    """The names that the numbers of a facet stand for."""


class Correlation(msgspec.Struct):
    """How a metric agrees with a judgement at one level."""

    metric: str
    human: str
    level: str
    coefficients: dict[str, Figure]
    n: int


class Point(msgspec.Struct, array_like=True):
    """An output, or a system: the metric's value and the people's."""

    name: str
    row: int
    system: int
    metric: float
    human: float


class Agreement(msgspec.Struct):
    """A metric held against people: points, correlations, and where they disagree."""

    metric: str
    human: str
    correlations: list[Correlation]
    outputs: list[Point]
    systems: list[Point]
    disagreements: list[tuple[int, float]]
    """Places among the outputs, and the difference of their ranks, the largest first."""


class MetricTest(msgspec.Struct):
    """The test of two metrics against one judgement: the first's correlation minus the second's."""

    human: str
    level: str
    coefficient: str
    first: str
    second: str
    difference: float | None
    p: float | None
    """Corrected for all tests of this judgement, level and coefficient."""
    method: str


# -- what fixing errors would gain -------------------------------------------------------------


class Edit(msgspec.Struct, array_like=True):
    """One change that takes an output nearer to gold, such as another label of an edge."""

    kind: str
    """What is done, such as relabel edge, add node, delete term."""
    name: str
    """The class that it is in; ``class`` in the JSON of ``karat repair``."""
    system: str
    """What the output has; empty: nothing."""
    gold: str
    """What gold has; empty: nothing."""
    gain: float | None
    """What the headline of the run gains by this edit alone."""
    parts: list[tuple[int, int, int]] = []
    """What of the drawing it is about, which switches with it: where (0 node, 1 arrow, 2 gold's
    arc, 3 the system's arc, 4 mark of the first layer), its place there, and the place of a line
    of the node or of a note of the arrow; -1: all of it. 5 and 6 are what gold and the system have
    in a line of a node (-1: its being a top), 7 and 8 in a note of an arrow (-1: its label)."""


class RepairClass(msgspec.Struct):
    """Edits of one class, and what the run would gain by all of them."""

    name: str = msgspec.field(name="class")
    edits: int
    items: int
    delta: dict[str, float | None]
    """What is added to each of the scores p, r and f, or to the headline alone, by its name."""
    interval: tuple[float | None, float | None]
    """Of the headline's gain."""
    per_edit: float | None
    remeasured: float | None = None
    """The headline of the run measured again after these edits; None: it was not measured."""
    column: str = ""
    """The column of the rows that have such edits; made by the page."""


class RepairStep(msgspec.Struct):
    """The first classes of the plan, taken together."""

    classes: list[str]
    f: float | None
    """The headline after them."""
    remeasured: float | None = None


class RepairView(msgspec.Struct):
    """Which errors of one run, fixed, gain how much; edits of items are in their views."""

    metric: int
    system: int
    partition: str
    """How edits are put into classes: kind, edge-label, a field of the items."""
    rank: str
    """How classes are ordered: gain, gain-per-edit or plan."""
    before: float | None
    after: float | None
    """The headline of the run, and with everything repaired."""
    scores: dict[str, float | None]
    repaired: dict[str, float | None]
    classes: list[RepairClass]
    plan: list[RepairStep]
    exact: bool
    """Whether edits come from proven correspondences; else gains are bounds."""
    warnings: list[str]


# -- suspects in gold --------------------------------------------------------------------------


class Picture(msgspec.Struct, array_like=True):
    """A drawing of one side: words with arcs, terms or a text, or a graph; marks are in it."""

    content: Content | None = None
    overlay: Overlay | None = None


class AuditPart(msgspec.Struct):
    """A slot of a gold item."""

    kind: str
    """label, property, edge, head, tag, term, top …"""
    where: str


class Finding(msgspec.Struct):
    """A part of gold that systems agree against."""

    row: int
    id: str
    part: AuditPart
    gold: str
    suggestion: str
    systems: list[str]
    """Who says what is suggested."""
    evidence: float
    """In log10 odds."""
    verdict: str = ""
    """What an annotator said of it, where that was read back."""


class AuditItem(msgspec.Struct):
    """An item with findings: gold and what the systems agree on, the parts in question marked."""

    row: int
    id: str
    evidence: float
    findings: list[int]
    """Places among the findings."""
    gold: Picture | None = None
    consensus: Picture | None = None


class AuditSystem(msgspec.Struct):
    """A voter: how often it is right on each kind of part, and how much it counts."""

    name: str
    accuracy: dict[str, float | None]
    weight: float
    votes: bool = True
    """Whether it votes: a system that is wrong more often than right does not."""


class AuditView(msgspec.Struct):
    """Where systems agree with each other against gold."""

    metric: int
    systems: list[AuditSystem]
    shared_errors: list[list[float | None]]
    """How often two systems make the same error, row and column in the order of systems."""
    findings: list[Finding]
    """The strongest evidence first."""
    items: list[AuditItem]
    parts: int
    """How many parts of gold were looked at."""
    warnings: list[str]
    precision: Figure | None = None
    """Of the findings that annotators judged, with its interval."""
    judged: int = 0


class TraceTable(msgspec.Struct):
    """Settings that give a figure, or come near to it."""

    title: str
    columns: list[str]
    words: list[int]
    """The columns that are not numbers."""
    rows: list[list[str]]


class TraceView(msgspec.Struct):
    """Where published figures come from."""

    figures: list[str]
    conclusion: str
    tables: list[TraceTable]
    notes: list[str]


class ItemSet(msgspec.Struct):
    """Runs that share their items; nearly always all of them."""

    name: str
    n: int
    block: int
    blocks: list[int]
    """The size of each block of items, decompressed; 0: it is not in the page."""
    kept: int
    """How many items have contents."""
    systems: list[int]
    scores: list[ScoreTable]
    facets: list[Facet]
    errors: list[ErrorRow]
    errors_left_out: int
    confusions: list[Confusion]
    columns: list[Column]
    agreements: list[Agreement]
    source_label: str
    """What stands in the table for an item: the field of its input, source, gold, or nothing."""
    tests: list[MetricTest] = []
    """Metrics against each other in how they agree with people."""
    repairs: list[RepairView] = []
    """One for each run that was repaired."""
    audit: AuditView | None = None
    trace: TraceView | None = None


class LeftOut(msgspec.Struct):
    """What is not in the page, and how to see it."""

    what: str
    why: str
    command: str


class Page(msgspec.Struct):
    """The head of a page: everything but the items."""

    schema: str
    title: str
    headline: list[str]
    warnings: list[str]
    made: Made
    systems: list[System]
    metrics: list[MetricInfo]
    sets: list[ItemSet]
    left_out: list[LeftOut]
    served: bool = False
    """Whether blocks and columns are fetched from the server that the page came from."""


class View(msgspec.Struct, array_like=True):
    """What one metric says of one output."""

    layers: dict[str, list[int]]
    overlay: Overlay | None
    notes: list[str]
    counts: list[tuple[str, int, int, int]]
    """Parts in gold, in the system's output, and in both."""
    units: list[Unit]
    edits: list[Edit] = []
    """What would take the output to gold, where the run was repaired."""
    labels: list[str] = []
    """What the marks of the first layer are called, where they are called anything."""
    contents: list[Content] = []
    """Golds and the output as arcs with the marks of this pair, where those of the item have
    others: they are marked for the first system and metric."""


class Output(msgspec.Struct, array_like=True):
    """A system's output; no content where the overlay holds it all."""

    content: Content | None
    views: list[View | None]
    """One for each metric."""


class Item(msgspec.Struct, array_like=True):
    """A row of the table, with all that there is to see of it."""

    source: str | None
    golds: list[Content]
    outputs: list[Output | None]


class Block(msgspec.Struct):
    """Items that are neighbours; null where an item is left out of the page."""

    items: list[Item | None]


class Selected(msgspec.Struct):
    """The answer of the server: how good systems are on some items."""

    n: int
    figures: list[Figure | None]
    pair: Pair | None
    test: str


class Found(msgspec.Struct):
    """The answer of the server: the rows that have words, and how many were searched."""

    rows: list[int]
    searched: int


class Rescored(msgspec.Struct):
    """The answer of the server: what another metric, or other options, say of one item."""

    signature: str
    label: str
    digits: int
    values: list[float | None]
    """The headline of each system."""
    outputs: list[Output | None]
    golds: list[Content]
    layers: list[str]
