"""Writes the generated parts of the documentation, from the declarations of the package.

    python website/reference.py            writes what has changed
    python website/reference.py --check    names pages that are out of date, and ends with 1

A page says what it documents by ``<!-- reference: metrics NAME, NAME -->``; what stands between
this line and ``<!-- end of reference -->`` is made here. Markers of formats, commands and of the
Python interface work alike.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

import karat
from karat.cli import COMMANDS, cli
from karat.cli.common.examples import EXAMPLES
from karat.cli.common.flags import flag, flags_apart
from karat.cli.common.metric_command import MetricCommand
from karat.cli.evaluate import evaluate
from karat.core import capabilities, catalog
from karat.core.catalog import Row
from karat.core.marks import Mark
from karat.core.metric import Metric
from karat.core.options import Option, declared
from karat.core.pairing.sides import readable_kinds
from karat.core.registry import format_class, metric_class
from karat.errors import OptionError

DOCS = Path(__file__).resolve().parents[1] / "docs"
_MARKED = re.compile(
    r"^<!-- reference: (\w+) (.+?) -->\n(.*?)^<!-- end of reference -->$", re.MULTILINE | re.DOTALL
)
_METRICS = {row.name: row for row in catalog.METRICS}
_FORMATS = {row.name: row for row in catalog.FORMATS}

_ABILITIES = (
    (capabilities.Explains, "explains each item (`karat explain`, `--errors`)"),
    (capabilities.Profiles, "counts the most frequent errors (`--error-profile`)"),
    (capabilities.FillsGaps, "scores items that the system left out as empty, with a warning"),
    (capabilities.Searches, "says which scores are proven to be the best"),
    (capabilities.Certifies, "saves certificates, so that `karat verify` need not search"),
    (capabilities.Jackknifes, "compares people's and systems' texts (`karat score`)"),
    (capabilities.PrintsLine, "prints the line of the tool it stands in for (`--line`)"),
)
"""What is said of a metric that has a capability."""


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    heads = list(heads)
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(map(cell, line))} |\n" for line in lines)


def cell(text: str) -> str:
    """Text as it can stand in a table; what stands in ticks is left as it is."""
    parts = " ".join(text.split()).replace("|", "\\|").split("`")
    return "`".join(part if i % 2 else part.replace("<", "&lt;") for i, part in enumerate(parts))


def code(value: object) -> str:
    text = str(value).replace("\t", "\\t")
    return f"`{text}`" if text.strip() else "(blank)"


def prose(text: str) -> str:
    """A docstring as Markdown: its names of code in single ticks."""
    return inspect.cleandoc(text).replace("``", "`")


# -- options -----------------------------------------------------------------------------------


def options_table(options: Iterable[Option], owner: str = "") -> str:
    """All options with flag, values, default and meaning; `owner` is the metric that has them."""
    rows = [
        (_flags(each, owner), code(each.name), _values(each), _default(each), each.help)
        for each in options
    ]
    return table(["flag", "in Python", "values", "default", "meaning"], rows)


def _flags(option: Option, owner: str) -> str:
    made = flag(option)
    if owner and option.name in {each.name for each in evaluate.shared}:
        made = flags_apart(owner, {option.name: option}, set(), ())[option.name]
    return ", ".join(map(code, [*made.opts, *made.secondary_opts]))


def _values(option: Option) -> str:
    if option.choices or option.members:
        listed = ", ".join(code(value) for value in option.choices or option.members)
        return f"any of {listed}" if option.members else listed
    plain = {bool: "yes or no", int: "whole number", float: "number", str: "text"}[option.scalar]
    if option.file:
        plain = "file"
    if option.range:
        plain += f" {option.range}"
    return f"{plain}; may be repeated" if option.is_list else plain


def _default(option: Option) -> str:
    if option.required:
        return "required"
    value = option.default
    if value is None or value in ((), ""):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(code, value))
    return code(value)


# -- scores ------------------------------------------------------------------------------------


def described(mark: Mark) -> str:
    """What a score is, in words."""
    if mark.count:
        return "a count"
    low, high = mark.range
    if mark.cost and math.isfinite(low):
        return f"{low:g} and up, lower is better"
    ends = "no bounds" if math.isinf(low) and math.isinf(high) else f"{_end(low)} to {_end(high)}"
    if math.isinf(high) and math.isfinite(low):
        ends = f"{low:g} and up"
    return f"{ends}, lower is better" if mark.cost else ends


def _end(value: float) -> str:
    return f"{value:g}" if math.isfinite(value) else "∞".rjust(1 + (value < 0), "−")


def scores_table(metric: Metric[Any, Any]) -> str:
    """The scores of a metric with its defaults; those that are alike share a row."""
    about = metric.about
    parents: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for path, mark in about.marks.items():
        words = described(mark)
        if ".".join(path) == about.headline:
            words = f"**main score**; {words}"
        parents.setdefault(path[:-1], []).append((path[-1], words))
    alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for parent, leaves in parents.items():
        alike.setdefault(tuple(leaves), []).append(".".join(parent))
    rows = []
    for leaves, owners in alike.items():
        by_words: dict[str, list[str]] = {}
        for leaf, words in leaves:
            by_words.setdefault(words, []).append(leaf)
        for words, names in by_words.items():
            rows.append([_named(owners, names), words])
    return table(["score", "range"], rows)


def _named(owners: list[str], leaves: list[str]) -> str:
    if owners == [""]:
        return ", ".join(map(code, leaves))
    if len(owners) * len(leaves) <= 4:
        return ", ".join(code(f"{owner}.{leaf}") for owner in owners for leaf in leaves)
    return f"{', '.join(map(code, owners))}: each {', '.join(code(f'.{leaf}') for leaf in leaves)}"


# -- metrics and formats -----------------------------------------------------------------------


def metrics_section(names: list[str]) -> str:
    parts = ["## Reference\n"]
    for name in names:
        row, cls = _METRICS[name], metric_class(name)
        # Several metrics on a page: each has its heading.
        parts.append(f"### `{name}`\n" if len(names) > 1 else "")
        parts.append(f"{_sentence(row.summary)}\n")
        options = [each for each in declared(cls).values() if each.choices != (each.default,)]
        parts.append(options_table(options, name) if options else "It has no options of its own.\n")
        try:
            parts.append(scores_table(cls()))
        except OptionError:  # it needs an option that only a user can give
            parts.append("Its scores depend on its options.\n")
        parts.append(_facts(row, cls))
    return "\n".join(part for part in parts if part)


def _facts(row: Row, cls: type[Metric[Any, Any]]) -> str:
    kinds = readable_kinds(cls)
    readable = [each.name for each in catalog.FORMATS if each.kind in kinds and each.reads]
    if capabilities.has(cls, capabilities.ReadsOneFormat):
        readable = [cls.file_format]
    listed = ", ".join(map(code, readable))
    lines = [f"- **Reads** {listed}: see [formats](../formats/README.md)."]
    able = [words for capability, words in _ABILITIES if capabilities.has(cls, capability)]
    if able:
        lines.append(f"- **It** {'; '.join(able)}.")
    if row.extra:
        lines.append(f"- **Needs** `pip install 'karat[{row.extra}]'`.")
    return "".join(f"{line}\n" for line in lines)


def formats_section(names: list[str]) -> str:
    parts = ["## Reference\n"]
    rows = []
    for name in names:
        row = _FORMATS[name]
        verbs = " and ".join(["read"] * row.reads + ["written"] * row.writes)
        suffixes = ", ".join(map(code, row.suffixes)) or "none"
        rows.append([code(name), row.summary, verbs, suffixes])
    parts.append(table(["format", "holds", "is", "suffixes"], rows))
    # Formats often share all their options.
    shared: dict[str, list[str]] = {}
    for name in names:
        options = list(declared(format_class(name)).values())
        text = options_table(options) if options else ""
        shared.setdefault(text, []).append(name)
    for text, owners in shared.items():
        listed = ", ".join(map(code, owners))
        parts.append(f"Options of {listed}:\n\n{text}" if text else f"No options: {listed}.\n")
    return "\n".join(parts)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


# -- commands ----------------------------------------------------------------------------------


def commands_section(_: list[str]) -> str:
    """All commands with their options."""
    parts = []
    context = click.Context(cli, info_name="karat")
    for name, (_, summary) in COMMANDS.items():
        command = cli.get_command(context, name)
        if command is None:
            raise SystemExit(f"there is no command {name}")
        parts.append(f"## karat {name}\n")
        if not (command.help or "").strip().startswith(summary.rstrip(".")):
            parts.append(f"{summary}\n")
        parts.append(_command(command, f"karat {name}", context))
        parts.append("Examples:\n\n" + "".join(f"    {line}\n" for line in EXAMPLES[name]))
    return "\n".join(parts)


def _command(command: click.Command, name: str, parent: click.Context) -> str:
    context = click.Context(command, info_name=name.rpartition(" ")[2], parent=parent)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    parts = [f"    {usage}\n"]
    if command.help:
        parts.append(f"{_help(command.help)}\n")
    if isinstance(command, MetricCommand):
        parts.append("Options of every metric; the page of a metric has its own.\n")
        parts.append(_params(command.shared))
    else:
        parts.append(_params(command.params))
    if isinstance(command, click.Group) and not isinstance(command, MetricCommand):
        for each in command.list_commands(context):
            inner = command.get_command(context, each)
            if inner is not None:
                parts.append(f"### {name} {each}\n")
                parts.append(_command(inner, f"{name} {each}", context))
    return "\n".join(part for part in parts if part)


def _help(text: str) -> str:
    """The help of a command; what is not to be wrapped stands in a block of its own."""
    blocks = re.split(r"\n\s*\n", inspect.cleandoc(text).split("\f")[0])
    shown = []
    for block in blocks:
        first, _, rest = block.partition("\n")
        if first.strip() == "\b":
            shown.append("\n".join(f"    {line}" for line in rest.splitlines()))
        else:
            shown.append(prose(block).replace("<", "&lt;"))
    return "\n\n".join(shown)


def _params(params: Iterable[click.Parameter]) -> str:
    rows = []
    for param in params:
        if not isinstance(param, click.Option) or param.hidden or param.name == "help":
            continue
        flags = ", ".join(code(each) for each in [*param.opts, *param.secondary_opts])
        rows.append([flags, _kind(param), _meaning(param)])
    return table(["flag", "value", "meaning"], rows) if rows else ""


def _kind(param: click.Option) -> str:
    if param.is_flag:
        return ""
    if isinstance(param.type, click.Choice):
        return ", ".join(code(each) for each in param.type.choices)
    plain = {"whole number": "N", "number": "NUMBER"}
    return code(param.metavar or plain.get(param.type.name, param.type.name.upper()))


def _meaning(param: click.Option) -> str:
    text = param.help or ""
    default = param.default
    told = param.show_default is True and isinstance(default, (str, int, float)) and default != ""
    return f"{text} (default: {code(default)})" if told and not param.is_flag else text


# -- Python ------------------------------------------------------------------------------------

_GROUPS = {
    "Measuring and comparing": ["evaluate", "compare", "verify", "metrics", "parse", "report"],
    "Beyond scores": ["trace", "repair", "audit", "mbr", "reward"],
    "Files": ["read", "write", "load", "Source", "Item"],
    "Results": ["Evaluation", "Ranking", "Comparison", "Trace", "Repair", "Audit", "Consensus",
        "summarize"],
    "Writing a metric": [
        "Metric", "Counts", "Range", "Scores", "MetricsDict", "Array", "ratio", "quotient",
        "harmonic", "precision_recall", "convention", "main", "count", "cost", "percent", "out_of",
        "within", "tiebreak", "measure_pairs", "metric_class",
    ],
    "Writing a format": ["Format", "LineFormat"],
    "Writing a command": ["Inquiry", "Job", "Answer"],
    "Graphs": ["Graph", "Node", "Edge", "Anchor"],
    "Errors": [
        "KaratError", "FormatError", "LimitExceeded", "MissingExtra", "OptionError",
        "PairingError", "Place", "RunError", "VerificationError",
    ],
}  # fmt: skip


def names_section(_: list[str]) -> str:
    """Every public name with its first sentence; in the site, its whole documentation follows."""
    grouped = {name for names in _GROUPS.values() for name in names}
    missing = set(karat.__all__) - grouped - {"__version__"}
    if missing or grouped - set(karat.__all__):
        raise SystemExit(f"website/reference.py has to group {missing or grouped}")
    parts = []
    for title, names in _GROUPS.items():
        parts.append(f"## {title}\n")
        rows = [[f"`karat.{name}`", _first_sentence(name)] for name in names]
        parts.append(table(["name", "what it is"], rows))
        parts.append("".join(f"<!-- api: {_home(name)} -->\n\n" for name in names))
    return "\n".join(parts)


def _home(name: str) -> str:
    """Where the documentation of a name is; a package that can be called has a function."""
    return f"karat.{name}.{name}" if inspect.ismodule(getattr(karat, name)) else f"karat.{name}"


def _first_sentence(name: str) -> str:
    value = getattr(karat, name)
    if inspect.ismodule(value):
        value = getattr(value, name)
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        return {
            "Array": "An array of numbers: `numpy.ndarray` of float64.",
            "Counts": "A row of counts: one number for each column of a metric.",
            "MetricsDict": "Scores by name, possibly nested.",
            "Scores": "What `summarize` gives: arrays or marked scores by name, possibly nested.",
        }[name]
    text = inspect.getdoc(value) or ""
    return prose(re.split(r"(?<=\.)\s", text, maxsplit=1)[0].split("\n\n")[0])


# -- pages -------------------------------------------------------------------------------------

_SECTIONS: dict[str, Callable[[list[str]], str]] = {
    "metrics": metrics_section,
    "formats": formats_section,
    "commands": commands_section,
    "names": names_section,
}


def renewed(page: Path) -> tuple[str, list[tuple[str, str]]]:
    """A page with its generated parts made again, and what they are about."""
    documented: list[tuple[str, str]] = []

    def section(found: re.Match[str]) -> str:
        kind, listed = found.group(1), found.group(2)
        names = [name.strip() for name in listed.split(",")]
        documented.extend((kind, name) for name in names)
        made = re.sub(r"\n{3,}", "\n\n", _SECTIONS[kind](names)).strip()
        return f"<!-- reference: {kind} {listed} -->\n\n{made}\n\n<!-- end of reference -->"

    return _MARKED.sub(section, page.read_text(encoding="utf-8")), documented


def problems(*, write: bool) -> Iterator[str]:
    """Pages that are out of date, which are written on request, and what no page documents."""
    documented: list[tuple[str, str]] = []
    for page in sorted(DOCS.rglob("*.md")):
        text, names = renewed(page)
        documented += names
        if text != page.read_text(encoding="utf-8"):
            if write:
                page.write_text(text, encoding="utf-8")
            else:
                yield f"{page.relative_to(DOCS.parent)} is out of date: python website/reference.py"
    wanted = [("metrics", name) for name in _METRICS] + [("formats", name) for name in _FORMATS]
    wanted += [("commands", "all"), ("names", "all")]
    for kind, name in wanted:
        times = documented.count((kind, name))
        if times != 1:
            yield f"{kind} {name}: {times} pages have its reference, and one should"


if __name__ == "__main__":
    found = list(problems(write="--check" not in sys.argv[1:]))
    print("\n".join(found), file=sys.stderr)
    sys.exit(bool(found))
