"""Commands whose first argument is a metric: its options become flags."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from typing import Any

import click
from click.shell_completion import CompletionItem

from karat import _native
from karat.cli.common.flags import (
    SectionedCommand,
    Sections,
    flags,
    flags_apart,
    format_flags,
    given,
    reading_options,
    with_synonyms,
)
from karat.cli.common.measuring import Request
from karat.cli.common.options import QUIET, WRITE_CONFIG, OutputOption, split_names
from karat.cli.common.printing import flag_name
from karat.core import signature
from karat.core.capabilities import RenamesFlags, has
from karat.core.catalog import Row
from karat.core.files.writing import refuse_replacing
from karat.core.metric import Metric
from karat.core.options import Option, declared
from karat.core.pairing.sides import readable_kinds
from karat.core.plugins import METRICS, find_row, rows
from karat.core.reading.selection import Selection
from karat.core.registry import metric_class
from karat.core.runs import store
from karat.core.runs.evaluation import Evaluation
from karat.errors import KaratError, OptionError

Run = Callable[..., int | None]
"""Called with a `Request` and the values of the other options."""

_FAMILIES = {
    "text": "texts",
    "record": "records",
    "span": "spans",
    **dict.fromkeys(("graph", "amr", "passage", "drs", "sbn"), "meaning graphs"),
    "tree": "dependency trees",
    "logic": "logical forms",
    "scores": "scores made elsewhere",
    "plug-in": "plug-ins",
}


class MetricCommand(click.Group):
    """``karat VERB METRIC[,METRIC…] …``: each metric is a command with its own flags."""

    def __init__(
        self,
        name: str,
        help: str,
        options: Sequence[click.Option],
        run: Run,
        *,
        capability: type | None = None,
    ) -> None:
        super().__init__(
            name,
            help=help,
            options_metavar="",
            subcommand_metavar="METRIC[,METRIC...] [-g GOLD] -s SYSTEM... [OPTIONS]",
        )
        self.shared = list(options)
        self.run = run
        self.capability = capability
        """The capability that metrics need for it; help lists only these."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(rows(METRICS))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found = [row for row in rows(METRICS).values() if self._is_able(row)]
        for title in dict.fromkeys(_FAMILIES.get(row.kind, row.kind) for row in found):
            with formatter.section(f"Metrics of {title}"):
                formatter.write_dl(
                    [
                        (row.name, row.summary)
                        for row in found
                        if _FAMILIES.get(row.kind, row.kind) == title
                    ]
                )
        with formatter.section("Options of every metric"):
            records = [option.get_help_record(ctx) for option in self.shared]
            formatter.write_dl([record for record in records if record])
        formatter.write_paragraph()
        formatter.write_text(f"karat {self.name} METRIC --help shows a metric's own options.")

    def _is_able(self, row: Row) -> bool:
        if self.capability is None:
            return True
        try:
            return has(metric_class(row.name), self.capability)
        except KaratError:  # a plug-in that does not load
            return False

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of metrics; of those that begin so, the ones that the command takes."""
        metrics = [
            CompletionItem(row.name, help=row.summary)
            for row in rows(METRICS).values()
            if row.name.startswith(incomplete) and self._is_able(row)
        ]
        return [*metrics, *click.Command.shell_complete(self, ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Allows options before the metric: the metric is brought to the front."""
        if args and args[0].startswith("-") and not {"-h", "--help"} & set(args[:1]):
            i = self._place_of_metric(args)
            if i == len(args) and not {"-h", "--help"} & set(args):
                raise OptionError(
                    "no metric is given", code="K303", advice="karat list metrics shows them all"
                )
            args = [*args[i : i + 1], *args[:i], *args[i + 1 :]]
        return super().parse_args(ctx, args)

    def _place_of_metric(self, args: list[str]) -> int:
        """The position of the metric: the first word that names one, else the first that may.

        The values of the options that every metric has are left aside.
        """
        takes_value = {n for option in self.shared if not option.is_flag for n in option.opts}
        words = [
            i
            for i, word in enumerate(args)
            if not word.startswith("-") and not (i and args[i - 1] in takes_value)
        ]
        for i in words:
            names = [part.partition("(")[0] for part in split_names(args[i])]
            if all(find_row(METRICS, name) for name in names):
                return i
        return words[0] if words else len(args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        command = self.get_command(ctx, args[0])
        return args[0], command, args[1:]

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        _refuse_file(name, str(self.name))
        named = [signature.split(part) for part in split_names(name)]
        classes = [metric_class(part) for part, _ in named]
        of_all = frozenset(str(option.name) for option in self.shared)
        taken = set(of_all)
        synonyms = _synonyms(classes, {flag for option in self.shared for flag in option.opts})
        shared = with_synonyms(self.shared, synonyms)
        own = with_synonyms(flags([declared(cls) for cls in classes], taken), synonyms)
        named_apart = {cls: flags_apart(cls.name, declared(cls), taken, of_all) for cls in classes}
        own += [option for each in named_apart.values() for option in each.values()]

        def reading() -> Sections:
            return [("Options of the file formats", format_flags(readers(), taken))]

        @cache
        def readers() -> dict[str, dict[str, Option]]:
            return reading_options({kind for cls in classes for kind in readable_kinds(cls)})

        def apart(cls: type[Metric[Any, Any]], values: Mapping[str, Any]) -> dict[str, Any]:
            """The options that were given by the flags of this metric alone."""
            found = {key: values.get(str(each.name)) for key, each in named_apart[cls].items()}
            return given(found, declared(cls))

        which = flags([declared(Selection)], taken)

        def metrics_of(values: Mapping[str, Any]) -> list[Metric[Any, Any]]:
            # A flag that every metric has is the command's, also where an option has its name.
            own_values = {key: value for key, value in values.items() if key not in of_all}
            return [
                cls(**_joined(cls, fixed, given(own_values, declared(cls)) | apart(cls, values)))
                for cls, (_, fixed) in zip(classes, named, strict=True)
            ]

        def callback(**values: Any) -> int | None:
            metrics = metrics_of(values)
            # An option that metric and format share by name is the metric's.
            of_metrics = {key for cls in classes for key in declared(cls)}
            others = {key: value for key, value in values.items() if key not in of_metrics}
            format_options: dict[str, Any] = given(others, declared(Selection))
            if command.is_complete:
                for options in readers().values():
                    format_options |= given(others, options)
            common = {str(option.name): values[str(option.name)] for option in self.shared}
            return self._run(name, metrics, format_options, common)

        command = _MetricRun(
            name,
            callback=callback,
            help=classes[0].__doc__,
            options_metavar="[-g GOLD] -s SYSTEM... [OPTIONS]",
            sections=[(f"Options of {name}", own), ("Options", shared), ("Which items", which)],
            rare=reading,
        )
        command.check = metrics_of
        return command

    def _run(
        self,
        name: str,
        metrics: list[Metric[Any, Any]],
        format_options: dict[str, Any],
        common: dict[str, Any],
    ) -> int | None:
        """Runs the command: options that are fields of a `Request` become one."""
        config = common.pop("write_config", None)
        if common.get("quiet") and common.get("verbose"):
            raise OptionError("--quiet and --verbose contradict each other", code="K301")
        if common.pop("skip_bad_gold", False):
            common["on_error"] = also_skipping_gold(common["on_error"])
        _native.keep_freed_memory()
        asked = {key: common.pop(key) for key in Request.__struct_fields__ if key in common}
        with ExitStack() as stack:
            open_places(asked, common.pop("dask", None), stack)
            request = Request(metrics=metrics, format_options=format_options, **asked)
            status = self.run(request, **common)
        if config:
            from karat.cli.run import write_config

            write_config(config, str(self.name), {"metric": name}, click.get_current_context())
        return status


def _joined(
    cls: type[Metric[Any, Any]], written: Mapping[str, Any], flags: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The options written with a metric and those given by flags, which must agree."""
    for name, value in flags.items():
        if written.get(name, value) != value:
            raise OptionError(
                f"{cls.spoken_name()}({name}={written[name]!r}) and {flag_name(name)} contradict "
                "each other",
                code="K301",
            )
    return {**written, **flags}


def _synonyms(classes: Sequence[type], used: set[str]) -> dict[str, str]:
    """The further flags of metrics that are not taken, and the options that they set."""
    return {
        flag: name
        for cls in classes
        if has(cls, RenamesFlags)
        for other, name in cls.flag_synonyms.items()
        if (flag := other if other.startswith("-") else flag_name(other)) not in used
    }


def open_places(asked: dict[str, Any], dask: str | None, stack: ExitStack) -> None:
    """The folder and the cluster of a run, until it ends."""
    if asked.get("resume"):
        from karat.engine.resume import Folder

        asked["resume"] = stack.enter_context(Folder(asked["resume"]))
    if dask:
        from karat.engine.cluster import Cluster

        if asked.get("jobs", "auto") not in ("auto", 1):
            raise OptionError(
                "--dask and --jobs contradict each other",
                code="K301",
                advice="--dask local:N has N workers",
            )
        asked["machines"] = stack.enter_context(Cluster(dask))


def also_skipping_gold(on_error: str) -> str:
    """How errors are handled where ``--skip-bad-gold`` is given, too."""
    if on_error == "fail":
        raise OptionError("--skip-bad-gold and --on-error fail contradict each other", code="K301")
    return "skip" if on_error == "skip" else "skip-gold"


class _MetricRun(SectionedCommand):
    """All files are named by options, so that gold and system cannot be swapped unseen."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        args = _each_system_named(args)
        try:
            return super().parse_args(ctx, list(args))
        except click.UsageError:
            with suppress(click.UsageError):
                self._refuse_bare_files(ctx, args)
            raise

    def _refuse_bare_files(self, ctx: click.Context, args: list[str]) -> None:
        _, left, _ = self.make_parser(ctx).parse_args(list(args))
        if left:
            advice = "name files by options: -g GOLD -s SYSTEM (for more references, repeat -g)"
            if find_row(METRICS, left[0]):
                advice = f"give several metrics with commas between: {ctx.info_name},{left[0]}"
            elif _is_run(left[0]) and ctx.parent and ctx.parent.info_name in ("compare", "gate"):
                advice = f"saved runs need no metric: karat {ctx.parent.info_name} RUN RUN"
            raise OptionError(
                f"{left[0]!r} does not belong to an option", code="K300", advice=advice
            )


def _each_system_named(args: Sequence[str]) -> list[str]:
    """``--system A B C`` as ``--system A --system B --system C``, and ``-s A B C`` the same way.

    >>> _each_system_named(["-s", "a", "b", "-g", "c"])
    ['-s', 'a', '--system', 'b', '-g', 'c']
    """
    names = ("-s", "--system")
    result: list[str] = []
    of_systems = False
    for i, word in enumerate(args):
        is_value = bool(i) and args[i - 1] in names
        if of_systems and not is_value and (word == "-" or not word.startswith("-")):
            result += ["--system", word]
            continue
        of_systems = word in names or is_value
        result.append(word)
    return result


def _refuse_file(name: str, verb: str) -> None:
    """A file where the metric is expected."""
    if "(" in name or all(find_row(METRICS, part) for part in split_names(name)):
        return
    from pathlib import Path  # takes its time to load

    if Path(name).is_file():
        raise OptionError(
            f"{name!r} is a file, expected a metric",
            code="K304",
            advice=f"write: karat {verb} METRIC -g GOLD -s SYSTEM"
            + (" (or give saved runs)" if verb == "compare" else ""),
        )


class RunsOrMetricCommand(MetricCommand):
    """Takes a metric, or saved runs in its place; `of_runs` does with runs what is to be done."""

    def __init__(
        self,
        name: str,
        help: str,
        options: Sequence[click.Option],
        run: Run,
        *,
        of_runs: Callable[..., int | None],
        options_of_runs: Sequence[click.Option],
    ) -> None:
        super().__init__(name, help, options, run)
        self.of_runs = of_runs
        self.options_of_runs = [*options_of_runs, QUIET, WRITE_CONFIG]

    def get_command(self, ctx: click.Context, name: str) -> click.Command:
        is_run = name.endswith((".karat", ".run")) or _is_run(name)  # by usual name, or content
        return self.with_runs(name) if is_run else super().get_command(ctx, name)

    def with_runs(self, first: str) -> click.Command:
        """The command for saved runs, of which this is the first."""

        def callback(runs: tuple[str, ...], write_config: str | None, **options: Any) -> int | None:
            paths = [first, *runs]
            for option in self.options_of_runs:
                if isinstance(option, OutputOption):
                    name = str(option.name)
                    target = write_config if name == WRITE_CONFIG.name else options[name]
                    flag = flag_name(name.removesuffix("_path"))
                    refuse_replacing(target or "-", flag, dict.fromkeys(paths, "the run is"))
            status = self.of_runs([Evaluation.load(path) for path in paths], **options)
            if write_config:
                from karat.cli.run import write_config as write

                write(write_config, str(self.name), {"runs": paths}, click.get_current_context())
            return status

        paths = click.Argument(["runs"], nargs=-1, metavar="RUN...")
        return click.Command(first, callback=callback, params=[paths, *self.options_of_runs])


def _is_run(name: str) -> bool:
    try:
        with open(name, "rb") as stream:  # noqa: PTH123 - pathlib takes its time to load
            return stream.read(len(store.MAGIC)) == store.MAGIC
    except OSError:
        return False
