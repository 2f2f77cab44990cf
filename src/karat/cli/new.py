"""``karat new``: writes a package with a metric, to be changed into another one."""

from __future__ import annotations

import keyword
import re
import tempfile
from pathlib import Path
from string import Template

import click

from karat.errors import OptionError
from karat.version import VERSION

_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
_NAMES_IN_USE = frozenset({"Annotated", "Any", "Array", "Counter", "Counts", "Metric", "Scores"})


@click.group("new")
def new() -> None:
    """Begin a package that extends karat."""


@new.command(
    "metric",
    short_help="Write a package with a metric whose tests pass.",
    params=[
        click.Argument(["name"]),
        click.Option(["-o", "--output"], metavar="FOLDER", help="where the package goes, a folder that does not exist yet  [default: karat-NAME]"),
    ],
)  # fmt: skip
def metric(name: str, output: str | None) -> None:
    """Write a package with a metric called NAME, whose tests pass: change what it measures."""
    check_name(name)
    folder = Path(output or f"karat-{name}")
    files = metric_package(name, class_name(name))
    _write(folder, files)
    for path in files:
        click.echo(f"{folder}/{path}")
    click.echo(f"next: pip install -e '{folder}[test]' && pytest {folder}")


def check_name(name: str) -> None:
    """Refuses what cannot be the name of a new metric."""
    from karat.core.plugins import METRICS, all_rows

    if not _NAME.fullmatch(name):
        raise OptionError(
            f"{name!r} cannot be the name of a metric",
            code="K396",
            advice="write lower-case letters and digits, with - or _ between words: word-recall",
        )
    for row in all_rows(METRICS):
        if _plain(row.name) == _plain(name):
            raise OptionError(
                f"there is a metric {row.name!r} already, in {row.package}",
                code="K396",
                advice="choose another name: karat list metrics shows those that are taken",
            )


def _plain(name: str) -> str:
    return name.replace("_", "-")


def class_name(name: str) -> str:
    """The class of a metric.

    >>> class_name("word-recall"), class_name("none")
    ('WordRecall', 'NoneMetric')
    """
    found = "".join(part.capitalize() for part in re.split("[-_]", name))
    taken = found in _NAMES_IN_USE or keyword.iskeyword(found)
    return f"{found}Metric" if taken else found


def _write(folder: Path, files: dict[str, str]) -> None:
    """Writes all files, or none; an existing folder is an error."""
    if folder.exists() or folder.is_symlink():
        raise OptionError(
            f"{folder} exists already",
            code="K397",
            advice="name a folder that does not exist with ``output``",
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".karat-new-") as made:
            whole = Path(made) / "package"
            for path, text in files.items():
                (whole / path).parent.mkdir(parents=True, exist_ok=True)
                (whole / path).write_text(text, encoding="utf-8", newline="\n")
            whole.rename(folder)
    except OSError as error:
        raise OptionError(
            f"{folder} cannot be written: {error.strerror or error}", code="K397"
        ) from None


def metric_package(name: str, cls: str) -> dict[str, str]:
    """The path and text of each file of a package that offers a metric, from `templates`."""
    module = "karat_" + name.replace("-", "_")
    words = {"name": name, "cls": cls, "module": module, "version": VERSION}
    templates = {
        "pyproject.toml": "pyproject.toml.txt",
        "README.md": "README.md.txt",
        f"src/{module}/__init__.py": "metric.py.txt",
        f"src/{module}/py.typed": "",
        f"tests/test_{module}.py": "test.py.txt",
    }
    folder = Path(__file__).with_name("templates")
    return {
        path: Template((folder / name).read_text("utf-8")).substitute(words) if name else ""
        for path, name in templates.items()
    }
