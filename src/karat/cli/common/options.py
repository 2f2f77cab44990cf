"""The options that several commands have, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from karat import cores
from karat.core import signature
from karat.core.files.shards import paths_of
from karat.core.files.writing import is_same_file, refuse_replacing
from karat.core.options import ERROR_POLICIES, MODES
from karat.errors import KaratError, OptionError


def _described(kind: click.IntRange | click.FloatRange, describe: Callable[[], str]) -> str:
    """What help says of a range: nothing where there is none, for which click writes x<=None."""
    return "" if kind.min is None and kind.max is None else describe()


class WholeNumber(click.IntRange):
    """A whole number, in a range if one is given."""

    name = "whole number"

    def _describe_range(self) -> str:
        return _described(self, super()._describe_range)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "N"


class NumberRange(click.FloatRange):
    """A number in a range; NaN, which `click.FloatRange` lets through, is in none."""

    name = "number"

    def _describe_range(self) -> str:
        return _described(self, super()._describe_range)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if found != found:
            self.fail(f"{value!r} is not a number", param, ctx)
        return found


BETWEEN_0_AND_1 = NumberRange(0, 1, min_open=True, max_open=True)


class JobsType(WholeNumber):
    """A number of workers, or ``auto``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if value == "auto" else super().convert(value, param, ctx)


def _limited(ctx: click.Context, _: click.Parameter, jobs: int | str) -> int | str:
    """Limits the threads of this process to ``--jobs``, too."""
    if not ctx.resilient_parsing:
        cores.limit(cores.available() if isinstance(jobs, str) else jobs)
    return jobs


NO_FILES = frozenset(
    (
        "A B",
        "CLASS",
        "FIELD",
        "FIGURE...",
        "ID",
        "METRIC",
        "NAME",
        "NAME[:MARGIN]",
        "SCORE=VALUE",
        "T",
    )
)
"""What the help calls values that name no file, whatever files there are."""


class OutputOption(click.Option):
    """An option whose value is a file to write.

    Before anything is read, its value is compared with those of all other options and arguments
    of the command: what is a file there is an input, unless it is another output.
    """

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        value, args = super().handle_parse_result(ctx, opts, args)
        if opts.get(str(self.name)) == "":
            raise OptionError(f"{_shown(self)} has no name of a file to write", code="K305")
        if isinstance(value, str) and value and not ctx.resilient_parsing:
            self._check(value, ctx, opts)
        return value, args

    def _check(self, output: str, ctx: click.Context, opts: Mapping[str, Any]) -> None:
        inputs = {path: f"{name} is" for path, name in _files_of_metric(ctx.info_name or "")}
        for param in ctx.command.params:
            if param is self or isinstance(param.type, click.Choice) or param.metavar in NO_FILES:
                continue
            for path in _texts(opts.get(str(param.name))):
                if not isinstance(param, OutputOption):
                    inputs.update(dict.fromkeys(paths_of(path), f"{_shown(param)} is"))
                elif path == output == "-" or is_same_file(output, path):
                    names = " and ".join(sorted((_shown(self), _shown(param))))
                    raise OptionError(
                        f"{names} would both be written to {output!r}",
                        code="K305",
                        advice="write to different files",
                    )
        refuse_replacing(output, _shown(self), inputs)


class DependentOption(click.Option):
    """An option that says how one of the options `needs` is carried out: without them, an error."""

    def __init__(self, *names: Any, needs: tuple[str, ...], **settings: Any) -> None:
        super().__init__(*names, **settings)
        self.needs = needs

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        needed = [each for each in ctx.command.params if each.name in self.needs]
        missing = needed and not any(opts.get(str(each.name)) for each in needed)
        if opts.get(str(self.name)) and missing and not ctx.resilient_parsing:
            raise OptionError(
                f"{_shown(self)} needs {' or '.join(map(_shown, needed))}",
                code="K303",
                advice=f"without it, {_shown(self)} would have no effect",
            )
        return super().handle_parse_result(ctx, opts, args)


