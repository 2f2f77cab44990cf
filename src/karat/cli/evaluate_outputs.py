"""The outputs of ``karat evaluate``: a class and a row of the table of options for each.

Figures are made from the runs alone. Looks show items: the files are read once more for all of
them together, and each is shown the items that it wants.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, ClassVar

import click
import msgspec

from karat.cli.common.measuring import Request
from karat.cli.common.options import JSON, JSON_LINES, DependentOption, OutputOption, WholeNumber
from karat.cli.common.printing import one_or_all, warn
from karat.core.files.writing import indented_json, json_lines
from karat.core.frequent_errors import MOST
from karat.core.metric import Explanation
from karat.core.runs.evaluation import Evaluation

if TYPE_CHECKING:
    from karat.core.runs.comparison import Replicates
    from karat.engine.look import Choice
    from karat.report.item_files import ItemSink, Rows
    from karat.report.page import PageMaker


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The request to measure, and what to show of its results."""

    request: Request
    statistics: Mapping[str, Any]
    """How intervals are made: the arguments of `Evaluation.confidence`."""
    by: Sequence[str]
    by_system: bool
    average: bool
    line: bool
    bare: bool
    """Whether only the headline is shown, as a number."""
    choice: Mapping[str, Any]
    """Which items are shown."""
    outputs: Mapping[str, str]
    """The paths of outputs, by the names of their options."""
    most_errors: int = MOST
    """So many errors of a kind the profile has; 0 for all."""
    page_size: int | None = None
    judgements: Sequence[str] = ()
    full_paths: bool = False

    def check(self) -> None:
        """Raises where an output cannot be made from what is to be measured."""
        looks = [name for name in self.outputs if OUTPUTS[name].reads_again]
        for name, path in self.outputs.items():
            if what := OUTPUTS[name].holds_one_run(path):
                self.request.check_one_run(what)
        self.request.check_stdin(again=bool(looks))


class Result:
    """The runs of a plan; all outputs are made from it."""

    def __init__(
        self, plan: Plan, groups: Sequence[Sequence[Evaluation]], by: Sequence[str]
    ) -> None:
        self.plan = plan
        self.groups = groups
        """The runs of each metric."""
        self.runs = [run for same in groups for run in same]
        self.by = by

    @cached_property
    def averages(self) -> list[Replicates]:
        """For each metric how its scores vary, where the runs are those of one system."""
        if not self.plan.average:
            return []
        from karat.core.runs.comparison import Replicates

        return [Replicates(same) for same in self.groups]

    def named(self, run: Evaluation, system: str = "system") -> dict[str, str]:
        """What tells the items of this run from those of the others, where there are any."""
        if len(self.runs) < 2:
            return {}
        from karat.report.numbers import metric_titles

        told = {system: run.system, "metric": metric_titles(self.runs)[run.metric]}
        # A field of the items keeps its name, and says more: who made each output.
        return {f"{k} (run)" if k in run.groups else k: value for k, value in told.items()}

    @cached_property
    def documents(self) -> list[dict[str, Any]]:
        """The result as JSON: each run, or where they are averaged, each metric."""
        from karat.report import exports

        if self.averages:
            return [each.summary(self.by) for each in self.averages]
        return [exports.json(run, self.plan.statistics, self.by) for run in self.runs]

    @cached_property
    def choice(self) -> Choice:
        from karat.engine.look import Choice

        return Choice(**self.plan.choice)

    def look(self, outputs: Sequence[Output]) -> None:
        """Shows the items of each run to the outputs that want to see them, in one pass."""
        if not any(output.reads_again for output in outputs):
            return
        from karat.report.item_files import look_through

        for run in self.runs:
            sinks = [sink for output in outputs if (sink := output.items_of(run)) is not None]
            profiled = any(output.wants_profile(run) for output in outputs)
            profile = look_through(run, sinks, profile=profiled, most=self.plan.most_errors)
            for output in outputs:
                output.after(run, profile)


