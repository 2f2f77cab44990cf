"""Keeps finished chunks in a folder, so that an interrupted run can be continued.

The folder has a folder for each run, and there ``run.json``, which says what the run is made of,
and files of chunks. These appear whole or not at all, and each has a digest. What differs from
an earlier run in the same place is an error that names it: parts of two runs are never mixed.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, get_origin

import msgspec
import numpy as np

from karat.core.capabilities import NamesProgram, can_certify, has
from karat.core.files.notations import NOT_JSON
from karat.core.files.opener import Source
from karat.core.metric import Metric
from karat.core.reading.streams import FilePairs
from karat.engine.chunks import ChunkResult
from karat.engine.executors import native_build
from karat.errors import FormatError, KaratError, OptionError, Place, RunError
from karat.version import VERSION

_LOCK = "karat-resume.lock"
_RUN = "run.json"
_ENDING = ".chunks"
_PART = ".part"
_MAGIC = b"karat chunks 1\n"
_DIGEST = 32
_SECONDS = 0.5
"""How long finished chunks are held before they are written; writing takes about a millisecond."""
_BYTES = 8 << 20
"""No more than that is held."""


class Description(msgspec.Struct, frozen=True):
    """Everything that the rows of a run depend on, under names for messages."""

    metric: str
    """The name of the metric alone, and of the system: what the run is about."""
    system: str
    facts: dict[str, str]


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


class _Kept(msgspec.Struct, frozen=True):
    """The content of ``run.json``."""

    karat_resume: int
    description: Description
    chunk: int
    """How many pairs a chunk has."""


class Folder:
    """A folder for the finished chunks of the runs of one command; one process uses it at a time.

    It is locked when it is first used.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock: Any = None
        self._runs: Counter[tuple[str, str]] = Counter()

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._lock is not None:
            _in_use.discard(self.path.resolve())
            self._lock.close()
            self._lock = None

    def run(self, description: Description, chunk: int, sources: Sequence[Source]) -> Parts:
        """The parts of a run; where there are some, they are of the same run.

        `chunk` is the size of chunks, unless there are chunks of another size already. `sources`
        are the files, which must not change.
        """
        self._open()
        which = description.metric, description.system
        self._runs[which] += 1
        mark = "\0".join((*which, str(self._runs[which])))
        name = f"{description.metric}-{hashlib.sha256(mark.encode()).hexdigest()[:12]}"
        place = self.path / name
        stamps = [source.stamp() for source in sources]
        with _writing(self.path):
            place.mkdir(exist_ok=True)
        known = _read_run(place / _RUN)
        if known is None:
            known = _Kept(1, description, chunk)
            with _writing(self.path):
                _clear(place)
                _write(place / _RUN, msgspec.json.format(msgspec.json.encode(known), indent=2))
        elif known.description != description:
            raise self._other(known.description.facts, description.facts)
        return Parts(self.path, place, known.chunk, sources, stamps)

    def _other(self, before: Mapping[str, str], now: Mapping[str, str]) -> RunError:
        changes = []
        for name in dict.fromkeys((*before, *now)):
            old, new = before.get(name, "nothing"), now.get(name, "nothing")
            if old != new:
                is_content = name.startswith("the content of ")
                changes.append(
                    f"{name} has changed" if is_content else f"{name} was {old}, is {new}"
                )
        return RunError(
            f"{str(self.path)!r} has parts of a run that is not this one: {'; '.join(changes)}",
            code="K713",
            advice="nothing was changed there: give the same command as before, another folder, or "
            f"remove the parts with karat clean {self.path}",
        )

    def _open(self) -> None:
        if self._lock is not None:
            return
        with _writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            foreign = [each.name for each in self.path.iterdir() if each.name != _LOCK]
        if foreign and not (self.path / _LOCK).exists():
            raise OptionError(
                f"{str(self.path)!r} has other files, such as {sorted(foreign)[0]!r}: expected an "
                "empty folder or that of an earlier run",
                code="K716",
            )
        self._lock = self._locked()
        _in_use.add(self.path.resolve())

    def _locked(self) -> Any:
        """The lock file, open; the lock goes with the process, however that ends."""
        place = self.path / _LOCK
        if self.path.resolve() in _in_use:
            raise self._busy("this process")
        with _writing(self.path):
            file = place.open("a+b")
            if not _try_lock(file):
                file.seek(0)
                told = file.read(500).decode(errors="replace").strip()
                file.close()
                raise self._busy(told or "another process")
            import platform

            started = time.strftime("%Y-%m-%d %H:%M:%S")
            file.truncate(0)
            file.write(f"process {os.getpid()} on {platform.node()} since {started}\n".encode())
            file.flush()
        return file

    def _busy(self, who: str) -> RunError:
        return RunError(
            f"{str(self.path)!r} is in use by {who}",
            code="K711",
            advice="wait until that run ends, or use another folder",
        )


_in_use: set[Path] = set()
"""The folders of this process, which the system's locks do not keep apart."""


