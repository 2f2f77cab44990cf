"""Scores: nested names over numbers, or over arrays of numbers.

`summarize` gives arrays, whatever the leading axes; what a user sees is a
`MetricsDict` of plain numbers with the same names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, Union

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.core.marks import Array as Array
from karat.core.marks import Score, count, find_path, main
from karat.core.marks import unknown_score as unknown_score
from karat.errors import OptionError

Scores: TypeAlias = Mapping[str, Union[Array, Score, "Scores"]]
Leaf: TypeAlias = float | int | bool | None | list[Any]


#: Whether statistics are being computed, for which 0/0 has no value.
_STRICT: ContextVar[bool] = ContextVar("strict", default=False)


@contextmanager
def undefined_is_nan() -> Iterator[None]:
    """Within it, `ratio` and `convention` give NaN for 0/0, whatever a metric calls it.

    A score of nothing is reported as its metric's convention has it, but a resample or
    an item in which nothing is counted says nothing about the score.

    >>> with undefined_is_nan():
    ...     float(ratio(0, 0)), float(ratio(0, 0, empty=1.0)), float(ratio(1, 2))
    (nan, nan, 0.5)
    """
    token = _STRICT.set(True)
    try:
        yield
    finally:
        _STRICT.reset(token)


def convention(value: float) -> float:
    """The value that a metric defines for 0/0; NaN while statistics are computed."""
    return math.nan if _STRICT.get() else value


def quotient(part: npt.ArrayLike, whole: npt.ArrayLike, empty: float = 0.0) -> Array:
    """part / whole, and `empty` where the whole is 0: a step on the way to a score.

    >>> quotient([1.0, 0.0], [4.0, 0.0])
    array([0.25, 0.  ])
    """
    part, whole = np.asarray(part, float), np.asarray(whole, float)
    alike = part.shape == whole.shape
    if alike and part.ndim == 1:
        return _native.quotients(part, whole, empty)
    result = np.full(part.shape if alike else np.broadcast_shapes(part.shape, whole.shape), empty)
    np.divide(part, whole, out=result, where=whole != 0)
    return result


def ratio(part: npt.ArrayLike, whole: npt.ArrayLike, empty: float = 0.0) -> Array:
    """A score that is part / whole, and `empty` where the whole is 0: nothing to find is no credit.

    Intervals and tests take such a score for undefined; see `undefined_is_nan`.

    >>> ratio([1.0, 0.0], [4.0, 0.0])
    array([0.25, 0.  ])
    """
    return quotient(part, whole, convention(empty))


def harmonic(precision: npt.ArrayLike, recall: npt.ArrayLike) -> Array:
    """The harmonic mean, 0 where both are 0.

    While statistics are computed: 0 where one side alone is undefined, since the other
    is 0 then; undefined where both are.
    """
    precision, recall = np.asarray(precision, float), np.asarray(recall, float)
    if precision.ndim == 1 and precision.shape == recall.shape:
        return _native.harmonic_means(precision, recall, _STRICT.get())
    result = quotient(2 * precision * recall, precision + recall)
    if _STRICT.get():
        result = np.where(np.isnan(precision) ^ np.isnan(recall), 0.0, result)
    return result


def precision_recall(
    gold: Array, system: Array, common: Array, *, headline: bool = False
) -> dict[str, Array | Score]:
    """The usual six figures of a comparison of two sets: sizes, precision, recall and F.

    With `headline`, F is the headline of the metric.
    """
    p, r = ratio(common, system), ratio(common, gold)
    f = harmonic(p, r)
    return {
        "g": count(gold),
        "s": count(system),
        "c": count(common),
        "p": p,
        "r": r,
        "f": main(f) if headline else f,
    }


def leaves(
    scores: Mapping[str, Any], prefix: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All (path, value) of a nested mapping, in order; values of marked scores without the mark."""
    for name, value in scores.items():
        if type(value) is Score:
            yield (*prefix, name), value.values
        elif isinstance(value, Mapping):
            yield from leaves(value, (*prefix, name))
        else:
            yield (*prefix, name), value


def nest(pairs: Iterable[tuple[tuple[str, ...], Any]]) -> MetricsDict:
    """The inverse of `leaves`."""
    result = MetricsDict()
    for path, value in pairs:
        result.put(path, value)
    return result


def nest_rows(columns: Sequence[tuple[tuple[str, ...], Sequence[Leaf]]]) -> list[MetricsDict]:
    """For each row a nested mapping, from columns of plain numbers.

    >>> nest_rows([(("a", "b"), [1, 2]), (("c",), [3, 4])])
    [{'a': {'b': 1}, 'c': 3}, {'a': {'b': 2}, 'c': 4}]
    """
    parts: dict[str, list[tuple[tuple[str, ...], Sequence[Leaf]]]] = {}
    for path, values in columns:
        parts.setdefault(path[0], []).append((path[1:], values))
    inner = [
        (name, part[0][1] if part[0][0] == () else nest_rows(part)) for name, part in parts.items()
    ]
    size = len(columns[0][1]) if columns else 0
    result = []
    for i in range(size):
        row = MetricsDict()
        # Plain numbers and mappings that are right already need no look at each.
        dict.update(row, [(name, values[i]) for name, values in inner])
        result.append(row)
    return result


def number(value: object) -> Leaf:
    """A plain number of Python's for a numpy scalar; whole counts are integers."""
    if isinstance(value, (list, tuple)):
        return [number(each) for each in value]
    if value is None or isinstance(value, (bool, int)):
        return value
    return float(value)  # type: ignore[arg-type]