class Output:
    """Base class of outputs: made when all is measured; `write` is called when all items are seen."""

    option: ClassVar[click.Option]
    reads_again: ClassVar[bool] = False
    """Whether it cannot be made without reading the files once more."""

    def __init__(self, stream: IO[bytes], result: Result) -> None:
        self.stream = stream
        self.result = result

    @classmethod
    def holds_one_run(cls, path: str) -> str:
        """The name of the output in messages if it can hold one run only, else empty."""
        return ""

    def items_of(self, run: Evaluation) -> ItemSink | None:
        """The sink that takes items of this run, if the output shows any."""
        return None

    def wants_profile(self, run: Evaluation) -> bool:
        """Whether `after` wants to know the most frequent errors of the run."""
        return False

    def after(self, run: Evaluation, profile: Explanation) -> None:
        """Called after the items of a run were passed to the sinks."""

    def write(self) -> None:
        """Writes what is not written yet."""


# -- figures ----------------------------------------------------------------------------------


class Json(Output):
    option = JSON

    def write(self) -> None:
        self.stream.write(indented_json(one_or_all(self.result.documents)))


class JsonLines(Output):
    option = JSON_LINES

    def write(self) -> None:
        self.stream.write(json_lines(self.result.documents))


class _Export(Output):
    """Scores as a text, which the function of `karat.report.exports` with the option's name makes."""

    def write(self) -> None:
        from karat.report import exports

        make = getattr(exports, str(self.option.name))
        text: str = make(self.result.runs, self.result.by, self.result.plan.statistics)
        self.stream.write(text.encode())


class Tsv(_Export):
    option = OutputOption(["--tsv"], metavar="PATH", help="write the scores as tab-separated rows")


class Markdown(_Export):
    option = OutputOption(["--markdown"], metavar="PATH", help="write the scores as Markdown tables")  # fmt: skip


class Latex(_Export):
    option = OutputOption(["--latex"], metavar="PATH", help="write the scores with their intervals as LaTeX tables (booktabs)")  # fmt: skip


class Items(Output):
    option = OutputOption(["--items"], metavar="PATH", help="write the scores of each item as JSON lines, or to FILE.parquet as Parquet")  # fmt: skip

    @classmethod
    def holds_one_run(cls, path: str) -> str:
        return "--items FILE.parquet" if path.endswith(".parquet") else ""

    def write(self) -> None:
        if self.result.plan.outputs["items"].endswith(".parquet"):
            self.result.runs[0].write_parquet(self.stream)
            return
        for run in self.result.runs:
            run.write_items(self.stream, self.result.named(run))


class Save(Output):
    option = OutputOption(["--save"], metavar="RUN", help="keep the run, to compare and verify it later; to FILE.parquet, its counts as a table")  # fmt: skip

    @classmethod
    def holds_one_run(cls, path: str) -> str:
        return "--save"

    def write(self) -> None:
        run = self.result.runs[0]
        is_table = self.result.plan.outputs["save"].endswith(".parquet")
        (run.write_counts if is_table else run.write_run)(self.stream)


class Tables(Output):
    """Tables for people; on standard output where no file is named."""

    option = OutputOption(["-o", "--output"], metavar="PATH", help="write the tables there (- is standard output)")  # fmt: skip

    def write(self) -> None:
        text = io.StringIO()
        self.show(self.result, text)
        self.stream.write(text.getvalue().encode())

    @staticmethod
    def show(result: Result, file: IO[str] | None = None) -> None:
        if result.plan.bare:
            from karat.report.numbers import bare

            for run in result.runs:
                click.echo(bare(run), file=file)
            return
        if result.plan.line:
            for run in result.runs:
                click.echo(run.line(), file=file)
            return
        from karat.report import tables  # what draws tables takes its time to load
        from karat.report.layout import Console

        console = Console(file)
        for each in result.averages:
            console.print(tables.averages(each))
            for name in result.by:
                console.print(tables.averages_by(each, name))
        for same in result.groups if not result.averages else ():
            console.print(tables.scores(same, result.plan.statistics))
            for name in result.by:
                for run in same:
                    console.print(tables.groups(run, name, result.plan.statistics))


