"""Certificates of matchings: by them value and bound are checked without a search.

A certificate holds the mapping, the multipliers that bound all mappings, and the
bound they give by themselves. Where that is not the value, the proof took branch and
bound, or there was none: such a pair is matched anew to be checked.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Literal, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import VerificationError
from karat.graphs.matching import GraphPair, Kind, Matchings, check_many, flat_pairs, match_many

Content = TypeVar("Content")

_LARGEST = 1 << 28


class Certificate(msgspec.Struct, frozen=True, array_like=True):
    """Little-endian numbers: the mapping (int32), the multipliers (int64), their bound."""

    mapping: bytes
    multipliers: bytes
    bound: int


def sealed(pairs: Sequence[GraphPair], kinds: Sequence[Kind], found: Matchings) -> list[bytes]:
    """The certificates of matchings, as bytes to keep."""
    mappings = [each.mapping for each in found]
    multipliers = [each.certificate for each in found]
    verdicts = check_many(pairs, kinds, mappings, multipliers)
    return [
        packed(
            Certificate(
                mapping.astype("<i4").tobytes(), numbers.astype("<i8").tobytes(), int(bound)
            )
        )
        for mapping, numbers, bound in zip(mappings, multipliers, verdicts.bound, strict=True)
    ]


def checked(
    pairs: Sequence[GraphPair], kinds: Sequence[Kind], proofs: Sequence[bytes], budget: int
) -> Matchings:
    """The matchings that certificates prove; one that does not fit its pair is an error."""
    opened = [unpacked(proof, Certificate) for proof in proofs]
    mappings = [numbers_of(each.mapping, 4).astype(np.int32) for each in opened]
    numbers = [numbers_of(each.multipliers, 8) for each in opened]
    for pair, mapping in zip(pairs, mappings, strict=True):
        if len(mapping) != pair.gold.nodes or any(
            j < -1 or j >= pair.system.nodes for j in mapping.tolist()
        ):
            raise misfit("its mapping is of other graphs")
    verdicts = check_many(pairs, kinds, mappings, numbers)
    if not verdicts.valid.all():
        raise misfit("its mapping or its multipliers break the rules")
    stated = np.array([each.bound for each in opened], np.int64)
    if not np.array_equal(verdicts.bound, stated):
        raise misfit("its multipliers do not give the bound it states")
    flat = np.concatenate([*mappings, np.empty(0, np.int32)])
    bound = verdicts.bound.copy()
    open_pairs = np.flatnonzero(verdicts.bound != verdicts.value).tolist()
    if len(open_pairs):
        again = match_many([pairs[i] for i in open_pairs], kinds, budget=budget)
        bound[open_pairs] = again.bound
        if np.any(again.value != verdicts.value[open_pairs]):
            raise misfit("its mapping is not the best one that is found")
    return Matchings(
        mapping=flat,
        mapping_offsets=np.array([0, *map(len, mappings)], np.int64).cumsum(),
        value=verdicts.value,
        bound=bound,
        settled=np.zeros(len(pairs), np.bool_),
        work=np.zeros(len(pairs), np.int64),
        counts=_native.count_pairs(flat_pairs(pairs, kinds), flat),
        certificate=np.empty(0, np.int64),
        certificate_offsets=np.zeros(len(pairs) + 1, np.int64),
    )


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
            raise misfit(str(error)) from None
        if len(proofs) != searches:
            raise misfit(f"it is of {len(proofs)} searches, where there are {searches}")
        for search, proof in zip(result, proofs, strict=True):
            search.append(proof)
    return result


def packed(content: object) -> bytes:
    """What a certificate holds, as bytes to keep."""
    return zlib.compress(msgspec.msgpack.encode(content), 1)


def unpacked(proof: bytes, kind: type[Content]) -> Content:
    """The content of a certificate that `packed` made, or an error."""
    try:
        inflating = zlib.decompressobj()
        data = inflating.decompress(proof, _LARGEST)
        if inflating.unconsumed_tail or not inflating.eof:
            raise misfit("it is larger than any certificate, or cut short")
        return msgspec.msgpack.decode(data, type=kind)
    except (zlib.error, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise misfit(str(error)) from None


def numbers_of(data: bytes, size: Literal[4, 8]) -> npt.NDArray[np.int64]:
    """Little-endian numbers of four or eight bytes each."""
    if len(data) % size:
        raise misfit("its numbers are cut short")
    return np.frombuffer(data, f"<i{size}").astype(np.int64)


def misfit(why: str) -> VerificationError:
    """The error that a certificate is not of the pair it stands for."""
    return VerificationError(f"a certificate does not fit its pair: {why}", code="K607")
