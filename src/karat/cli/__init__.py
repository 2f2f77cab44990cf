"""The command line: verbs first, the same options everywhere.

Commands are loaded when used, so that ``karat --help`` imports nothing heavy.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

import click
from click.shell_completion import CompletionItem

from karat.errors import KaratError, OptionError, did_you_mean
from karat.version import VERSION

# A command without arguments shows its help; older versions of click do so without an exception.
_HELP_INSTEAD: tuple[type[Exception], ...] = (
    (click.exceptions.NoArgsIsHelpError,) if hasattr(click.exceptions, "NoArgsIsHelpError") else ()
)

_REQUIRED = ("numpy", "msgspec", "click", "rich", "rapidfuzz")

_SECTIONS = {
    "Judge systems": {
        "evaluate": ("karat.cli.evaluate:evaluate", "How good is a system, and how sure are we?"),
        "compare": ("karat.cli.compare:compare", "Is one system really better than another?"),
        "gate": ("karat.cli.compare:gate", "May a change go in, or is it worse?"),
        "run": ("karat.cli.run:run", "Run the evaluations that a file declares."),
        "explain": ("karat.cli.explain:explain", "Why does an item have its score?"),
        "repair": ("karat.cli.repair:command", "Which errors cost how much?"),
        "audit": ("karat.cli.audit:audit", "Is the gold wrong here?"),
        "mbr": ("karat.cli.mbr:mbr", "Choose among several outputs by consensus."),
        "trace": ("karat.cli.trace:trace", "Which setting gives a published figure?"),
        "ned": ("karat.cli.ned:ned", "Neutral edge direction, called like its authors' script."),
    },
    "Keep and show results": {
        "report": ("karat.cli.runs:report", "Write a page that shows saved runs."),
        "view": ("karat.cli.runs:view", "Show the page of saved runs in a browser."),
        "viewer": ("karat.cli.runs:viewer", "Write a page that shows pyramids or ROUGE matches."),
        "verify": ("karat.cli.runs:verify", "Check a saved run against its input files."),
        "clean": ("karat.cli.runs:clean", "Remove the parts that --resume keeps in a folder."),
    },
    "Work with files": {
        "convert": ("karat.cli.files:convert", "Write files in another format."),
        "draw": ("karat.cli.files:draw", "Draw what is in files, as SVG."),
        "analyze": ("karat.cli.files:analyze", "Count what is in files."),
        "validate": ("karat.cli.files:validate", "Check files against their rules."),
        "inspect": ("karat.cli.files:inspect", "Check that a submission is complete."),
    },
    "Judge metrics by human judgements": {
        "score": ("karat.cli.score:score", "Score every output by itself."),
        "correlate": ("karat.cli.correlate:correlate", "How well does a metric follow human judgements?"),
        "significance": ("karat.cli.correlate:significance", "Does one metric follow judgements better than another?"),
        "conjunction": ("karat.cli.correlate:conjunction", "How many of several tests show an effect?"),
        "compare-metrics": ("karat.cli.correlate:compare_metrics", "Rank metrics by how well they follow judgements."),
        "correlation-table": ("karat.cli.correlate:correlation_table", "Make one table from many correlations."),
        "fit": ("karat.cli.judgements:fit", "Learn a score from judgements and other scores."),
        "predict": ("karat.cli.judgements:predict", "Score outputs by what karat fit has learnt."),
        "agreement": ("karat.cli.judgements:agreement", "How far do annotators agree?"),
        "power": ("karat.cli.judgements:power", "How much data is needed to see a difference?"),
        "pairwise": ("karat.cli.judgements:pairwise", "Rank systems by judgements of pairs, and compare metrics with them."),
    },
    "Set up and extend": {
        "list": ("karat.cli.installed:listing", "List the metrics, formats and data sets."),
        "doctor": ("karat.cli.installed:doctor", "Show what works here, and what is missing."),
        "setup": ("karat.cli.installed:setup", "Prepare data sets and metrics from files that you have."),
        "new": ("karat.cli.new:new", "Write a package for a metric of your own."),
    },
}  # fmt: skip
COMMANDS = {name: row for rows in _SECTIONS.values() for name, row in rows.items()}


# Commands and options of other tools, and what to write here.
_OTHER_COMMANDS = {
    "setup-metric": "karat setup metric NAME",
    "setup-dataset": "karat setup dataset NAME FILE... -o FOLDER",
    "stat-sig-test": "karat significance FILE... --dependent NAME --metrics A B",
    "partial-conjunction-test": "karat conjunction TEST.json...",
    "help": "karat --help, or karat COMMAND --help",
    "version": "karat --version",
}
_GOLD, _SYSTEM = "-g FILE, the gold file", "-s FILE, the output of a system"
_OTHER_OPTIONS = {
    **dict.fromkeys(("-r", "--ref", "--refs", "--reference", "--references", "--target"), _GOLD),
    **dict.fromkeys(("--hyp", "--hypothesis", "--pred", "--prediction", "--predictions"), _SYSTEM),
    "--input-files": "-s FILE..., and --format NAME where a reader joins two files",
    "--dataset-reader": "--format NAME",
    "--macro-output-json": "--json PATH",
    "--micro-output-jsonl": "--items PATH",
    "--output-jsonl": "-o PATH",
    "--disable-peer-jackknifing": "--no-jackknife",
    "--include-packages": "nothing: installed packages are found by their entry points",
    "--silent": "-q",
    "--log-file": "2> PATH",
    "--metrics-jsonl-files": "the files alone, as arguments",
    "--confidence-interval-method": "--interval NAME",
    "--confidence-interval-kwargs": "--resamples N",
    "--num-tails": "--one-tailed for correlate, --two-tailed for significance",
    "--skip-summary-level": "--level for each level that is wanted",
    "--skip-system-level": "--level for each level that is wanted",
    "--skip-global": "--level for each level that is wanted",
    "--system-level-output-plot": "--plot-systems PATH",
    "--global-output-plot": "--plot-outputs PATH",
    "--dependent-metric": "--dependent NAME",
    "--metric-a": "--metrics A B",
    "--metric-b": "--metrics A B",
    "--random-seed": "--seed N",
    "--hypothesis-test": "--test NAME",
    "--pvalue-json-files": "the files alone, as arguments",
    "--names": "--name NAME for each",
    "--output-file": "--json PATH",
}


class OutputUnreadError(Exception):
    """The reader of our output is gone. Not an OSError: click would end with its own status."""


@contextmanager
def _watching_output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise OutputUnreadError from None
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # what draws tables ends like this
            raise OutputUnreadError from None
        raise


def _format_examples(name: str, _: click.Context, formatter: click.HelpFormatter) -> None:
    """Writes the examples of a command at the end of its help."""
    from karat.cli.common.examples import EXAMPLES  # which only the help needs

    with formatter.section("Examples"):
        formatter.write("".join(f"  {line}\n" for line in EXAMPLES[name]))


class LazyGroup(click.Group):
    """A group that knows names and help of its commands, and loads the one that is used."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _watching_output():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _watching_output():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *_of_plug_ins()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            if name not in _of_plug_ins():
                return None
            from karat.cli.files import plug_in_command

            return plug_in_command(name)
        module, _, attribute = COMMANDS[name][0].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        command.format_epilog = partial(_format_examples, name)  # type: ignore[method-assign]
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands, without loading any of them."""
        commands = [
            CompletionItem(name, help=text)
            for name, text in _all_commands().items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            if args[0] in _of_plug_ins():
                return super().resolve_command(ctx, args)
            _refuse_clash(args[0])
            _refuse_metric(args[0])
            if args[0] in _OTHER_COMMANDS:
                raise OptionError(
                    f"there is no command {args[0]!r}",
                    code="K300",
                    advice=f"write: {_OTHER_COMMANDS[args[0]]}",
                )
            raise click.UsageError(
                f"there is no command {args[0]!r}{did_you_mean(args[0], _all_commands())}", ctx
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = {
            title: [(name, text) for name, (_, text) in rows.items()]
            for title, rows in _SECTIONS.items()
        }
        for title, rows in {**sections, "From plug-ins": list(_of_plug_ins().items())}.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        formatter.write_paragraph()
        formatter.write_text("karat COMMAND --help shows the options of a command, and examples.")


def _all_commands() -> dict[str, str]:
    """The names of all commands, with a line about each."""
    return {name: text for name, (_, text) in COMMANDS.items()} | _of_plug_ins()


def _of_plug_ins() -> dict[str, str]:
    """The commands that installed packages add; karat's own stay what they are."""
    from karat.core.plugins import COMMANDS as GROUP
    from karat.core.plugins import rows

    return {name: row.summary for name, row in rows(GROUP).items() if name not in COMMANDS}