class Parts:
    """The finished chunks of a run, by their numbers."""

    def __init__(
        self,
        folder: Path,
        place: Path,
        chunk: int,
        sources: Sequence[Source],
        stamps: Sequence[tuple[int, int]],
    ) -> None:
        self.chunk = chunk
        """How many pairs a chunk has."""
        self._folder, self._place = folder, place
        self._sources, self._stamps = sources, list(stamps)
        self._files: dict[int, Path] = {}
        self._loaded: tuple[Path | None, dict[int, bytes]] = (None, {})
        self._held: list[tuple[int, bytes]] = []
        self._new: set[int] = set()
        self._written = time.monotonic()
        self._next = 0
        with _writing(folder):
            self._find(place)

    def _find(self, place: Path) -> None:
        """Notes which chunks there are, and removes what is of no use."""
        for path in sorted(place.iterdir()):
            if path.suffix == _PART:  # of a process that was killed while it wrote
                path.unlink(missing_ok=True)
            elif path.suffix == _ENDING:
                if path.stem.isdecimal():
                    self._next = max(self._next, int(path.stem) + 1)
                found = _read_chunks(path)
                if found is None:  # damaged: these are measured again
                    path.unlink(missing_ok=True)
                else:
                    self._files.update(dict.fromkeys(found, path))

    def __contains__(self, number: object) -> bool:
        return number in self._files

    def __len__(self) -> int:
        return len(self._files)

    def get(self, number: int) -> ChunkResult:
        """A chunk that was kept before this run."""
        path = self._files[number]
        if self._loaded[0] != path:
            self._loaded = path, _read_chunks(path) or {}
        try:
            return decode(self._loaded[1][number])
        except (KeyError, msgspec.DecodeError):
            raise RunError(f"{str(path)!r} was changed by something else", code="K712") from None

    def put(self, number: int, result: ChunkResult) -> None:
        """Keeps a chunk that was just finished, once; a few are written together."""
        if number in self._new:
            return
        self._new.add(number)
        self._held.append((number, encode(result)))
        size = sum(len(each) for _, each in self._held)
        if time.monotonic() - self._written > _SECONDS or size > _BYTES:
            self.flush()

    def flush(self) -> None:
        """Writes what is held."""
        if not self._held:
            return
        held, self._held = self._held, []
        for source, stamp in zip(self._sources, self._stamps, strict=True):
            if source.stamp() != stamp:
                raise RunError(
                    f"{source.name} has changed while it was measured",
                    code="K714",
                    advice="what was kept before stays; give the same command again when the "
                    "file is what it was",
                )
        body = msgspec.msgpack.encode(held)
        with _writing(self._folder):
            path = self._place / f"{self._next:08}{_ENDING}"
            _write(path, _MAGIC + hashlib.sha256(body).digest() + body)
        self._next += 1
        self._written = time.monotonic()


def with_kept(parts: Parts, found: Iterator[ChunkResult | None]) -> Iterator[ChunkResult]:
    """The results of all chunks in order, from disk where there is None; others are kept there."""
    try:
        for number, result in enumerate(found):
            if result is None:
                yield parts.get(number)
            else:
                parts.put(number, result)
                yield result
    except BaseException:
        with suppress(RunError):  # what went wrong first matters more
            parts.flush()
        raise
    parts.flush()


def clean(path: str | os.PathLike[str]) -> int:
    """Removes the parts of finished or ended runs; how many runs there were."""
    folder = Folder(path)
    if not (folder.path / _LOCK).exists():
        raise OptionError(
            f"{str(folder.path)!r} is not a folder of ``resume``: nothing was removed", code="K716"
        )
    with folder, _writing(folder.path):
        folder._open()
        count = 0
        for place in sorted(folder.path.iterdir()):
            if place.is_dir() and not place.is_symlink() and _read_run(place / _RUN):
                _clear(place)
                (place / _RUN).unlink()
                with suppress(OSError):  # other files in it are not ours
                    place.rmdir()
                count += 1
    (folder.path / _LOCK).unlink()
    with suppress(OSError):
        folder.path.rmdir()
    return count


def _clear(place: Path) -> None:
    """Removes the chunks of a run."""
    for path in list(place.iterdir()):
        if path.suffix in (_ENDING, _PART):
            path.unlink(missing_ok=True)


def _read_run(path: Path) -> _Kept | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Kept)
    except (OSError, *NOT_JSON):
        return None


def _read_chunks(path: Path) -> dict[int, bytes] | None:
    """The chunks in a file by their numbers; None where it is damaged."""
    try:
        data = path.read_bytes()
        start = len(_MAGIC) + _DIGEST
        body = data[start:]
        if data[:start] != _MAGIC + hashlib.sha256(body).digest():
            return None
        return dict(msgspec.msgpack.decode(body, type=list[tuple[int, bytes]]))
    except (OSError, msgspec.DecodeError):
        return None


def _write(path: Path, data: bytes) -> None:
    """A file that is there as a whole or not at all, even if the machine stops."""
    part = path.with_name(f"{path.name}.{os.getpid()}{_PART}")
    try:
        with part.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeError, ValueError) as error:  # the last two: no path is like this
        if isinstance(error, KaratError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise RunError(
            f"finished chunks cannot be kept in {str(folder)!r}: "
            + ("it is a file" if folder.is_file() else reason),
            code="K712",
            advice="what was kept before stays; make room or choose another folder, and give the "
            "same command again",
        ) from None


def _try_lock(file: Any) -> bool:
    """Locks a file for this process, and not for those it starts."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def refuse_pipes(sources: Sequence[Source]) -> None:
    """Raises for input that can be read only once, which cannot be resumed."""
    for source in sources:
        if source.is_pipe:
            raise OptionError(
                f"{source.name} can be read only once: a run with ``resume`` needs files",
                code="K320",
                advice="write it to a file first",
            )


# -- results of chunks in bytes ---------------------------------------------------------------


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