# -- looks ------------------------------------------------------------------------------------


class Errors(Output):
    option = OutputOption(["--errors"], metavar="PATH", help="write what matched, what is missing and what is surplus: a JSON line per item, or to FILE.json one object, by framework and id")  # fmt: skip
    reads_again = True

    def __init__(self, stream: IO[bytes], result: Result) -> None:
        from karat.report.item_files import Indexed

        super().__init__(stream, result)
        whole = bool(self.holds_one_run(result.plan.outputs["errors"]))
        self.index = Indexed(result.runs[0], result.choice) if whole else None

    @classmethod
    def holds_one_run(cls, path: str) -> str:
        return "--errors FILE.json" if path.endswith(".json") else ""

    def items_of(self, run: Evaluation) -> ItemSink:
        from karat.report.item_files import Lines

        result = self.result
        return self.index or Lines(self.stream, run, result.choice, result.named(run))

    def write(self) -> None:
        if self.index:
            self.index.write(self.stream)


class Sentences(Output):
    option = OutputOption(["--sentences"], metavar="PATH", help="write a tab-separated row for each item: its fields, all its scores, and what is wrong")  # fmt: skip
    reads_again = True
    rows: Rows | None = None

    def items_of(self, run: Evaluation) -> ItemSink:
        from karat.report.item_files import Rows

        result = self.result
        named = result.named(run, "run")
        self.rows = Rows(self.stream, run, result.choice, named, before=self.rows)
        return self.rows


class Profile(Output):
    option = OutputOption(["--error-profile"], metavar="PATH", help="write which errors are the most frequent, as JSON")  # fmt: skip
    reads_again = True

    @classmethod
    def holds_one_run(cls, path: str) -> str:
        return "--error-profile"

    def wants_profile(self, run: Evaluation) -> bool:
        return True

    def after(self, run: Evaluation, profile: Explanation) -> None:
        self.stream.write(indented_json(profile))


class Report(Output):
    """A page; alone it shows no items where files cannot be read again."""

    option = OutputOption(["--report"], metavar="PATH.html", help="write a page that shows scores and items")  # fmt: skip

    @cached_property
    def maker(self) -> PageMaker:
        from karat.report.page import PageMaker

        plan = self.result.plan
        return PageMaker(
            self.result.runs,
            statistics=plan.statistics,
            by=self.result.by,
            page_size=plan.page_size,
            judgements=plan.judgements,
            full_paths=plan.full_paths,
        )

    def items_of(self, run: Evaluation) -> ItemSink:
        return self.maker.sink(run)

    def write(self) -> None:
        page, notes = self.maker.page()
        warn(notes, self.result.plan.request.quiet)
        self.stream.write(page)


_ALL = (
    Json,
    JsonLines,
    Tsv,
    Markdown,
    Latex,
    Items,
    Errors,
    Sentences,
    Profile,
    Report,
    Save,
    Tables,
)
OUTPUTS: dict[str, type[Output]] = {str(output.option.name): output for output in _ALL}
"""The outputs by the names of their options."""

_ITEMS = ("errors", "sentences")
CHOICE = [
    DependentOption(["--only-errors"], needs=_ITEMS, is_flag=True, help="leave items without an error out of --errors and --sentences"),
    DependentOption(["--type"], needs=_ITEMS, metavar="T", help="write only items of this type to --errors and --sentences"),
    DependentOption(["--sample"], needs=_ITEMS, type=WholeNumber(0), default=0, metavar="N", help="write only N items, drawn with --seed, to --errors and --sentences; 0 for all", show_default=True),
    DependentOption(["--most-errors"], needs=("error_profile",), type=WholeNumber(0), default=MOST, metavar="N", help="list only the N most frequent errors of each kind in --error-profile, and say how many are left out; 0 for all", show_default=True),
]  # fmt: skip
"""Which items are shown."""
