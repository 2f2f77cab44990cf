"""Serializes results of chunks for `resume`, and describes runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, get_origin

import msgspec
import numpy as np

from karat.core.capabilities import NamesProgram, can_certify, has
from karat.core.files.opener import Source
from karat.core.metric import Metric
from karat.core.reading.streams import FilePairs
from karat.engine.executors import native_build
from karat.engine.results import ChunkResult
from karat.engine.resume import Description, Parts, refuse_pipes
from karat.errors import FormatError, Place, RunError
from karat.version import VERSION


def described(files: FilePairs, facets: Sequence[str], *, certify: bool) -> Description:
    """The description of a run of files: everything that its rows depend on."""
    metric = files.metric
    return description(
        metric,
        files.sources(),
        files.system.source.name,
        {
            "the way of reading": files.reading(),
            "the split": ", ".join(facets) or "none",
            "the keeping of certificates": str(certify and can_certify(metric)),
        },
    )


def description(
    metric: Metric[Any, Any], sources: Sequence[Source], system: str, facts: Mapping[str, str]
) -> Description:
    """The description of a run, from further facts."""
    refuse_pipes(sources)
    return Description(
        metric.name,
        system,
        {
            "karat": f"{VERSION} ({native_build()})",
            "numpy": np.__version__,
            "the metric": metric.signature(),
            "the program": metric.program() if has(metric, NamesProgram) else "",
            "the files": ", ".join(source.name for source in sources),
            **{f"the content of {source.name}": source.digest() for source in sources},
            **facts,
        },
    )


def with_kept(parts: Parts, found: Iterator[ChunkResult | None]) -> Iterator[ChunkResult]:
    """The results of all chunks in order, from disk where there is None; others are kept there."""
    try:
        for number, result in enumerate(found):
            if result is None:
                yield decode(parts.get(number))
            else:
                parts.put(number, encode(result))
                yield result
    except BaseException:
        with suppress(RunError):  # what went wrong first matters more
            parts.flush()
        raise
    parts.flush()


def keeping(parts: Parts) -> Callable[[int, ChunkResult], None]:
    """Keeps a result as soon as it comes, in whatever order."""
    return lambda number, result: parts.put(number, encode(result))


def encode(result: ChunkResult) -> bytes:
    """A result in bytes, little-endian whatever the machine; mappings are not kept."""
    return _encoder.encode(msgspec.structs.replace(result, mappings={}))


def decode(data: bytes) -> ChunkResult:
    """The result that was encoded."""
    return _decoder.decode(data)


def _encoded(value: Any) -> Any:
    """Arrays and errors, for MessagePack."""
    if isinstance(value, np.ndarray):
        portable = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
        return portable.dtype.str, value.shape, portable.tobytes()
    if isinstance(value, FormatError):
        kind = type(value).__name__
        return kind, value.message, value.code, value.place, value.excerpt, value.advice
    raise NotImplementedError(type(value))


def _decoded(kind: Any, value: Any) -> Any:
    if (get_origin(kind) or kind) is np.ndarray:
        dtype, shape, data = value
        own = np.dtype(dtype).newbyteorder("=")
        return np.frombuffer(data, dtype).astype(own).reshape(shape)
    name, message, code, place, excerpt, advice = value
    known = {cls.__name__: cls for cls in _kinds(FormatError)}
    return known.get(name, FormatError)(
        message, code=code, place=place and Place(*place), excerpt=excerpt, advice=advice
    )


def _kinds(cls: type[FormatError]) -> Iterator[type[FormatError]]:
    yield cls
    for each in cls.__subclasses__():
        yield from _kinds(each)


_encoder = msgspec.msgpack.Encoder(enc_hook=_encoded)
_decoder = msgspec.msgpack.Decoder(ChunkResult, dec_hook=_decoded)
