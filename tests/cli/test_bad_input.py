"""Bad input to the installed command: one complete line, the right exit code, nothing left."""

# ruff: noqa: E501 - a row is a case

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path

import pytest

from commands import Karat

FILES: dict[str, bytes] = {
    "gold.txt": b"a b\nc d\ne f\n",
    "system.txt": b"a b\nc x\ne f\n",
    "utf16.txt": "a b\n".encode("utf-16"),
    "one.amr": b"# ::id a\n(b / boy)\n",
    "two.amr": b"# ::id b\n(b / boy)\n",
    "short.txt": b"a b\nc x\n",
    "empty.txt": b"",
    "latin1.txt": "a b\nçaf\xe9\ne f\n".encode("latin1"),
    "cut.txt.gz": gzip.compress(os.urandom(4000).hex().encode())[:-900],
    "long.txt": b"a b\n" + b"x" * 300 + b"\ne f\n",
    "gold.jsonl": b'{"id": "1", "text": "a"}\n{"id": "2", "text": "b"}\n{"id": "3", "text": "c"}\n',
    "list.jsonl": b'{"id": "1", "text": "a"}\n["not an object"]\n',
    "number.jsonl": b'{"id": "1", "text": 7}\n',
    "inner.jsonl": b'{"id": "1", "text": {"text": [1, 2]}}\n',
    "notext.jsonl": b'{"id": "1", "other": "a"}\n',
    "badid.jsonl": b'{"id": [1], "text": "a"}\n',
    "broken.jsonl": b'{"id": "1", "text": "a"}\n{"id": "2", "text": \n',
    "twice.jsonl": b'{"id": "1", "text": "a"}\n{"id": "2", "text": "b"}\n{"id": "1", "text": "c"}\n',
    "case.jsonl": b'{"id": "1", "text": "a"}\n{"id": "2", "text": "b"}\n{"id": "x", "text": "c"}\n',
    "source.jsonl": b'{"id": "1", "text": "a", "documents": ["a b"]}\n',
    "norefs.jsonl": b'{"id": "1", "text": "a", "references": []}\n',
    "binary.run": b"\x00\x01\x02",
    "form.tsv": b"Emma\tEmma\tprimitive\n",
    "heads.f1": b"0\n1\n",
    "graph.mrp": b'{"id": "1", "flavor": 0, "framework": "dm", "input": "a"}\n',
    "two.tsv": b"a\tb\nc\td\ne\tf\n",
}