def _shown(param: click.Parameter) -> str:
    """An option by its long name, an argument by what the help calls it."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return str(param.metavar or param.name)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)


def _files_of_metric(text: str) -> Iterator[tuple[str, str]]:
    """The files that the options of a metric may name, where it is written with them."""
    for part in split_names(text) if "(" in text else ():
        try:
            name, options = signature.split(part)
        except KaratError:  # refused where the metric is made
            continue
        for option, value in options.items():
            yield from ((path, f"{option} of {name}") for path in _texts(value))


def split_names(word: str) -> list[str]:
    """The metrics in ``a,b(x=1, y=2)``: commas inside brackets do not count.

    >>> split_names("bleu,chrf(beta=1, word_order=2)")
    ['bleu', 'chrf(beta=1, word_order=2)']
    """
    parts, depth = [""], 0
    for character in word:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


# fmt: off
FILES = click.Argument(["files"], nargs=-1, required=True, metavar="FILE...")
RUNS = click.Argument(["runs"], nargs=-1, required=True, metavar="RUN...")
SEED = click.Option(["--seed"], type=WholeNumber(0), default=0, show_default=True, help="seed of all random numbers")
CONFIDENCE = click.Option(["--confidence"], type=BETWEEN_0_AND_1, default=0.95, show_default=True, help="level of the intervals")
JOBS = click.Option(["-j", "--jobs"], type=JobsType(1), default="auto", show_default=True, metavar="N|auto", callback=_limited, help="number of threads or processes; auto uses one per 2 MiB of input, up to the number of cores (KARAT_JOBS)")
RESAMPLES = click.Option(["--resamples"], type=WholeNumber(1), default=1000, show_default=True, help="number of bootstrap resamples for the intervals")
JSON = OutputOption(["--json", "json_path"], metavar="PATH", help="write the result as JSON (- is standard output)")
PRINT_JSON = click.Option(["--json", "as_json"], is_flag=True, help="print JSON instead of text, on standard output")
QUIET = click.Option(["-q", "--quiet"], is_flag=True, help="no warnings, no progress")
VERBOSE = click.Option(["--verbose"], is_flag=True, help="report on standard error which files and formats are read, how items are paired, and how many jobs run")
JSON_LINES = OutputOption(["--json-lines"], metavar="PATH", help="write the result of each run, or comparison, as a line of JSON")
BY = click.Option(["--by"], multiple=True, metavar="FIELD", help="also show the scores of each group of items")
CLUSTER = click.Option(["--cluster"], metavar="FIELD", help="treat items with the same value of this field (or fields, joined by +) as one unit in intervals and tests; id is for several samples of one input")
SCORE = click.Option(["--score"], metavar="NAME", help="the score to compare (default: the main score of the metric)")
WRITE = OutputOption(["-o", "--output"], default="-", metavar="FILE", help="where to write (- is standard output)", show_default=True)
WRITE_CONFIG = OutputOption(["--write-config"], metavar="PATH.toml", help="write this command to a file for karat run")
FAIL_OR_SKIP = click.Option(["--on-error"], type=click.Choice(["fail", "skip"]), default="fail", help="what to do with items that cannot be read", show_default=True)

RESUME = click.Option(["--resume"], metavar="DIR", help="keep finished parts in this folder, so that the same command can continue an interrupted run")
DASK = click.Option(["--dask"], metavar="CLUSTER", help="run on a Dask cluster: local:N for N workers on this machine, or the address of a scheduler (tcp://HOST:PORT)")
RUNNING = [RESUME, DASK]
"""Options for long runs."""

READING = [
    click.Option(["-g", "--gold"], multiple=True, metavar="FILE", help="the gold file; several files are several references; leave it out if the system file holds its own gold"),
    click.Option(["-s", "--system"], multiple=True, required=True, metavar="FILE", help="the output of a system; for several systems repeat it, or list them all after one -s"),
    click.Option(["--format", "--system-format"], metavar="NAME", help="format of the system files (guessed if not given)"),
    click.Option(["--gold-format"], metavar="NAME", help="format of the gold files (guessed if not given)"),
    click.Option(["--pair"], type=click.Choice(MODES), default="auto", help="how gold and system items are paired", show_default=True),
    click.Option(["--on-error"], type=click.Choice(ERROR_POLICIES), default="auto", help="what to do with unreadable items: fail, skip them, or skip-gold to skip them only where gold is unreadable; auto fails, but counts a system's unreadable graph as empty", show_default=True),
    click.Option(["--skip-bad-gold"], is_flag=True, help="the same as --on-error skip-gold"),
    JOBS,
    QUIET,
]
"""Which files to measure, and how they are read."""
MEASURING = [*READING, VERBOSE, *RUNNING]
"""The options of commands that measure files and may take long."""


def interval_options() -> list[click.Option]:
    """The options of intervals."""
    from karat.stats.intervals import METHODS
    from karat.stats.resampling import RESAMPLINGS

    return [
        CONFIDENCE,
        RESAMPLES,
        click.Option(["--interval"], type=click.Choice(METHODS), default="auto", help="method of the intervals; auto: exact for means of 0/1 scores, an anchored bootstrap for other bounded scores, a skew-corrected t interval for unbounded ones; wilson: like auto, with Wilson's interval for 0/1 scores", show_default=True),
        click.Option(["--resampling"], type=click.Choice(RESAMPLINGS), default="auto", help="how resamples are drawn: with replacement (multinomial), or by a Poisson weight for each item; auto is multinomial up to 100,000 items", show_default=True),
        SEED,
        CLUSTER,
    ]


if TYPE_CHECKING:
    _SizeType = click.ParamType["int | None"]
else:  # older versions of click take no type in brackets
    _SizeType = click.ParamType


class _PageSize(_SizeType):
    """A size in megabytes, or none."""

    name = "size"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | None:
        if value is None or value == "none" or isinstance(value, int):
            return None if value == "none" else value
        try:
            megabytes = float(str(value).upper().removesuffix("MB").strip())
        except ValueError:
            megabytes = 0.0
        if not 0 < megabytes < 1e6:
            self.fail(f"{value!r} is not a size: expected megabytes such as 20, or none", param, ctx)
        return round(megabytes * 1e6)

    def written(self, value: int | None) -> str:
        """A value as the command line has it."""
        return "none" if value is None else repr(value / 1e6)


PAGE = [
    DependentOption(["--page-size"], needs=("report",), type=_PageSize(), default="20", metavar="MB", help="size limit of the page, or none; if it is exceeded, the contents of some items are left out, and the page says so", show_default=True),
    DependentOption(["--judgements"], needs=("report",), multiple=True, metavar="FILE", help="human judgements of the outputs (JSON lines, see karat correlate), shown on the page beside the scores; may be repeated"),
    DependentOption(["--full-paths"], needs=("report",), is_flag=True, help="show full paths of files on the page, not only their names"),
]  # fmt: skip
"""The options of pages."""

def statistics_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """How intervals are made, as `Evaluation.confidence` takes it, from `interval_options`."""
    names = {
        "level": "confidence",
        "resamples": "resamples",
        "seed": "seed",
        "method": "interval",
        "resampling": "resampling",
    }
    found = {name: values[option] for name, option in names.items()}
    return {**found, "cluster": values["cluster"]} if values["cluster"] else found


LEVELS = ("summary", "system", "global", "by-system")
COEFFICIENTS = ("pearson", "spearman", "kendall", "kendall-c")
TEST_METHODS = ("permutation-both", "permutation-system", "permutation-input", "bootstrap-both", "bootstrap-system", "bootstrap-input", "williams")

DEPENDENT = click.Option(["--dependent"], required=True, metavar="NAME", help="the human judgement that metrics should follow")
TWO_METRICS = click.Option(["--metrics"], nargs=2, required=True, metavar="A B", help="two metrics: is A better than B?")
LOWER_IS_BETTER = click.Option(["--lower-is-better"], multiple=True, metavar="NAME", help="a score for which lower is better; its sign is flipped first")
LEVEL = click.Option(["--level"], type=click.Choice(LEVELS), default="system", show_default=True, help="level of the correlation")
COEFFICIENT = click.Option(["--coefficient"], type=click.Choice(COEFFICIENTS), default="kendall", show_default=True, help="correlation coefficient")
TEST = click.Option(["--test", "method"], type=click.Choice(TEST_METHODS), default="permutation-both", show_default=True, help="significance test")
TRIALS = click.Option(["--trials"], type=WholeNumber(1), default=1000, show_default=True, help="number of resamples or permutations")
WHO = click.Option(["--summarizer-type", "who"], type=click.Choice(["peer", "reference", "all"]), default="peer", show_default=True, help="whose outputs are used: systems, humans, or both")
META = [FILES, WHO, SEED, JSON, QUIET]
"""Files of scores, whose scores count, randomness, output."""
SEVERAL_LEVELS = [
    click.Option(["--level", "levels"], multiple=True, type=click.Choice(LEVELS), help="may be repeated; by-system groups by system  [default: summary, system and global]"),
    click.Option(["--coefficient", "coefficients"], multiple=True, type=click.Choice(COEFFICIENTS), help="may be repeated  [default: pearson, spearman and kendall]"),
]
# fmt: on


def alpha_option(of: str) -> click.Option:
    """The level of significance, and what of."""
    return click.Option(["--alpha"], type=BETWEEN_0_AND_1, default=0.05, show_default=True, help=f"level of {of}")  # fmt: skip


def metrics_option(help: str, required: bool = False) -> click.Option:
    """Names of scores, with * for anything."""
    return click.Option(["-m", "--metric", "metrics"], multiple=True, required=required, metavar="NAME", help=f"{help}; may be repeated; * matches anything")  # fmt: skip


def chosen(levels: tuple[str, ...], coefficients: tuple[str, ...]) -> dict[str, Any]:
    """The chosen levels and coefficients as keyword arguments, in their usual order."""
    wanted = coefficients or COEFFICIENTS[:3]
    return {
        "levels": [level for level in LEVELS if level in (levels or LEVELS[:3])],
        "coefficients": [name for name in (*COEFFICIENTS, "spa") if name in wanted],
    }