def find_leaf(scores: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The path of a score by its name: see `find_path`."""
    return find_path([path for path, _ in leaves(scores)], name)


class MetricsDict(dict[str, Any]):
    """Nested names over numbers or lists of numbers.

    Writing makes the mappings on the way, ``scores["a"]["b"] = 1``; reading an unknown name
    makes nothing and is an error that lists the known ones.

    >>> scores = MetricsDict({"rouge-1": {"recall": 0.5}})
    >>> scores.flatten()
    {'rouge-1_recall': 0.5}
    >>> (scores + scores) / 4
    {'rouge-1': {'recall': 0.25}}
    """

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        for name, value in (values or {}).items():
            self[name] = MetricsDict(value) if isinstance(value, Mapping) else value

    def __missing__(self, name: str) -> Any:
        return _Unwritten(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, Mapping) and not isinstance(value, MetricsDict):
            value = MetricsDict(value)
        elif isinstance(value, (list, tuple)):
            value = list(value)
        super().__setitem__(name, value)

    def put(self, path: Iterable[str], value: Any) -> None:
        """Sets a nested name, making the mappings on the way."""
        *outer, last = path
        inner: dict[str, Any] = self
        for name in outer:
            inner = inner.setdefault(name, MetricsDict())
        inner[last] = value

    def update(self, other: Mapping[str, Any]) -> None:  # type: ignore[override]
        """Lays `other` over this: mappings are merged, the rest is replaced."""
        for name, value in other.items():
            mine = self.get(name)
            if isinstance(mine, MetricsDict) and isinstance(value, Mapping):
                mine.update(value)
            else:
                self[name] = MetricsDict(value) if isinstance(value, Mapping) else value

    def flatten(self) -> MetricsDict:
        """One level, names joined by ``_``; two paths with one name are an error."""
        result = MetricsDict()
        for path, value in leaves(self):
            name = "_".join(path)
            if name in result:
                raise OptionError(f"two scores flatten to the name {name!r}", code="K307")
            result[name] = value
        return result

    def average_values(self) -> MetricsDict:
        """Every list of numbers replaced by its mean."""
        return self._map(
            lambda value: (
                math.fsum(value) / len(value) if isinstance(value, list) and value else value
            )
        )

    def select(self, names: Iterable[str]) -> MetricsDict:
        """Only these top-level names; an unknown one is an error."""
        result = MetricsDict()
        for name in names:
            if name not in self:
                raise unknown_score(name, self)
            result.update({name: self[name]})
        return result

    def __add__(self, other: object) -> MetricsDict:
        if other == 0:
            return MetricsDict(self)
        if not isinstance(other, Mapping):
            return NotImplemented
        if self.keys() != other.keys():
            raise OptionError(
                f"scores with other names cannot be added: {sorted(self.keys() ^ other.keys())}",
                code="K307",
            )
        return MetricsDict({name: _add(name, value, other[name]) for name, value in self.items()})

    __radd__ = __add__

    def __truediv__(self, divisor: float) -> MetricsDict:
        return self._map(
            lambda value: (
                [_divide(each, divisor) for each in value]
                if isinstance(value, list)
                else _divide(value, divisor)
            )
        )

    def _map(self, function: Any) -> MetricsDict:
        return MetricsDict(
            {
                name: value._map(function) if isinstance(value, MetricsDict) else function(value)
                for name, value in self.items()
            }
        )

    def approx_equal(self, other: Mapping[str, Any], rel: float = 1e-9, abs: float = 0.0) -> bool:
        """Same names, and every number close."""
        mine, theirs = dict(leaves(self)), dict(leaves(other))
        return mine.keys() == theirs.keys() and all(
            _close(value, theirs[path], rel, abs) for path, value in mine.items()
        )


class _Unwritten:
    """A name that does not exist yet: it can be written to; any other use raises."""

    __slots__ = ("_name", "_owner")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, owner: MetricsDict | _Unwritten, name: str) -> None:
        self._owner = owner
        self._name = name

    def __getitem__(self, name: str) -> _Unwritten:
        return _Unwritten(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._owner[self._name] = MetricsDict({name: value})

    def _read(self, *_: object) -> Any:
        if isinstance(self._owner, _Unwritten):
            self._owner._read()
        raise unknown_score(self._name, self._owner)

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # somebody asks whether there is such a protocol
            raise AttributeError(attribute)
        return self._read()

    __repr__ = __str__ = __bool__ = __float__ = __int__ = __len__ = __iter__ = _read
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _read
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _read
    __truediv__ = __rtruediv__ = __neg__ = __abs__ = __round__ = __format__ = _read


def _add(name: str, a: Any, b: Any) -> Any:
    """The sum of two leaves; None if one is None."""
    if isinstance(a, MetricsDict) and isinstance(b, Mapping):
        return a + b
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            raise OptionError(
                f"{name!r} has lists of {len(a)} and {len(b)} numbers, which cannot be added",
                code="K307",
            )
        return [_add(name, x, y) for x, y in zip(a, b, strict=True)]
    if isinstance(a, (Mapping, list)) or isinstance(b, (Mapping, list)):
        raise OptionError(f"{name!r} does not have the same shape in both scores", code="K307")
    return None if a is None or b is None else a + b


def _divide(value: Any, divisor: float) -> Any:
    return None if value is None else value / divisor


def _close(a: Any, b: Any, rel: float, abs: float) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_close(x, y, rel, abs) for x, y in zip(a, b, strict=True))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=rel, abs_tol=abs)
    return type(a) is type(b) and a == b
