"""Certificates of matchings: by them value and bound are checked without a search.

A certificate holds the mapping, the multipliers that bound all mappings, and the
bound they give by themselves. Where that is not the value, the proof took branch and
bound, or there was none: such a pair is matched again to be checked. So is one where
mappings of the same value could have other counts by kind, unless the multipliers are
those of weights that obey the tie rule.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import VerificationError
from karat.graphs.matching.solver import (
    GraphPair,
    Kind,
    Matchings,
    Numbers,
    check_many,
    flat_pairs,
    match_many,
    rows_of,
)

Content = TypeVar("Content")
Used: TypeAlias = Literal["value", "counts", "mapping"]
"""The part of a matching that figures follow from: its value, the counts by kind, the mapping."""

# See docs/matching.md, sections 7 and 10.
_LARGEST = 1 << 28
_LARGEST_WEIGHT = 1 << 20  # that the matcher takes
_RANKED_BUDGET = 100_000_000


class Certificate(msgspec.Struct, frozen=True, array_like=True):
    """Little-endian numbers: the mapping (int32), the multipliers (int64), their bound.

    Where `ranked`, the weights are those of `ranking`, which no other mapping of equal value
    can have with other counts by kind.
    """

    mapping: bytes
    multipliers: bytes
    bound: int
    ranked: bool = False


def issue(
    pairs: Sequence[GraphPair], kinds: Sequence[Kind], found: Matchings, used: Used = "counts"
) -> list[bytes]:
    """The certificates of matchings, as bytes to keep."""
    mappings = [each.mapping for each in found]
    multipliers = [each.certificate for each in found]
    verdicts = check_many(pairs, kinds, mappings, multipliers)
    result = []
    for i, pair in enumerate(pairs):
        numbers, bound, ranked = multipliers[i], int(verdicts.bound[i]), False
        if used == "counts" and bound == verdicts.value[i]:
            proof = _ranked_proof(pair, kinds, mappings[i], found.counts[i])
            if proof is not None:
                (numbers, bound), ranked = proof, True
        mapping = mappings[i].astype("<i4").tobytes()
        result.append(packed(Certificate(mapping, numbers.astype("<i8").tobytes(), bound, ranked)))
    return result


def _ranked_proof(
    pair: GraphPair, kinds: Sequence[Kind], mapping: npt.NDArray[np.int32], counts: Numbers
) -> tuple[Numbers, int] | None:
    """Multipliers, and their bound, that also prove the tie rule obeyed, where need be."""
    most = _most(pair, len(kinds))
    if np.array_equal(counts[2], most):
        return None
    weights = ranking(kinds, most)
    if weights is None:
        return None
    (found,) = match_many([pair], weights, tie_budget=0, budget=_RANKED_BUDGET)
    verdict = check_many([pair], weights, [mapping], [found.certificate])
    if verdict.bound[0] != verdict.value[0]:
        return None
    return found.certificate, int(verdict.bound[0])


def ranking(kinds: Sequence[Kind], most: npt.NDArray[np.int64]) -> list[Kind] | None:
    """Weights by which mappings of the same value come in the order of the tie rule.

    One of the greatest weight is then the best in value, and there is no other like it with
    other counts by kind. None where the rule leaves counts open, or the numbers are too large.

    >>> ranking([Kind(rank=2), Kind(rank=1)], np.array([3, 4]))
    [Kind(weight=21, rank=0), Kind(weight=24, rank=0)]
    """
    order = sorted((kind.rank, k) for k, kind in enumerate(kinds) if most[k])
    ranks = [rank for rank, _ in order]
    if len(set(ranks)) < len(ranks) or any(not kinds[k].weight or not rank for rank, k in order):
        return None
    unit = math.prod(int(most[k]) + 1 for _, k in order)
    step, extra = unit, [0] * len(kinds)
    for _, k in order:
        step //= int(most[k]) + 1
        extra[k] = step
    weights = [kind.weight * unit + more for kind, more in zip(kinds, extra, strict=True)]
    return [Kind(weight) for weight in weights] if max(weights) <= _LARGEST_WEIGHT else None


def _most(pair: GraphPair, kinds: int) -> npt.NDArray[np.int64]:
    """How many tuples of each kind can match at most, whatever the mapping."""
    result = np.zeros(kinds, np.int64)
    for table, columns in (("features", 3), ("edges", 4)):
        gold, system = (
            Counter(row[-2:] for row in set(map(tuple, rows_of(getattr(side, table), columns))))
            for side in (pair.gold, pair.system)
        )
        for (kind, value), count in gold.items():
            result[kind] += min(count, system[kind, value])
    return result


def verify(
    pairs: Sequence[GraphPair],
    kinds: Sequence[Kind],
    proofs: Sequence[bytes],
    budget: int,
    used: Used = "counts",
) -> Matchings:
    """The matchings that certificates prove; one that does not fit its pair is an error.

    A mapping of the same value may match other tuples. Where a certificate does not prove
    what is `used` of it, the pair is matched again.
    """
    opened = [unpacked(proof, Certificate) for proof in proofs]
    mappings = [numbers_of(each.mapping, 4).astype(np.int32) for each in opened]
    for pair, mapping in zip(pairs, mappings, strict=True):
        if len(mapping) != pair.gold.nodes or any(
            j < -1 or j >= pair.system.nodes for j in mapping.tolist()
        ):
            raise mismatch("its mapping is of other graphs")
    flat = np.concatenate([*mappings, np.empty(0, np.int32)])
    counts = _native.count_pairs(flat_pairs(pairs, kinds), flat)
    most = [_most(pair, len(kinds)) for pair in pairs]
    value = counts[:, 2] @ np.array([kind.weight for kind in kinds], np.int64)
    is_open = _unproven(pairs, kinds, opened, mappings, most)
    if used == "counts":
        at_most = np.all(counts[:, 2] == np.array(most).reshape(-1, len(kinds)), axis=1)
        is_open |= ~(at_most | np.array([each.ranked for each in opened], np.bool_))
    elif used == "mapping":
        is_open[:] = True
    bound = value.copy()
    if is_open.any():
        places = np.flatnonzero(is_open)
        again = match_many([pairs[i] for i in places.tolist()], kinds, budget=budget)
        bound[places] = again.bound
        if np.any(again.value != value[places]):
            raise mismatch("its mapping is not the best one that is found")
        if used != "value" and not np.array_equal(again.counts, counts[places]):
            raise mismatch("its mapping is not the one that the tie rule prefers")
        if used == "mapping" and not np.array_equal(again.mapping, flat):
            raise mismatch("its mapping is not the one that the search prefers")
    return Matchings(
        mapping=flat,
        mapping_offsets=np.array([0, *map(len, mappings)], np.int64).cumsum(),
        value=value,
        bound=bound,
        settled=np.zeros(len(pairs), np.bool_),
        work=np.zeros(len(pairs), np.int64),
        counts=counts,
        certificate=np.empty(0, np.int64),
        certificate_offsets=np.zeros(len(pairs) + 1, np.int64),
    )


def _unproven(
    pairs: Sequence[GraphPair],
    kinds: Sequence[Kind],
    opened: Sequence[Certificate],
    mappings: Sequence[npt.NDArray[np.int32]],
    most: Sequence[npt.NDArray[np.int64]],
) -> npt.NDArray[np.bool_]:
    """Where multipliers do not prove by themselves that a mapping is the best one."""
    result = np.zeros(len(pairs), np.bool_)
    plain = [i for i, each in enumerate(opened) if not each.ranked]
    groups: list[tuple[list[int], Sequence[Kind]]] = [(plain, kinds)] if plain else []
    for i, each in enumerate(opened):
        if each.ranked:
            ranked = ranking(kinds, most[i])
            if ranked is None:
                raise mismatch("it is ranked where there is no ranking")
            groups.append(([i], ranked))
    for places, weights in groups:
        verdicts = check_many(
            [pairs[i] for i in places],
            weights,
            [mappings[i] for i in places],
            [numbers_of(opened[i].multipliers, 8) for i in places],
        )
        if not verdicts.valid.all():
            raise mismatch("its mapping or its multipliers break the rules")
        if verdicts.bound.tolist() != [opened[i].bound for i in places]:
            raise mismatch("its multipliers do not give the bound it states")
        result[places] = verdicts.bound != verdicts.value
    return result


def bundled(proofs: Sequence[Sequence[bytes]]) -> list[bytes]:
    """For each pair the certificates of all its searches, as one."""
    return [msgspec.msgpack.encode(each) for each in zip(*proofs, strict=True)]


def unbundled(bundles: Sequence[bytes], searches: int) -> list[list[bytes]]:
    """For each search the certificates of all pairs."""
    result: list[list[bytes]] = [[] for _ in range(searches)]
    for bundle in bundles:
        try:
            proofs = msgspec.msgpack.decode(bundle, type=list[bytes])
        except msgspec.DecodeError as error:
            raise mismatch(str(error)) from None
        if len(proofs) != searches:
            raise mismatch(f"it is of {len(proofs)} searches, where there are {searches}")
        for search, proof in zip(result, proofs, strict=True):
            search.append(proof)
    return result


def packed(content: object) -> bytes:
    """The content of a certificate as bytes to keep."""
    return zlib.compress(msgspec.msgpack.encode(content), 1)


def unpacked(proof: bytes, kind: type[Content]) -> Content:
    """The content of a certificate that `packed` made, or an error."""
    try:
        inflating = zlib.decompressobj()
        data = inflating.decompress(proof, _LARGEST)
        if inflating.unconsumed_tail or not inflating.eof:
            raise mismatch("it is larger than any certificate, or cut short")
        return msgspec.msgpack.decode(data, type=kind)
    except (zlib.error, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise mismatch(str(error)) from None


def numbers_of(data: bytes, size: Literal[4, 8]) -> npt.NDArray[np.int64]:
    """Little-endian numbers of four or eight bytes each."""
    if len(data) % size:
        raise mismatch("its numbers are cut short")
    return np.frombuffer(data, f"<i{size}").astype(np.int64)


def mismatch(why: str) -> VerificationError:
    """The error that a certificate is not of the pair it stands for."""
    return VerificationError(f"a certificate does not fit its pair: {why}", code="K607")