def _refuse_clash(name: str) -> None:
    from karat.core.plugins import COMMANDS as GROUP
    from karat.core.plugins import clashes

    if clash := clashes(GROUP).get(name):
        raise clash


def _refuse_metric(name: str) -> None:
    """Raises if the name of a metric is given where a command is expected."""
    from karat.core.catalog import METRICS

    if any(row.name == name for row in METRICS):
        raise OptionError(
            f"there is no command {name!r}, it is a metric",
            code="K300",
            advice=f"write: karat evaluate {name} -g GOLD -s SYSTEM",
        )


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda context, _, wanted: _show_version(context) if wanted else None,
    help="Show the version, and how it was built.",
)
def cli() -> None:
    """Judge what language systems produce: meaning graphs, logical forms,
    dependency trees, texts and structured records, each against gold.

    \b
    Try:
      karat list metrics
      karat evaluate bleu -g gold.txt -s system.txt
      karat compare bleu -g gold.txt -s one.txt -s other.txt
    """


def _show_version(context: click.Context) -> None:
    """The version in the first line; below it what a report of a fault should tell."""
    if context.resilient_parsing:
        return
    click.echo(f"karat, version {VERSION}")
    for name, fact in _build_facts().items():
        click.echo(f"{name}: {fact}")
    context.exit()