CASES: list[tuple[str, int, str]] = [
    # files
    ("evaluate exact -g gold.txt -s none.txt", 1, "none.txt: FormatError K101: there is no such file"),
    ("evaluate exact -g none.txt -s gold.txt", 1, "none.txt: FormatError K101: there is no such file"),
    ("evaluate exact -g gold.txt -s folder", 1, "folder: FormatError K101: there is no file in this folder"),
    ("evaluate exact -g empty.txt -s empty.txt", 1, "empty.txt: PairingError K203: there are no gold items: the file is empty, or nothing in it is chosen"),
    ("evaluate exact -g gold.txt -s empty.txt", 1, "empty.txt: PairingError K202: gold has 3 items, the system has 0: they are paired by position"),
    ("evaluate exact -g gold.txt -s short.txt", 1, "short.txt: PairingError K202: gold has 3 items, the system has 2: they are paired by position"),
    ("evaluate exact -g short.txt -s gold.txt", 1, "gold.txt: PairingError K202: gold has 2 items, the system has 3: they are paired by position"),
    ("evaluate exact -g gold.txt -s latin1.txt", 1, "latin1.txt:2:1: FormatError K102: byte 0xe7 is not UTF-8 text"),
    ("evaluate exact -g gold.txt -s cut.txt.gz", 1, "cut.txt.gz: FormatError K104: the compressed data is damaged or cut short (Compressed file ended before the end-of-stream marker was reached)"),
    ("evaluate exact -g gold.txt -s long.txt", 1, "long.txt:2: LimitExceeded K501: the line is longer than 100 bytes"),
    # wrong words
    ("eval exact", 2, "OptionError K300: there is no command 'eval'; did you mean 'evaluate'?"),
    ("evaluate EXACT -g gold.txt -s system.txt", 2, "OptionError K312: there is no metric 'EXACT'; did you mean 'exact'?"),
    ("setup foo", 2, "OptionError K300: there is no command 'foo', expected 'dataset' or 'metric'"),
    ("convert gold.txt new.mrp", 1, "new.mrp: FormatError K101: there is no such file"),
    ("draw gold.txt -o a.png", 2, "OptionError K343: cannot draw to 'a.png': expected .svg, .html, .dot or a folder"),
    # records
    ("evaluate exact -g gold.jsonl -s list.jsonl", 1, "list.jsonl:2: FormatError K111: expected a JSON object, found a list"),
    ("evaluate exact -g gold.jsonl -s number.jsonl", 1, "number.jsonl:1: FormatError K111: item '1': $.text must be a string or a list of strings, found a number"),
    ("evaluate exact -g gold.jsonl -s inner.jsonl", 1, "inner.jsonl:1: FormatError K111: item '1': $.text.text must be a string or a list of strings, found a list"),
    ("evaluate exact -g gold.jsonl -s notext.jsonl", 1, "notext.jsonl:1: FormatError K111: item '1': there is no text: expected one of 'summary', 'hypothesis', 'prediction' and 10 more, found 'id', 'other'"),
    ("evaluate exact -g gold.jsonl -s badid.jsonl", 1, "badid.jsonl:1: FormatError K111: $.id must be a string, found a list"),
    ("evaluate exact -g gold.jsonl -s broken.jsonl", 1, "broken.jsonl:2: FormatError K111: this is not JSON: Input data was truncated"),
    ("evaluate bleu -s norefs.jsonl", 1, "norefs.jsonl:1: PairingError K211: item '1': there is no reference"),
    ("evaluate bleu -s system.txt", 2, "OptionError K338: no gold is given, and system.txt:1 has none of its own"),
    ("evaluate exact -s gold.jsonl", 2, "OptionError K338: no gold is given, and gold.jsonl:1 has none of its own"),
    ("evaluate cogs -s form.tsv", 2, "OptionError K338: no gold is given, and form.tsv:1 has none of its own"),
    ("evaluate ned -s heads.f1", 2, "OptionError K338: no gold is given, and heads.f1:1 has none of its own"),
    ("evaluate mrp -s graph.mrp", 2, "OptionError K338: no gold is given, and graph.mrp:1 has none of its own"),
    ("evaluate cogs -g form.tsv -s two.tsv", 1, "two.tsv:1: FormatError K172: the line has 2 tab-separated columns, expected 3: sentence, logical form, type"),
    ("evaluate exact -g gold.txt -s two.tsv", 1, "two.tsv:1: FormatError K110: the line has 2 columns, expected one text"),
    ("evaluate exact -g two.tsv -s gold.txt", 2, "two.tsv:1: OptionError K309: item '1': exact takes one gold text per item, got 2"),
    ("evaluate exact -g gold.tsv -g two.tsv -s two.tsv --column 3", 1, "gold.tsv: FormatError K101: there is no such file"),
    ("evaluate exact -g two.tsv -s two.tsv --column 3", 1, "two.tsv:1: FormatError K110: the line has 2 columns, expected at least 3"),
    # guessing
    ("evaluate smatch -g one.amr -s empty.txt", 1, "empty.txt: FormatError K106: the file is empty"),
    ("evaluate smatch -g one.amr -s utf16.txt", 1, "utf16.txt: FormatError K102: this is not UTF-8 text"),
    ("evaluate smatch -g gold.txt -s system.txt", 2, "OptionError K314: system.txt: the format cannot be guessed"),
    ("evaluate mrp -g folder -s folder", 1, "folder: FormatError K101: there is no file in this folder"),
    # no gold: never the system against itself
    ("evaluate rouge -s source.jsonl", 2, "OptionError K338: no gold is given, and source.jsonl:1 has none of its own"),
    ("evaluate simetrix -s norefs.jsonl", 2, "OptionError K338: no gold is given, and norefs.jsonl:1 has none of its own"),
    ("evaluate smatch -s one.amr", 2, "OptionError K338: no gold is given, and one.amr:1 has none of its own"),
    ("score rouge -s system.txt", 2, "OptionError K338: no gold is given, and system.txt:1 has none of its own"),
    ("explain rouge -s system.txt", 2, "OptionError K338: no gold is given, and system.txt:1 has none of its own"),
    # pairing
    ("evaluate smatch -g one.amr -s two.amr", 1, "two.amr: PairingError K201: 1 of 1 gold id has no system item: 'a'"),
    ("evaluate exact -g gold.jsonl -s twice.jsonl", 1, "twice.jsonl: PairingError K204: system id '1' occurs twice, again at line 3"),
    ("evaluate exact -g twice.jsonl -s gold.jsonl", 1, "twice.jsonl: PairingError K204: gold id '1' occurs twice, again at line 3"),
    ("evaluate exact -g gold.jsonl -s case.jsonl", 1, "case.jsonl: PairingError K201: 1 of 3 gold ids has no system item: '3'"),
    ("evaluate exact -g gold.txt -s system.txt --pair id", 1, "PairingError K206: the items have no ids to pair by"),
    # names
    ("evaluate exakt -g gold.txt -s system.txt", 2, "OptionError K312: there is no metric 'exakt'; did you mean 'exact'?"),
    ("evaluate exact,qqqq -g gold.txt -s system.txt", 2, "OptionError K312: there is no metric 'qqqq'"),
    ("evaluate chrf(beta=3) -g gold.txt -s system.txt --beta 2", 2, "OptionError K301: chrf(beta=3) and --beta contradict each other"),
    ("evaluate LAS -g gold.txt -s system.txt", 2, "OptionError K312: there is no metric 'LAS'"),
    ("evaluate smatch -g one.amr -s two.amr --restarts 9", 2, "OptionError K390: option 'restarts' of smatch has no effect without solver='climb'"),
    ("evaluate exact -g gold.txt -s system.txt --sample 3", 2, "OptionError K303: --sample needs --errors or --sentences"),
    ("evaluate chrf -g gold.txt -g short.txt -s system.txt", 1, "PairingError K202: gold file 2 has 2 items, gold file 1 has 3: the references of an item have the same position in each"),
    ("evaluate bleu, chrf -g gold.txt -s system.txt", 2, "OptionError K304: the name of a metric is empty"),
    ("evaluate exact( -g gold.txt -s system.txt", 2, "OptionError K304: 'exact(' is not a metric"),
    ("evaluate exact(x=1) -g gold.txt -s system.txt", 2, "OptionError K301: exact has no option 'x'"),
    ("evaluate exact --ignore-cas -g gold.txt -s system.txt", 2, "OptionError K301: there is no option '--ignore-cas'; did you mean '--ignore-case'?"),
    ("evaluate bleu --smooth-method magic -g gold.txt -s system.txt", 2, "OptionError K302: invalid value for '--smooth-method': 'magic' is not one of 'exp', 'floor', 'add-k', 'none', 'nltk-0', 'nltk-1', 'nltk-2', 'nltk-3', 'nltk-4', 'nltk-5', 'nltk-6', 'nltk-7'"),
    ("evaluate bleu --max-ngram-order 99 -g gold.txt -s system.txt", 2, "OptionError K302: option 'max_ngram_order' of bleu must be int from 1 to 16, got 99"),
    ("evaluate bleu --tokenize 13 -g gold.txt -s system.txt", 2, "OptionError K302: bleu has no tokenizer '13'; did you mean '13a'?"),
    ("evaluate exact -g gold.txt -s system.txt --format linez", 2, "OptionError K312: there is no format 'linez'; did you mean 'lines'?"),
    ("evaluate exact -g gold.txt -s system.txt --format mrp", 2, "OptionError K319: the format 'mrp' holds items of the kind graph, expected text"),
    ("evaluate exact -g gold.txt -s system.txt --column 1", 2, "OptionError K301: the format lines has no option 'column'"),
    ("evaluate exact -g gold.txt -s system.txt --by genre", 2, "OptionError K315: the items have no field 'genre'"),
    ("evalute exact -g gold.txt -s system.txt", 2, "OptionError K300: there is no command 'evalute'; did you mean 'evaluate'?"),
    ("evaluate exact -g gold.txt", 2, "OptionError K303: missing option '-s' / '--system'"),
    ("evaluate exact -g gold.txt -s system.txt -j 0", 2, "OptionError K302: invalid value for '-j' / '--jobs': 0 is not in the range x>=1"),
    ("evaluate exact -g gold.txt -s system.txt --confidence 1", 2, "OptionError K302: invalid value for '--confidence': 1.0 is not in the range 0<x<1"),
    ("evaluate exact -g gold.txt surplus -s system.txt", 2, "OptionError K300: 'surplus' does not belong to an option"),
    ("evaluate exact gold.txt system.txt", 2, "OptionError K300: 'gold.txt' does not belong to an option"),
    ("evaluate gold.txt -s system.txt", 2, "OptionError K304: 'gold.txt' is a file, expected a metric"),
    ("exact -g gold.txt -s system.txt", 2, "OptionError K300: there is no command 'exact', it is a metric"),
    ("evaluate exact -g gold.txt -s system.txt --resamples many", 2, "OptionError K302: invalid value for '--resamples': 'many' is not a whole number"),
    ("evaluate -g gold.txt -s system.txt", 2, "OptionError K303: no metric is given"),
    ("evaluate -g gold.txt -s system.txt exakt", 2, "OptionError K312: there is no metric 'exakt'; did you mean 'exact'?"),
    # standard input
    ("evaluate exact -g - -s -", 2, "OptionError K320: <stdin> can be read only once, and would have to be read again"),
    ("evaluate exact,bleu -g gold.txt -s -", 2, "OptionError K320: <stdin> can be read only once, and would have to be read again"),
    ("evaluate exact -g - -s system.txt -s gold.txt", 2, "OptionError K320: <stdin> can be read only once, and would have to be read again"),
    ("evaluate edit-distance -g gold.txt -s - --errors e.jsonl", 2, "OptionError K320: <stdin> can be read only once, and would have to be read again"),
    # outputs
    ("evaluate exact -g gold.txt -s system.txt --json no/out.json", 2, "OptionError K305: cannot write 'no/out.json': there is no folder 'no'"),
    ("evaluate exact -g gold.txt -s system.txt --items=", 2, "OptionError K305: --items has no name of a file to write"),
    ("evaluate exact -g gold.txt -s system.txt --filter system.txt", 1, "gold.txt: PairingError K203: there are no gold items: none of its 3 items is chosen: they have no ids (--i and --n choose by position)"),
    ("evaluate exact -g gold.txt -s system.txt --framework amr", 1, "gold.txt: PairingError K203: there are no gold items: none of its 3 items is chosen: they have no framework"),
    ("evaluate exact -g gold.txt -s system.txt --json folder", 2, "OptionError K305: cannot write 'folder': it is a directory"),
    ("evaluate exact -g gold.txt -s system.txt --json x --items x", 2, "OptionError K305: --items and --json would both be written to 'x'"),
    ("evaluate exact -g gold.txt -s system.txt -s gold.txt --save a.run", 2, "OptionError K321: --save holds one run, but there are 2: give one system and one metric"),
    ("evaluate js -g gold.txt -s system.txt --json j --items i --save s --error-profile e", 2, "OptionError K308: js has no profile of its errors: its explanations list none"),
    # the other commands
    ("compare exact -g gold.txt -s system.txt", 2, "OptionError K322: a comparison needs at least two systems"),
    ("compare exact -g gold.txt -s system.txt -s short.txt", 1, "short.txt: PairingError K202: gold has 3 items, the system has 2: they are paired by position"),
    ("compare exact -g gold.txt -s system.txt -s gold.txt --score acuracy", 2, "OptionError K306: there is no score 'acuracy'; did you mean 'accuracy'?"),
    ("compare exact -g gold.txt -s system.txt -s gold.txt --alpha nan", 2, "OptionError K302: invalid value for '--alpha': 'nan' is not a number"),
    ("gate exact -g gold.txt -s gold.txt -s system.txt --margin nan", 2, "OptionError K302: invalid value for '--margin': 'nan' is not a number"),
    ("evaluate exact -g gold.txt -s system.txt -j x", 2, "OptionError K302: invalid value for '-j' / '--jobs': 'x' is not a whole number"),
    ("score exact -s empty.txt", 1, "PairingError K203: there are no outputs to score: the files are empty, or nothing in them is chosen"),
    ("compare none.run", 1, "none.run: FormatError K101: there is no such file"),
    ("verify none.run", 1, "none.run: FormatError K101: there is no such file"),
    ("verify binary.run", 1, "binary.run: VerificationError K601: this is not a saved run: it does not begin like one"),
    ("verify gold.txt", 1, "gold.txt: VerificationError K601: this is not a saved run: it does not begin like one"),
    ("list", 2, "OptionError K303: missing argument"),
    ("list metriks", 2, "OptionError K302: invalid value for"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "status", "headline"), CASES, ids=[row[0] for row in CASES])
