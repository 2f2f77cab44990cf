"""Reading graphs: MRP against bare JSON decoding, AMR against penman, CoNLL-U against conllu;
and how long `analyze` takes.

Takes the sample files where they are (``../shared/data/graphs``, or the folder named as
first argument), else graphs made here.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import conllu
import msgspec
import orjson
import penman

from karat.core.files.opener import Source
from karat.graphs.formats.amr import Amr
from karat.graphs.formats.mrp import Mrp
from karat.graphs.formats.ud import Ud
from karat.graphs.shape import shape_of
from timing import header, measured, race

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "graphs"


def enlarged(path: Path, folder: Path, least: int = 1_000_000) -> Path:
    """The file as often as it takes to make it this large."""
    data = path.read_bytes().rstrip(b"\n") + (b"\n" if path.suffix == ".mrp" else b"\n\n")
    target = folder / path.name
    target.write_bytes(data * (1 + least // len(data)))
    return target


def read_mrp(path: Path) -> int:
    return sum(len(item.value.nodes) for item in Mrp().read(Source(path)))


def decoded(path: Path, decode) -> int:
    return sum(len(decode(line).get("nodes") or ()) for line in path.open("rb"))


def main() -> None:
    header("reading graphs", "msgspec", "orjson", "penman", "conllu")
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES.parents[2] / "shared/data/graphs"
    real = given.is_dir()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mrp = enlarged(given / "score/lpps.mrp" if real else EXAMPLES / "ptg.gold.mrp", folder)
        for peer, decode in (
            ("msgspec", msgspec.json.decode),
            ("orjson", orjson.loads),
            ("json", json.loads),
        ):
            ratio = race(
                f"MRP, {mrp.stat().st_size // 1000} kB, against {peer} alone",
                lambda: read_mrp(mrp),
                lambda d=decode: decoded(mrp, d),
                lambda a, b: a == b,
                repeats=7,
            )
            if peer != "json" and ratio < 1 / 3:
                raise SystemExit("reading MRP takes more than three times the bare decoding")
        amr = enlarged(given / "sample/amr/wsj.amr" if real else EXAMPLES / "mini.amr", folder)
        race(
            f"AMR, {amr.stat().st_size // 1000} kB, against penman",
            lambda: sum(len(i.value.nodes) for i in Amr().read(Source(amr))),
            lambda: sum(len(g.variables()) for g in penman.load(amr)),
            lambda a, b: a == b,
        )
        ud = enlarged(EXAMPLES / "mini.conllu", folder)
        race(
            f"CoNLL-U, {ud.stat().st_size // 1000} kB, against conllu",
            lambda: sum(len(i.value.nodes) for i in Ud().read(Source(ud))),
            lambda: sum(
                isinstance(token["id"], int)
                for sentence in conllu.parse(ud.read_text("utf-8"))
                for token in sentence
            ),
            lambda a, b: a == b,
        )
    if real:
        for sample in sorted(given.glob("sample/*/*.mrp")):
            graphs = [item.value for item in Mrp().read(Source(sample))]
            wall, cpu, _ = measured(lambda g=graphs: [shape_of(graph) for graph in g])
            print(f"analyze {sample.parent.name:<44} karat {wall:8.3f} s (CPU {cpu:7.3f})")


if __name__ == "__main__":
    main()
