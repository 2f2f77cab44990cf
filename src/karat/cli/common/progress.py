"""The progress bar: how much is done, how fast, and how much time is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from karat.engine.jobs import Progress
from karat.errors import counted

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

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
