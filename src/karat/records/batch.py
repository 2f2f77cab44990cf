"""Documents that are read and compared together by the kernel; Unicode and dates are ours.

And ANLS* as its reference implementation computes it, for comparison with published figures.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from karat._native import RecordBatch
from karat.core.capabilities import Pairs
from karat.core.marks import Array
from karat.records.model import Document, Golds, encoded
from karat.records.settings import Setting, Settings, Step, pointer

WAYS = {"none": 0, "fence": 1, "first": 2, "last": 3}
"""How JSON inside other text is found."""
COUNTS = (
    "gold", "system", "matched", "records_gold", "records_system", "records_equal", "exact",
    "shared",
)  # fmt: skip
TYPES = ("null", "boolean", "boolean", "number", "string", "array", "object")
"""What the leaves of the kernel are called, by their numbers."""
_DAY = (
    r"(\d{4})-?(\d\d)-?(\d\d)"
    r"(?:[T ]\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?\s?(?:Z|[+-]\d\d(?::?\d\d)?)?)?"
)


class Leaf(NamedTuple):
    """A leaf of a document, in an alignment."""

    type: str
    value: Any
    path: str
    """With ``*`` for positions in lists."""
    weight: float
    pointer: str


class Event(NamedTuple):
    """A leaf of gold, of the system, or of both where they are aligned."""

    gold: Leaf | None
    system: Leaf | None
    similarity: float
    optional: bool


class Batch:
    """Documents and the settings that they are compared by."""

    def __init__(
        self,
        settings: Settings,
        *,
        empty: str = "drop",
        literal: bool = False,
        root_only: bool = False,
    ) -> None:
        self.settings = settings
        self.native = RecordBatch(empty == "drop", literal, root_only)
        self.sizes: list[tuple[int, bool]] = []
        self._patterns: dict[int, str] = {}
        self.foreign: list[str] = []
        """The strings that are not ASCII."""

    def read(self, texts: Sequence[bytes], way: str, *, gold: bool) -> int:
        """Reads documents; gives the number of the first."""
        first = sum(size for size, _ in self.sizes)
        self.native.read(list(texts), WAYS[way])
        self.sizes.append((len(texts), gold))
        return first

    def prepare(self, longest: int) -> list[tuple[int, str]]:
        """Everything up to the comparison; documents of gold that are none, and why."""
        settings, fixed = self.settings, self.settings.all
        needs_text = any(each.compare in ("text", "fuzzy") for each in fixed)
        ids, strings = self.native.foreign()
        self.foreign = texts = [each.decode("utf-8", "surrogatepass") for each in strings]
        own = [_bytes(unicodedata.normalize("NFC", text)) for text in texts]
        loose = [_bytes(folded(text)) for text in texts] if needs_text else []
        self.native.normalize(ids, own, loose, needs_text)
        dates = settings.dates(fixed)
        if dates:
            self.native.set_dates(self._days(dates))
        is_gold = np.concatenate([np.full(size, gold, np.uint8) for size, gold in self.sizes])
        errors = [(int(i), str(message)) for i, message in self.native.build(is_gold)]
        self._settle(dates, longest)
        return errors

    def _days(self, dates: Sequence[tuple[str, ...]]) -> list[npt.NDArray[np.int32]]:
        strings = [each.decode("utf-8", "surrogatepass") for each in self.native.strings()]
        return [np.array([day(text, formats) for text in strings], np.int32) for formats in dates]

    def _settle(self, dates: Sequence[tuple[str, ...]], longest: int) -> None:
        """Each path gets its setting. Below the longest pattern only weights come from above."""
        settings = self.settings
        self._steps: list[tuple[int, bytes | None]] = self.native.paths()
        numbers = np.zeros(len(self._steps), np.int32)
        used: dict[Setting, int] = {}
        if settings.longest < 0:
            used[settings.default] = 0
        else:
            depths: list[int] = []
            at: list[Setting] = []
            for i, (parent, _) in enumerate(self._steps):
                depths.append(0 if parent < 0 else depths[parent] + 1)
                if depths[i] <= settings.longest:
                    at.append(settings.at(self.path(i)))
                else:
                    at.append(settings.below(at[parent]))
                numbers[i] = used.setdefault(at[i], len(used))
        native = [setting.native(settings.denominator, dates) for setting in used]
        self.native.settle(native, numbers, settings.denominator, longest)

    def path(self, number: int) -> tuple[Step, ...]:
        """The steps to a path, None for elements of lists."""
        steps: list[Step] = []
        parent, step = self._steps[number]
        while parent >= 0:
            steps.append(None if step is None else step.decode("utf-8", "surrogatepass"))
            parent, step = self._steps[parent]
        return tuple(reversed(steps))

    def compare(self, pairs: Sequence[tuple[int, int]]) -> tuple[Array, dict[int, str]]:
        """The counts (`COUNTS`) of pairs of gold and system; what is wrong with some of them."""
        rows, errors = self.native.compare(_pairs(pairs))
        return rows, {int(i): str(message) for i, message in errors}

    def events(self, gold: int, system: int) -> list[Event]:
        """The leaves of the chosen alignment."""
        return [self._event(found) for found in self.native.events(gold, system)]

    def told(self, gold: int, system: int) -> tuple[float, list[Event]]:
        """The weight of gold that is matched, and the leaves that are not, or not entirely."""
        matched, left = self.native.told(gold, system)
        return matched, [self._event(found) for found in left]

    def _event(self, found: tuple[Any, Any, float, bool, bytes, bytes]) -> Event:
        ours, theirs, similarity, optional, at_gold, at_system = found
        return Event(self._leaf(ours, at_gold), self._leaf(theirs, at_system), similarity, optional)

    def _leaf(self, found: tuple[int, bytes, int, float] | None, at: bytes) -> Leaf | None:
        if found is None:
            return None
        type_, text, path, weight = found
        value = _VALUES[type_](text.decode("utf-8", "surrogatepass"))
        where = at.decode("utf-8", "surrogatepass")
        return Leaf(TYPES[type_], value, self.pattern(path), weight, where)

    def pattern(self, path: int) -> str:
        """A path as a pointer, with ``*`` for positions in lists."""
        found = self._patterns.get(path)
        if found is None:
            found = self._patterns[path] = pointer(self.path(path))
        return found

    def patterns(self) -> list[str]:
        """The same for all paths."""
        return [self.pattern(path) for path in range(len(self._steps))]


def number(text: str) -> int | float | str:
    """A number of JSON as Python has it, or its text where that would not be the same number.

    >>> number("12e1"), number("15e-1"), number("1e400")
    (120, 1.5, '1e400')
    """
    digits, _, exponent = text.partition("e")
    power = int(exponent) if len(exponent) < 6 else 10**6
    if 0 <= power <= 30 and len(digits) < 40:
        return int(digits + "0" * power)
    value = float(text)
    if -400 < power < 400 and len(digits) < 18 and abs(value) < float("inf") and value:
        return value
    return text


_VALUES: tuple[Callable[[str], Any], ...] = (
    lambda _: None, lambda _: False, lambda _: True, number, str, lambda _: [], lambda _: {},
)  # fmt: skip
"""The values of leaves from their texts, by the numbers of their types."""


def _pairs(pairs: Sequence[tuple[int, int]]) -> npt.NDArray[np.int32]:
    return np.array(pairs, np.int32).reshape(len(pairs), 2)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def folded(text: str) -> str:
    """A string as `text` and `fuzzy` compare it: without regard to case, width and white space.

    >>> folded(" Straße  ﬁn ")
    'strasse fin'
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", text).split())


