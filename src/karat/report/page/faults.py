"""The errors of all items: which words differ, which errors are most frequent, what is confused."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.reading.strings import Referenced
from karat.core.shown import Fault, Kind
from karat.report.contract import Confusion, ErrorRow
from karat.text.words.unicode import WORD_CHARACTERS

MOST_ERRORS = 300
"""So many errors of each metric are listed, the most frequent ones."""
MOST_LABELS = 30
"""So many labels has a table of confusions."""
_LONGEST_ERROR = 120
_LONGEST_LABEL = 24
Ints = npt.NDArray[np.int64]
LAYER = "what differs"
PART = "words"
MOST_WORDS = 3000
"""Longer texts are not compared word by word."""
Numbers = npt.NDArray[np.int32]


class WordDifferences:
    """Compares texts with their references, and gives each difference a number."""

    def __init__(self) -> None:
        self._native = _native.WordMarks()

    def marks(self, texts: Referenced) -> tuple[list[bytes], Numbers, Numbers]:
        """Marks of each text against the closest of its references, as JSON.

        Besides, for each difference that is counted, the text that has it and its number. A word
        that stands at another place is moved, not missing and surplus.
        """
        known = None
        if not (texts.systems.data.isascii() and texts.references.data.isascii()):
            known = WORD_CHARACTERS.for_texts(texts.systems, texts.references)
        return self._native.compare(*texts.columns, known, MOST_WORDS)

    def fault(self, number: int) -> Fault:
        """The difference with this number."""
        kind, gold, system = self._native.fault(number)
        return Fault(PART, Kind(kind), gold, system)


def word_marks(system: str, golds: Sequence[str]) -> tuple[list[int], list[Fault]]:
    """The marks of one text, and what differs."""
    differences = WordDifferences()
    (marks,), _, numbers = differences.marks(Referenced.of([(system, golds)]))
    return msgspec.json.decode(marks), [differences.fault(each) for each in numbers.tolist()]


class _Table:
    """Errors as numbers, counted: `numbers` are all that there are, in order."""

    def __init__(self, rows: Sequence[array[int]], found: Sequence[array[int]]) -> None:
        every = np.concatenate([np.frombuffer(numbers, np.int64) for numbers in found])
        at = np.concatenate([np.frombuffer(some, np.int64) for some in rows])
        seen = np.bincount(every) > 0
        self.numbers = np.flatnonzero(seen)
        place = (np.cumsum(seen) - 1)[every]
        systems = np.repeat(np.arange(len(found)), list(map(len, found)))
        count = len(self.numbers)
        cells = systems * count + place
        self.of_system = np.bincount(cells, minlength=len(found) * count).reshape(len(found), count)
        """How often each system makes each error."""
        self.times = self.of_system.sum(axis=0)
        width = int(at.max(initial=0)) + 1
        first = np.full(count, np.iinfo(np.int64).max)
        np.minimum.at(first, place, (systems * width + at) * len(at) + np.arange(len(at)))
        self.as_seen = np.argsort(first)
        """The places of errors in the order in which systems and items have them first."""
        # In the order of cells, those of each by rows; one sort of numbers that say both.
        self._rows = np.sort(cells * width + at)
        self._is_new = np.diff(self._rows, prepend=-1) != 0
        """Whether the item is not the one before with the same error."""
        having = np.bincount(self._rows[self._is_new] // width, minlength=len(found) * count)
        self.items_of_system = having.reshape(len(found), count)
        """How many items of each system have each error."""
        self._rows %= width
        self._ends = np.cumsum(self.of_system.ravel())

    def rows_with(self, number: int, system: int) -> Ints:
        return self._rows[self._cell(number, system)]

    def items_with(self, number: int, system: int) -> Ints:
        cell = self._cell(number, system)
        return np.asarray(self._rows[cell][self._is_new[cell]])

    def _cell(self, number: int, system: int) -> slice:
        cell = system * len(self.numbers) + int(np.searchsorted(self.numbers, number))
        end = int(self._ends[cell])
        return slice(end - int(self.of_system.ravel()[cell]), end)


class Faults:
    """The errors by one metric, as numbers, with the rows that have them.

    An error that the metric tells has an even number, a difference of words an odd one.
    """

    def __init__(self, systems: int) -> None:
        self.words = WordDifferences()
        self._numbers: dict[Fault, int] = {}
        self._told: list[Fault] = []
        self._rows = [array("q") for _ in range(systems)]
        self._found = [array("q") for _ in range(systems)]
        self._counted: _Table | None = None

    def add(self, system: int, row: int, faults: Sequence[Fault]) -> None:
        """Takes the errors of an item."""
        numbers = [self._number(fault) for fault in faults]
        self._found[system].extend(numbers)
        self._rows[system].extend([row] * len(numbers))
        self._counted = None

    def _number(self, fault: Fault) -> int:
        number = self._numbers.get(fault)
        if number is None:
            number = self._numbers[fault] = 2 * len(self._told)
            self._told.append(Fault(*fault))  # a kernel gives plain tuples
        return number

    def add_many(self, system: int, rows: Ints, faults: Sequence[Fault], places: Numbers) -> None:
        """Takes errors of some items, each with the row that has it, by their places in a list."""
        numbers = np.array([self._number(fault) for fault in faults], np.int64)
        self._add(system, rows, numbers[places])

    def add_words(self, system: int, rows: Ints, numbers: Numbers) -> None:
        """Takes differences of words, each with the row that has it."""
        self._add(system, rows, 2 * numbers.astype(np.int64) + 1)

    def _add(self, system: int, rows: Ints, numbers: Ints) -> None:
        self._rows[system].frombytes(np.ascontiguousarray(rows, np.int64).tobytes())
        self._found[system].frombytes(numbers.tobytes())
        self._counted = None

    def forget(self, system: int) -> None:
        """Drops the errors of a system, which will be looked at once more."""
        self._rows[system], self._found[system] = array("q"), array("q")
        self._counted = None

    @property
    def _table(self) -> _Table:
        if self._counted is None:
            self._counted = _Table(self._rows, self._found)
        return self._counted

    def __len__(self) -> int:
        """How many different errors there are."""
        return len(self._table.numbers)

    def fault(self, number: int) -> Fault:
        """The error with this number."""
        return self.words.fault(number // 2) if number % 2 else self._told[number // 2]

    def most_frequent(self) -> list[int]:
        """The numbers of the most frequent errors; those of the same count by their names."""
        table = self._table
        least = 0
        if len(table.numbers) > MOST_ERRORS:
            least = int(np.partition(table.times, -MOST_ERRORS)[-MOST_ERRORS])
        some = np.flatnonzero(table.times >= least)
        known = zip((-table.times[some]).tolist(), table.numbers[some].tolist(), strict=True)
        ordered = sorted((times, self.fault(number), number) for times, number in known)
        return [number for *_, number in ordered[:MOST_ERRORS]]

    def rows_with(self, number: int, system: int) -> Ints:
        """The rows of a system that have an error, in order, as often as they have it."""
        return self._table.rows_with(number, system)

    def items_with(self, number: int, system: int) -> Ints:
        """The same, each once."""
        return self._table.items_with(number, system)

    def error_row(self, metric: int, number: int) -> ErrorRow:
        """An error as the page lists it."""
        fault, table = self.fault(number), self._table
        place = int(np.searchsorted(table.numbers, number))
        return ErrorRow(
            part=fault.part,
            kind=int(fault.kind),
            gold=_short(fault.gold),
            system=_short(fault.system),
            metric=metric,
            times=table.of_system[:, place].tolist(),
            items=table.items_of_system[:, place].tolist(),
            columns=["" for _ in self._rows],
        )

    def confusions(self, metric: int) -> Iterator[Confusion]:
        """For each part that has labels, which a system takes for which others; words have none."""
        table = self._table
        seen = table.numbers[table.as_seen]
        times = table.of_system[:, table.as_seen]
        told: dict[str, list[int]] = {}
        for place in np.flatnonzero(seen % 2 == 0).tolist():
            fault = self._told[int(seen[place]) // 2]
            places = told.setdefault(fault.part, [])
            if fault.kind == Kind.CHANGED:
                places.append(place)
        for part, places in told.items():
            labels: dict[str, int] = {}
            faults = [self._told[int(seen[place]) // 2] for place in places]
            pairs = [[labels.setdefault(x, len(labels)) for x in f[2:]] for f in faults]
            ends = np.array(pairs, np.int64).reshape(-1, 2)
            yield from _confusions(part, metric, ends, times[:, places], list(labels).__getitem__)


def _confusions(
    part: str, metric: int, ends: Ints, times: Ints, name: Callable[[int], str]
) -> Iterator[Confusion]:
    """The tables of all systems: `ends` are the labels of gold and system, by their numbers."""
    for system, counts in enumerate(times):
        made = counts > 0
        pairs, count = ends[made], counts[made]
        known, first, place = np.unique(pairs.ravel(), return_index=True, return_inverse=True)
        involved = np.bincount(place, np.repeat(count, 2), len(known))
        order = np.lexsort((first, -involved))[:MOST_LABELS]
        labels = sorted((name(int(known[i])), int(known[i])) for i in order)
        if len(labels) < 3 or max(len(label) for label, _ in labels) > _LONGEST_LABEL:
            continue
        at = {number: i for i, (_, number) in enumerate(labels)}
        cells = [[0] * len(labels) for _ in labels]
        inside = np.isin(pairs, known[order]).all(axis=1)
        for (gold, other), number in zip(
            pairs[inside].tolist(), count[inside].tolist(), strict=True
        ):
            cells[at[gold]][at[other]] += number
        if any(map(any, cells)):
            yield Confusion(part, metric, system, [label for label, _ in labels], cells)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_ERROR else text[: _LONGEST_ERROR - 1] + "…"
