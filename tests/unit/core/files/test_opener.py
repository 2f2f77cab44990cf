"""The opener: containers, ends of lines, UTF-8, limits, damage."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.files import opener
from karat.core.files.opener import Source
from karat.errors import FormatError, KaratError, LimitExceeded

zstandard = pytest.importorskip("zstandard")

TEXT = "первая\nthe second\n\nlast line"


def _zip(data: bytes, names: tuple[str, ...] = ("a.txt",)) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, data)
    return packed.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor(write_checksum=True).compress,
    "zip": _zip,
}
packers = pytest.mark.parametrize("name", PACKERS)
compressors = pytest.mark.parametrize("name", [name for name in PACKERS if name != "plain"])


def write(folder: Path, data: bytes, name: str = "a.txt") -> Source:
    path = folder / name
    path.write_bytes(data)
    return Source(path)


class Stdin:
    def __init__(self, data: bytes) -> None:
        self.buffer = io.BufferedReader(io.BytesIO(data))  # type: ignore[type-var]


@packers
def test_every_container_gives_the_same_lines(name: str, tmp_path: Path) -> None:
    source = write(tmp_path, PACKERS[name](TEXT.encode()), f"a.txt.{name}")
    assert list(source.lines()) == [(1, "первая"), (2, "the second"), (3, ""), (4, "last line")]


@packers
def test_the_name_of_a_file_does_not_matter(name: str, tmp_path: Path) -> None:
    source = write(tmp_path, PACKERS[name](TEXT.encode()), "misnamed.gz")
    assert source.text() == TEXT


@packers
def test_standard_input(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(PACKERS[name](TEXT.encode())))
    source = Source("-")
    assert source.name == "<stdin>"
    assert source.text() == TEXT


def test_looking_at_standard_input_takes_nothing_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(TEXT.encode()))
    source = Source("-")
    assert source.head(6) == TEXT.encode()[:6]
    assert source.text() == TEXT


def test_a_named_pipe_is_read_once_and_whole(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    content = TEXT * 5000
    thread = threading.Thread(target=path.write_text, args=(content,), daemon=True)
    thread.start()
    source = Source(path)
    assert source.is_pipe
    assert source.head(6) == TEXT.encode()[:6]
    assert source.text() == content
    assert source.digest() == ""
    thread.join(10)


@pytest.mark.parametrize("name", ["gz", "bz2", "xz", "zst"])
def test_a_look_at_packed_standard_input_unpacks_no_more_than_it_shows(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the first bytes of a bomb, all that they stand for was unpacked, a byte at a time."""
    monkeypatch.setattr(sys, "stdin", Stdin(PACKERS[name](bytes(8 << 20))))
    begun = time.process_time()
    source = Source("-")
    assert source.head(6) == bytes(6)
    assert not source.hides_its_beginning
    assert time.process_time() - begun < 20


@packers
def test_head_is_decompressed(name: str, tmp_path: Path) -> None:
    source = write(tmp_path, PACKERS[name](TEXT.encode()))
    assert source.head(5) == TEXT.encode()[:5]


@pytest.mark.parametrize("name", ["gz", "bz2", "xz", "zst"])
def test_several_members_are_one_text(name: str, tmp_path: Path) -> None:
    pack = PACKERS[name]
    assert write(tmp_path, pack(b"one\n") + pack(b"two\n")).text() == "one\ntwo\n"


LINES = [
    (b"", []),
    (b"\n", [""]),
    (b"a", ["a"]),
    (b"a\n", ["a"]),
    (b"a\n\n", ["a", ""]),
    (b"a\r\nb\r\n", ["a", "b"]),
    (b"a\r\nb\r", ["a", "b"]),
    (b"a\rb\n", ["a\rb"]),
    ("a\u2028b\x0bc\x85d\n".encode(), ["a\u2028b\x0bc\x85d"]),
    (b"\xef\xbb\xbfa\nb\n", ["a", "b"]),
    (b"a\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
    (b"\x00a\n", ["\x00a"]),
]


@pytest.mark.parametrize(("data", "expected"), LINES)
def test_lines(data: bytes, expected: list[str], tmp_path: Path) -> None:
    assert list(write(tmp_path, data).lines()) == list(enumerate(expected, 1))


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))))
def test_any_lines_come_back(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    folder = tmp_path_factory.getbasetemp()
    source = write(folder, "".join(f"{line}\n" for line in ["first", *lines]).encode())
    assert [line for _, line in source.lines()] == ["first", *lines]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 64])
