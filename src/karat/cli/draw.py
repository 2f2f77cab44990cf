"""``karat draw``: pictures of what is in files."""

from __future__ import annotations

import re
from pathlib import Path

from karat.cli.common.file_command import verb_command
from karat.cli.common.outputs import OutputOption
from karat.core.commands import Drawer, Drawing, Job
from karat.core.files.writing import whole_file
from karat.drawing.page import page
from karat.errors import OptionError


def _run(action: Drawer, job: Job, *, output: str) -> None:
    if Path(output).suffix.lower() in (".dot", ".gv"):
        with whole_file(output) as stream:
            stream.write("\n".join(action.dot(job)).encode())
        return
    drawings = list(action.draw(job))
    if not drawings:
        raise OptionError("there is nothing to draw", code="K344", advice="\n".join(job.warnings()))
    target = Path(output)
    if output != "-" and (target.is_dir() or output.endswith("/")):
        _into_folder(drawings, target)
        return
    one = len(drawings) == 1 and target.suffix.lower() not in (".html", ".htm")
    if not one and target.suffix.lower() == ".svg":
        raise OptionError(
            f"an SVG file holds one drawing, there are {len(drawings)}",
            code="K345",
            advice="choose one (--id, --i), or write a page (-o FILE.html) or a folder (-o FOLDER/)",
        )
    with whole_file(output) as stream:
        stream.write((drawings[0].svg if one else page(drawings)).encode())


def _into_folder(drawings: list[Drawing], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    for drawing in drawings:
        base = name = re.sub(r"[^\w.-]", "_", drawing.id).lstrip(".") or "_"
        number = 1
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name)
        with whole_file(folder / f"{name}.svg") as stream:
            stream.write(drawing.svg.encode())


draw = verb_command(
    "draw",
    "Draw what is in files, as SVG.\n\n"
    "One drawing goes to an .svg file or standard output; many go to one .html page, or to "
    "a folder (a name that ends in /) with a file each. Graphs go to a .dot file for Graphviz, too.",
    _run,
    options=[
        OutputOption(["-o", "--output"], default="-", metavar="FILE", help="where to write (- is standard output)", show_default=True),
    ],
    gold=True,
)  # fmt: skip