def test_bad_input(command: str, status: int, headline: str, karat: Karat, tmp_path: Path) -> None:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    arguments = command.split()
    wants_json = arguments[0] in ("evaluate", "compare") and "--json" not in arguments
    if wants_json and len(arguments) > 3:
        arguments += ["--json", "out.json"]
    done = karat(*arguments, env={"KARAT_MAX_LINE_BYTES": "100"}, stdin="a b\nc d\ne f\n")
    first = done.stderr.splitlines()[0]
    if command.startswith("list"):
        assert first.startswith(headline)
    else:
        assert first == headline
    assert done.returncode == status
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_real_line_of_100_megabytes(karat: Karat, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("a\n")
    with (tmp_path / "giant.txt").open("wb") as stream:
        stream.truncate(100 << 20)  # zeros, without a line end
    done = karat("evaluate", "exact", "-g", "gold.txt", "-s", "giant.txt")
    assert done.stderr.splitlines()[0] == (
        "giant.txt:1: LimitExceeded K501: the line is longer than 67,108,864 bytes"
    )
    assert done.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk(program: str, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("a\n")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [program, "evaluate", "exact", "-g", "gold.txt", "-s", "gold.txt", "--json", "-"],
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, timeout=300,
        )  # fmt: skip
    assert done.stderr == "the output cannot be written: No space left on device\n"
    assert done.returncode == 1


def test_a_reader_that_has_seen_enough(program: str, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("a\n" * 20_000)
    command = f"'{program}' evaluate exact -g gold.txt -s gold.txt --items - | head -1"
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.stdout == '{"id":"1","scores":{"accuracy":1.0}}\n'
    assert done.stderr == ""
