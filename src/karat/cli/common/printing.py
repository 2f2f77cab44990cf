"""Output of all commands: messages with options shown as flags, JSON, tables, progress."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from karat.core.files.writing import indented_json, whole_file
from karat.errors import KaratError, counted
from karat.version import VERSION

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from karat.engine.jobs import Progress

OPTION = r"``([a-z]\w*)(?:='([^'`]*)'|=(True|False))?``"
"""An option in a message, with its value or without."""
_PLAIN = r"[\w@%+=:,./-]+"
"""What a shell takes as it is."""


def flag_name(option: str) -> str:
    """The flag of an option.

    >>> flag_name("on_error")
    '--on-error'
    """
    return f"--{option.replace('_', '-')}"


def with_flags(message: str) -> str:
    """A message in which options are shown as flags.

    >>> with_flags("use ``on_error='skip'`` or ``no_text``; ``derp=True`` has no ``'x'``")
    "use --on-error skip or --no-text; --derp has no ``'x'``"
    """
    return re.sub(OPTION, _as_flag, message) if "``" in message else message


def _as_flag(option: re.Match[str]) -> str:
    name, value, truth = option.groups()
    flag = flag_name(f"no_{name}" if truth == "False" else name)
    if value is None:
        return flag
    return f"{flag} {value}" if re.fullmatch(_PLAIN, value) else f"{flag} '{value}'"


def error_text(error: KaratError) -> str:
    """An error as the command line shows it."""
    lines = with_flags(error.headline), error.excerpt, with_flags(error.advice)
    return "\n".join(line for line in lines if line)


def warn(messages: Iterable[str], quiet: bool = False) -> None:
    """Warnings on standard error, each once."""
    if not quiet:
        for message in dict.fromkeys(messages):
            click.echo(f"warning: {with_flags(message)}", err=True)


def write_json(path: str, document: Any) -> None:
    with whole_file(path) as stream:
        stream.write(indented_json(document))


def one_or_all(documents: Sequence[Any]) -> Any:
    """What the JSON of several results is: one stands for itself, several are a list."""
    return documents[0] if len(documents) == 1 else documents


def print_lines(lines: Callable[[int | None], Iterable[str]]) -> None:
    """Prints lines that are made for the width of a terminal, or for none.

    A reader who stops early, such as head, is no error: the exit code still tells the outcome.
    """
    import shutil  # takes its time to load

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    with suppress(BrokenPipeError):
        click.echo(with_flags("\n".join(lines(width))))


def print_hanging(texts: Sequence[tuple[str, int]]) -> None:
    """Prints texts; those too long for a terminal go on below, indented as far as is said."""

    def lines(width: int | None) -> Iterator[str]:
        from textwrap import wrap  # takes its time to load

        for text, indent in texts:
            if width is None or len(text) <= width:
                yield text
            else:
                yield from wrap(
                    text, width, subsequent_indent=" " * indent,
                    break_long_words=False, break_on_hyphens=False,
                )  # fmt: skip

    print_lines(lines)


def show(
    documents: Sequence[Any],
    json_path: str | None,
    make: Callable[[ModuleType], Iterable[Any]],
    home: str = "tables",
) -> None:
    """Results as JSON, where that is asked for, and as tables, unless the JSON is printed.

    `make` gets the module of `karat.report` that `home` names, which is loaded only if needed.
    """
    if json_path:
        write_json(json_path, one_or_all(documents))
    if json_path != "-":
        from karat.report.layout import Console

        console = Console()
        for table in make(import_module(f"karat.report.{home}")):
            console.print(table)


def show_meta(
    results: Sequence[Mapping[str, Any]],
    json_path: str | None,
    make: Callable[[ModuleType], Iterable[Any]],
) -> None:
    """Results of meta-evaluation as JSON and as tables."""
    documents = [{"karat": VERSION, **each} for each in results]
    show(documents, json_path, make, "meta_tables")


# -- progress ------------------------------------------------------------------------------------

_SECONDS = 0.1
"""Between two pictures of the bar."""
_BAR = 16
_FIGURES = _BAR + len(" / 100,000/s 0:00:00 00:00 left ")
"""The width of the bar and the text after it, without the numbers of pairs."""


class Bar:
    """A bar that counts pairs; once it is told how many there are, it says when they are done."""

    def __init__(self, bars: Bars, title: str) -> None:
        self.bars, self.title, self.jobs = bars, title, ""
        self.pairs = self.done = self.chunks = self.finished = 0
        self.task: TaskID = bars.add_task(self._titled(), total=None, rate="", left="")
        self.started = self.shown = time.monotonic()

    def begin(self, pairs: int, jobs: int, chunks: int) -> None:
        """So many pairs are about to be measured by so many workers, in so many chunks."""
        self.pairs, self.started = pairs, time.monotonic()
        if jobs > 1:
            self.jobs, self.chunks = f" ({counted(jobs, 'job')})", chunks
        self.bars.update(self.task, total=pairs, description=self._titled(), refresh=True)

    def _titled(self) -> str:
        """Workers are given chunks, and some of them may hang behind."""
        more = f"{self.jobs} chunk {self.finished}/{self.chunks}" if self.chunks else ""
        used = _FIGURES + 2 * len(str(self.pairs)) + len(more)
        return shortened(self.title, self.bars.console.width - used) + more

    def __call__(self, done: int) -> None:
        self.done += done
        self.finished += 1
        now = time.monotonic()
        if now - self.shown >= _SECONDS:
            self.shown = now
            rate, left = pace(self.done, self.pairs, now - self.started)
            title = self._titled()
            self.bars.update(
                self.task, completed=self.done, description=title, rate=rate, left=left,
                refresh=True,
            )  # fmt: skip


def shortened(title: str, width: int) -> str:
    """A title, shortened in the middle if there is no space for all of it.

    >>> shortened("bleu a-long-name-of-a-system.txt", 20)
    'bleu a-long-n…em.txt'
    """
    if len(title) <= width:
        return title
    end = max(4, width // 3)
    return f"{title[: max(8, width - end - 1)]}…{title[-end:]}"


def pace(done: int, pairs: int, seconds: float) -> tuple[str, str]:
    """The rate of pairs per second, and the time left.

    >>> pace(5000, 20000, 2.5)
    ('2,000/s', '0:08 left')
    >>> pace(3, 0, 6)  # the number of pairs is unknown
    ('0.5/s', '')
    """
    if not done or seconds <= 0:
        return "", ""
    rate = done / seconds
    shown = f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"
    if pairs < done:
        return shown, ""
    minutes, left = divmod(round((pairs - done) / rate), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"
    return shown, f"{clock} left"


@contextmanager
def progress_bar(title: str, quiet: bool) -> Iterator[Progress | None]:
    """A bar of the pairs of a run; nothing unless standard error is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(_BAR),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False),
    )
    # A thread that draws it would keep the process from having workers that share its memory.
    with Bars(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bars:
        yield Bar(bars, title)
