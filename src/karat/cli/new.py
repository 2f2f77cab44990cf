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


# -- the files of a package ------------------------------------------------------------------------

_PROJECT = """\
[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "karat-$name"
version = "0.1"
description = "The metric $name for karat"
readme = "README.md"
requires-python = ">=3.10"
dependencies = ["karat>=$version"]

[project.optional-dependencies]
test = ["pytest"]

[project.entry-points."karat.metrics"]
$name = "$module:$cls"

[tool.setuptools.packages.find]
where = ["src"]
"""

_MODULE = '''\
"""The metric $name."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from karat import Array, Counts, Metric, Scores, count, main, ratio


class $cls(Metric[str, str]):
    """Share of the words of the gold that the system's text has, each as often as in the gold.

    >>> $cls().score("a dog", "the dog barks")["recall"]
    0.3333333333333333
    """

    name = "$name"
    kind = "text"
    columns = ("gold_words", "found")

    ignore_case: Annotated[bool, "compare without regard to case"] = False

    def measure(self, system: str, gold: str) -> Counts:
        """One row of counts for one pair; the rows of a corpus are added up."""
        wanted = self._words(gold)
        return self.row(gold_words=wanted.total(), found=(wanted & self._words(system)).total())

    def summarize(self, totals: Array) -> Scores:
        """The scores of any sum of rows; intervals and tests come from this."""
        gold_words, found = self.columns_of(totals)
        return {"recall": main(ratio(found, gold_words, 1.0)), "gold_words": count(gold_words)}

    def explain(self, system: str, gold: str) -> dict[str, Any]:
        """What karat explain shows."""
        wanted, given = self._words(gold), self._words(system)
        return {
            "found": list((wanted & given).elements()),
            "missing": list((wanted - given).elements()),
        }

    def _words(self, text: str) -> Counter[str]:
        return Counter((text.casefold() if self.ignore_case else text).split())
'''

_TEST = '''\
"""The metric $name keeps karat's laws, and counts what it says."""

from __future__ import annotations

import karat
import pytest
from karat.testing import check_metric
from $module import $cls

PAIRS = [
    ("a dog", "the dog barks"),
    ("the the", "the cat"),
    ("", "yes"),
    ("Yes and no", "yes and no"),
]


@pytest.mark.parametrize("metric", [$cls(), $cls(ignore_case=True)])
def test_laws(metric: $cls) -> None:
    check_metric(metric, PAIRS, identity=lambda gold: gold)


def test_scores() -> None:
    assert $cls().score("a dog", "the dog barks") == {"recall": 1 / 3, "gold_words": 3}
    assert $cls().score("Yes", "yes")["recall"] == 0.0
    assert $cls(ignore_case=True).score("Yes", "yes")["recall"] == 1.0


@pytest.mark.parametrize("pair", PAIRS)
def test_explanations_add_up(pair: tuple[str, str]) -> None:
    gold_words, found = $cls().measure(*pair)
    told = $cls().explain(*pair)
    assert len(told["found"]) == found
    assert len(told["found"]) + len(told["missing"]) == gold_words


def test_karat_knows_it() -> None:
    """Once the package is installed."""
    assert type(karat.parse("$name")) is $cls
'''

_README = """\
# karat-$name

The metric `$name` for karat.

```console
$$ pip install -e '.[test]'
$$ pytest
$$ karat list metrics
$$ karat evaluate $name -g gold.txt -s system.txt
$$ karat explain $name -g gold.txt -s system.txt
```

`src/$module/__init__.py` holds the metric: `measure` counts one pair, `summarize` makes scores of
sums of counts. Change both, then the examples in `tests/test_$module.py`; `check_metric` says
which of karat's laws a change breaks, and what to do. The entry point in `pyproject.toml` makes
the name `$name` known.
"""


def metric_package(name: str, cls: str) -> dict[str, str]:
    """The path and text of each file of a package that offers a metric."""
    module = "karat_" + name.replace("-", "_")
    words = {"name": name, "cls": cls, "module": module, "version": VERSION}
    files = {
        "pyproject.toml": _PROJECT,
        "README.md": _README,
        f"src/{module}/__init__.py": _MODULE,
        f"src/{module}/py.typed": "",
        f"tests/test_{module}.py": _TEST,
    }
    return {path: Template(text).substitute(words) for path, text in files.items()}