@lru_cache(maxsize=1 << 14)
def day(text: str, formats: tuple[str, ...]) -> int:
    """The day that a string names, as a number; -1 where it names none.

    >>> day("2024-03-04T10:00Z", ()) == day("04.03.2024", ("%d.%m.%Y",)) == day("20240304", ())
    True
    """
    stripped = text.strip()
    found = re.fullmatch(_DAY, stripped)
    if found and (stripped[4] == "-") == (stripped[5:8].find("-") >= 0):
        try:
            return date(*map(int, found.groups())).toordinal()
        except ValueError:
            return -1
    for each in formats:
        try:
            return datetime.strptime(stripped, each).date().toordinal()
        except ValueError:
            continue
    return -1


# -- ANLS* --------------------------------------------------------------------------------------


def measure_anls(pairs: Pairs) -> Array:
    """Items and scores of a chunk; of several golds the best counts."""
    batch = RecordBatch(False, False, False)
    golds: list[Any] = []
    numbers: list[tuple[int, int]] = []
    owners: list[int] = []
    for system, (_, gold) in enumerate(pairs):
        for each in gold.documents if isinstance(gold, Golds) else [gold]:
            numbers.append((len(pairs) + len(golds), system))
            owners.append(system)
            golds.append(each)
    batch.read([encoded(system) for system, _ in pairs], 0)
    batch.read([encoded(gold) for gold in golds], 0)
    strings = [_characters(each.decode("utf-8", "surrogatepass")) for each in batch.strings()]
    texts, classes = _numbers([each.decode() for each in batch.numbers()])
    found = batch.anls(np.array(numbers, np.int32).reshape(-1, 2), strings, texts, classes)
    scores = np.zeros(len(pairs))
    for score, owner, gold, (number, _) in zip(found.tolist(), owners, golds, numbers, strict=True):
        if score != score:
            document = gold if isinstance(gold, Document) else Document(encoded(gold))
            failure, offset = batch.failure(number)
            if failure:
                raise document.error(f"gold is not JSON: {failure}", offset)
            raise document.error("gold is a choice between nothing")
        scores[owner] = max(scores[owner], score)
    return np.column_stack([np.ones(len(pairs)), scores])


def _characters(text: str) -> npt.NDArray[np.int32]:
    """The code points of a leaf as it is compared: lower case, single blanks."""
    return _codes(" ".join(text.strip().lower().split()))


def _codes(text: str) -> npt.NDArray[np.int32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)


def _numbers(texts: list[str]) -> tuple[list[npt.NDArray[np.int32]], npt.NDArray[np.int32]]:
    """Numbers as Python prints them, and which are equal: True is 1, 1 is 1.0."""
    known: dict[Any, int] = {0: 0, 1: 1}
    shown, classes = [], []
    for text in texts:
        try:
            value: Any = json.loads(text)
            printed = str(value)
        except ValueError:  # more digits than Python converts
            value = printed = text
        shown.append(_characters(printed))
        classes.append(known.setdefault(value, len(known)))
    return shown, np.array(classes, np.int32)
