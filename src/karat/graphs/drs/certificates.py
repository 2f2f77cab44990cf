"""Certificates of the best mappings of clauses, by which they are checked without a search.

A certificate holds the mapping, and a proof that no other is better: the branches over
mappings of boxes that were looked into, in their order. A branch is either left open, so
that all ways to map its next box follow, or closed by multipliers which bound what can
match there. Where that does not prove the optimum (there the matcher took branch and
bound itself, or there are too many branches, or the search was ended), there are no
branches, and the pair is matched again to be checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from karat.graphs.drs.clauses import Clause, title
from karat.graphs.drs.matching import KINDS, WORK_OF_CLAUSE, Chosen, ClauseMatching, ClausePair
from karat.graphs.matching.certificates import mismatch, numbers_of, packed, unpacked
from karat.graphs.matching.solver import DEFAULT_BUDGET, GraphPair, check_many, match_many

_MOST_BRANCHES = 2_000


class ClauseCertificate(msgspec.Struct, frozen=True, array_like=True):
    """The mapping of variables, and the branches in order: None is open, else multipliers."""

    mapping: dict[str, str]
    branches: list[bytes | None]


def issue(
    gold: Sequence[Clause],
    system: Sequence[Clause],
    found: ClauseMatching,
    budget: int = DEFAULT_BUDGET,
) -> bytes:
    """The certificate of a matching."""
    branches = _proof(ClausePair(gold, system), found.value, budget) if found.proven else []
    return packed(ClauseCertificate(found.mapping, branches))


def verify(
    gold: Sequence[Clause],
    system: Sequence[Clause],
    proof: bytes,
    search: Callable[[], ClauseMatching],
) -> ClauseMatching:
    """The matching that a certificate proves; one that does not fit is an error.

    `search` finds the best matching where the certificate has no branches, or where another
    mapping of the same value could match clauses of other kinds.
    """
    opened = unpacked(proof, ClauseCertificate)
    pair = ClausePair(gold, system)
    _check_mapping(pair, opened.mapping)
    matched = pair.matched(opened.mapping)
    if opened.branches and _bound(pair, opened.branches) > len(matched):
        raise mismatch("its branches do not prove its mapping the best one")
    found = ClauseMatching(opened.mapping, matched, len(matched), 0)
    if opened.branches and _titles(matched) == _titles(gold) & _titles(system):
        return found  # no mapping matches more of any kind
    again = search()
    if again.value != len(matched):
        raise mismatch("its mapping is not the best one that is found")
    if _titles(again.matched) != _titles(matched):
        raise mismatch("its mapping is not the one that the search prefers")
    return ClauseMatching(opened.mapping, matched, again.bound, 0)


def _titles(clauses: Sequence[Clause]) -> Counter[str]:
    return Counter(map(title, clauses))


def _check_mapping(pair: ClausePair, mapping: dict[str, str]) -> None:
    ours, theirs = pair.kinds
    if len(set(mapping.values())) < len(mapping):
        raise mismatch("its mapping is not one-to-one")
    for name, partner in mapping.items():
        if name not in ours or partner not in theirs or ours[name] != theirs[partner]:
            raise mismatch("its mapping is of other structures")


def _proof(pair: ClausePair, value: int, budget: int) -> list[bytes | None]:
    """Branches that are all closed at this value, or none."""
    result: list[bytes | None] = []
    left: list[Chosen] = [{}]
    size = len(pair.gold) + len(pair.system)
    most = min(_MOST_BRANCHES, budget // (WORK_OF_CLAUSE * max(size, 1)))
    while left:
        chosen = left.pop()
        relaxed, joined = pair.relaxed(chosen)
        numbers = match_many([relaxed], KINDS, tie_budget=0, budget=budget // 50)[0].certificate
        if _bounds([relaxed], [numbers])[0] + joined <= value:
            result.append(numbers.astype("<i8").tobytes())
        elif len(chosen) == len(pair.gold_boxes) or len(result) >= most:
            return []
        else:
            result.append(None)
            left += pair.choices(chosen)
    return result


def _bound(pair: ClausePair, branches: Sequence[bytes | None]) -> int:
    """The upper bound on all mappings that these branches prove."""
    left: list[Chosen] = [{}]
    relaxed: list[GraphPair] = []
    joined: list[int] = []
    numbers: list[npt.NDArray[np.int64]] = []
    for branch in branches:
        if not left:
            raise mismatch("it has more branches than there are mappings of boxes")
        chosen = left.pop()
        if branch is not None:
            graphs, constant = pair.relaxed(chosen)
            relaxed.append(graphs)
            joined.append(constant)
            numbers.append(numbers_of(branch, 8))
        elif len(chosen) == len(pair.gold_boxes):
            raise mismatch("it leaves a mapping of all boxes open")
        else:
            left += pair.choices(chosen)
    if left:
        raise mismatch("it leaves branches out")
    return int(np.max(_bounds(relaxed, numbers) + np.array(joined)))


def _bounds(
    pairs: Sequence[GraphPair], numbers: Sequence[npt.NDArray[np.int64]]
) -> npt.NDArray[np.int64]:
    nowhere = [np.full(pair.gold.nodes, -1) for pair in pairs]
    verdicts = check_many(pairs, KINDS, nowhere, numbers)
    if not verdicts.valid.all():
        raise mismatch("its multipliers break the rules")
    return verdicts.bound