def _build_facts() -> dict[str, str]:
    """Native core, Python, platform and the packages that karat cannot do without."""
    import platform

    try:
        native = str(import_module("karat._native").BUILD)
    except ImportError as error:  # which is what such a report would be about
        native = f"does not load: {error}"
    packages = [f"{name} {_version_of(name)}" for name in _REQUIRED]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return {
        "native core": native,
        "python": f"{python}, {platform.python_compiler()}",
        "platform": platform.platform(),
        "packages": ", ".join(packages),
    }


def _version_of(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "missing"


def main(args: list[str] | None = None) -> NoReturn:
    """Runs the command line and exits: 0 done, 1 bad data, 2 wrong use.

    Called with arguments, by other code, it raises SystemExit.
    """
    # How much runs at once is --jobs' to say; numpy's own threads cost more to start
    # than the small matrix products here win by them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _stop_when_told()
    status = _closed() or _run(args)
    gc.freeze()
    if args is None and not _other_threads():
        _end(status)
    sys.exit(status)


def _closed() -> int:
    """2 if standard output is closed, which Python takes for None, else 0."""
    closed = sys.stdout is None
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123
    if closed:
        click.echo("the output cannot be written: standard output is closed", err=True)
    return 2 if closed else 0


def _other_threads() -> bool:
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1


def _end(status: int) -> NoReturn:
    """Ends the process after all that is to be done at its exit, except freeing what it holds."""
    import atexit

    atexit._run_exitfuncs()
    with suppress(OSError):  # too late to be reported
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


class _Terminated(KeyboardInterrupt):
    """SIGTERM came: everything ends as after Ctrl-C."""


def _stop_when_told() -> None:
    """Makes SIGTERM end a run in good order, unless it was started with it ignored."""

    def stop(number: int, _: object) -> NoReturn:
        signal.signal(number, signal.SIG_IGN)  # clearing away is not to be stopped itself
        raise _Terminated

    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        with suppress(ValueError):  # only the main thread may
            signal.signal(signal.SIGTERM, stop)


def _run(args: list[str] | None) -> int:
    try:
        result: Any = cli.main(args, prog_name="karat", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except KaratError as error:
        from karat.cli.common.printing import error_text

        click.echo(error_text(error), err=True)
        return error.exit_code
    except click.ClickException as error:
        if isinstance(error, _HELP_INSTEAD):
            error.show()
        else:
            click.echo(str(wrong_use(error)), err=True)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort) as error:
        click.echo("stopped", err=True)
        # Worker threads of a pool must not hold up the exit.
        os._exit(143 if isinstance(error.__cause__ or error, _Terminated) else 130)
    except (BrokenPipeError, OutputUnreadError):
        # The reader of our output, such as head, has seen enough.
        _forget_stdout()
        return 0
    except OSError as error:
        click.echo(f"the output cannot be written: {error.strerror or error}", err=True)
        _forget_stdout()
        return 1
    except Exception:
        import traceback

        from karat.core.registry import plugins_in_use

        traceback.print_exc()
        where = " or ".join(["karat", *sorted(plugins_in_use)])
        click.echo(f"this is a bug in {where}: please report it with the lines above", err=True)
        return 70


def wrong_use(error: click.ClickException) -> OptionError:
    """An error of click in the form of karat's own messages."""
    message, code, advice = error.format_message(), "K300", ""
    if isinstance(error, click.NoSuchOption):
        params = error.ctx.command.params if error.ctx else ()
        known = [n for param in params if not getattr(param, "hidden", False) for n in param.opts]
        message, code = f"there is no option {error.option_name!r}", "K301"
        if instead := _OTHER_OPTIONS.get(error.option_name.lower()):
            return OptionError(message, code=code, advice=f"write here: {instead}")
        message += did_you_mean(error.option_name, known)
    elif isinstance(error, click.UsageError) and message.startswith("No such command"):
        group = error.ctx.command if error.ctx else None
        if isinstance(group, click.Group) and error.ctx:
            message = message.replace("No such command", "there is no command").removesuffix(".")
            message += ", expected " + " or ".join(map(repr, group.list_commands(error.ctx)))
    elif isinstance(error, click.BadParameter):
        code = "K303" if isinstance(error, click.MissingParameter) else "K302"
    if isinstance(error, click.UsageError) and error.ctx is not None:
        what = "commands" if error.ctx.command is cli else "options"
        advice = f"{error.ctx.command_path} --help shows all {what}"
    message = message.replace(" is not a valid ", " is not a ")
    first, *more = message.strip().splitlines()
    first = first[:1].lower() + first[1:].removesuffix(".")
    return OptionError(
        " ".join([first, *(line.strip() for line in more)]), code=code, advice=advice
    )


def _forget_stdout() -> None:
    """Discards the buffer of standard output, which would fail once more at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