def test_block_borders_do_not_matter(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "первая\r\nвторая 東京\n\n\r\nlast"
    source = write(tmp_path, text.encode())
    expected = list(source.lines())
    monkeypatch.setattr(opener, "BLOCK", size)
    assert list(source.lines()) == expected


BAD_UTF8 = [
    (b"\xff", "1:1", "0xff"),
    (b"ab\xff", "1:3", "0xff"),
    (b"ok\nok\n\xd0\xb6\xd0\xb6\xe9t\xe9\n", "3:3", "0xe9"),
    (b"\xef\xbb\xbfa\xff\n", "1:2", "0xff"),
    (b"ok\ncut \xe6\x9d", "2:5", "0xe6"),
    (b"surrogate \xed\xa0\x80\n", "1:11", "0xed"),
    (b"overlong \xc0\xaf\n", "1:10", "0xc0"),
]


@pytest.mark.parametrize(("data", "place", "byte"), BAD_UTF8)
@pytest.mark.parametrize("block", [1, 4, 1 << 20])
def test_bad_utf8_has_line_and_column(
    data: bytes, place: str, byte: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opener, "BLOCK", block)
    source = write(tmp_path, data)
    with pytest.raises(FormatError) as caught:
        list(source.lines())
    assert caught.value.headline == (
        f"{source.path}:{place}: FormatError K102: byte {byte} is not UTF-8 text"
    )


def test_text_checks_utf8_too(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=":2:2: FormatError K102"):
        write(tmp_path, b"a\nb\xff").text()


LIMITS = [
    (b"1234567890\n", None),
    (b"12345678901\n", 1),
    (b"12345678901", 1),
    (b"a\n12345678901\nb\n", 2),
    (b"a\nb\n12345678901", 3),
    (b"1234567890\n1234567890\n1234567890", None),
]


@pytest.mark.parametrize(("data", "line"), LIMITS)
@pytest.mark.parametrize("block", [3, 16, 1 << 20])
def test_the_limit_of_a_line_is_exact(
    data: bytes, line: int | None, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opener, "BLOCK", block)
    monkeypatch.setenv("KARAT_MAX_LINE_BYTES", "10")
    source = write(tmp_path, data)
    if line is None:
        assert [text for _, text in source.lines()] == data.decode().splitlines()
        return
    with pytest.raises(LimitExceeded) as caught:
        list(source.lines())
    assert caught.value.code == "K501"
    assert caught.value.place is not None
    assert caught.value.place.line == line


@packers
def test_the_limit_of_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_MAX_FILE_BYTES", "1000")
    assert len(write(tmp_path, PACKERS[name](b"x" * 1000)).content()) == 1000
    with pytest.raises(LimitExceeded, match="K502: the content is larger than 1,000 bytes"):
        write(tmp_path, PACKERS[name](b"x" * 1001)).content()


@compressors
@pytest.mark.parametrize("keep", [0.3, 0.9, 0.999])
def test_a_container_that_is_cut_short(name: str, keep: float, tmp_path: Path) -> None:
    data = PACKERS[name](os.urandom(50_000).hex().encode())
    source = write(tmp_path, data[: int(len(data) * keep)])
    with pytest.raises(FormatError, match="K104: the compressed data is damaged or cut short"):
        source.content()


@compressors
def test_a_container_with_a_changed_byte(name: str, tmp_path: Path) -> None:
    data = bytearray(PACKERS[name](os.urandom(5000)))
    data[len(data) // 2] ^= 0x55
    with pytest.raises(FormatError, match="K104"):
        write(tmp_path, bytes(data)).content()


@pytest.mark.parametrize(("names", "count"), [((), 0), (("a", "b"), 2)])
def test_zip_archives_hold_one_file(names: tuple[str, ...], count: int, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=f"K105: the zip archive has {count} files, expected"):
        write(tmp_path, _zip(b"x", names)).content()


def test_graphs_in_a_zip_archive_may_have_a_note_beside_them(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("README.txt", b"a note")
        archive.writestr("task/graphs.mrp", b"graphs")
    assert write(tmp_path, packed.getvalue()).content() == b"graphs"
    with pytest.raises(FormatError, match="K105: the zip archive has 2 files, expected"):
        write(tmp_path, _zip(b"x", ("a.mrp", "b.mrp"))).content()


def test_folders_in_a_zip_archive_do_not_count(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("folder/", "")
        archive.writestr("folder/a.txt", "inside")
    assert write(tmp_path, packed.getvalue()).content() == b"inside"


def _patched_zip(offset_local: int, offset_central: int, value: int) -> bytes:
    """A zip archive with another number in a field of its two headers."""
    data = bytearray(_zip(b"hello"))
    data[offset_local] |= value
    data[data.index(b"PK\x01\x02") + offset_central] |= value
    return bytes(data)


def test_an_encrypted_zip_archive(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="K105: the zip archive is encrypted"):
        write(tmp_path, _patched_zip(6, 8, 1)).content()


def test_a_zip_archive_packed_in_an_unknown_way(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="K104"):
        write(tmp_path, _patched_zip(8, 10, 98)).content()


UNUSABLE = [
    ("{folder}/none.txt", "K101: there is no such file"),
    ("{folder}", "K101: this is a directory, expected a file"),
    ("a\0b", "K101: this is not the name of a file"),
    ("{folder}/file/under-a-file", "K101: cannot be opened: Not a directory"),
]


@pytest.mark.parametrize(("path", "message"), UNUSABLE)
def test_what_cannot_be_opened(path: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FormatError, match=message):
        Source(path.format(folder=tmp_path)).content()


def test_a_near_name_is_suggested(tmp_path: Path) -> None:
    (tmp_path / "careful.txt").touch()
    with pytest.raises(FormatError) as caught:
        Source(tmp_path / "carful.txt").content()
    assert caught.value.advice == "did you mean 'careful.txt'?"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        Source(tmp_path / "no" / "file").content()
    assert caught.value.advice == f"the folder {str(tmp_path / 'no')!r} does not exist either"


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_a_name_that_is_not_utf8_can_be_printed(tmp_path: Path) -> None:
    source = Source(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt"))
    assert source.name.endswith("\\udcff.txt")
    with pytest.raises(KaratError) as caught:
        source.content()
    assert caught.value.headline.encode()


def test_digest_is_that_of_the_file_as_it_lies(tmp_path: Path) -> None:
    data = gzip.compress(b"abc")
    assert write(tmp_path, data).digest() == hashlib.sha256(data).hexdigest()


def test_zstandard_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path, PACKERS["zst"](b"abc"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(KaratError) as caught:
        source.content()
    assert caught.value.code == "K401"
    assert caught.value.advice == "install it with: pip install 'karat[zstd]'"


def test_addresses_are_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(KaratError) as caught:
        Source("s3://bucket/gold.txt").content()
    assert caught.value.code == "K401"
    assert caught.value.advice == "install it with: pip install 'karat[remote]'"


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(FormatError, match="<stdin>: FormatError K101: standard input is closed"):
        Source("-").head()
