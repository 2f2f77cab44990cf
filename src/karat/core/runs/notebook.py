"""Results for people in Python: in notebooks as tables of HTML, as data frames, and as a line.

Intervals are drawn as lines of SVG. Colours are those of the text around them, or can be seen on
light and dark ground.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from string import Formatter
from typing import TYPE_CHECKING, Any

from karat.core.capabilities import HasToolLine, PrintsLine, has
from karat.core.scores import MetricsDict, leaves
from karat.errors import MissingExtra

if TYPE_CHECKING:
    from karat.core.runs.evaluation import Evaluation

_WIDTH, _HEIGHT = 160, 16
_CELL = "text-align:right;padding:2px 8px;font-variant-numeric:tabular-nums;white-space:nowrap"
_NAME = "text-align:left;padding:2px 8px"


def escape(text: str) -> str:
    """A text as HTML shows it."""
    from html import escape  # takes its time to load

    return escape(text)


NOTHING = "–"
"""Stands where there is no number to show."""


def shown(value: object, scale: float = 1.0) -> str:
    """A number for people: four decimals of a share, two of a percentage, whole counts.

    >>> shown(0.51234), shown(51.234, 100.0), shown(1234), shown(None)
    ('0.5123', '51.23', '1,234', '–')
    """
    if value is None or value != value:
        return NOTHING
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.2f}" if scale == 100 else f"{value:.4f}"


def signed(value: float, scale: float = 1.0) -> str:
    """A difference, with its sign."""
    if value != value:
        return NOTHING
    return f"{value:+.2f}" if scale == 100 else f"{value:+.4f}"


def strong(text: str) -> str:
    """The name of the main score."""
    return f"<strong>{escape(text)}</strong>"


def short_names(systems: Sequence[str]) -> list[str]:
    """Short names of systems: file names without folders, if these are unique.

    >>> short_names(["runs/a.txt", "runs/b.txt"]), short_names(["a/x.txt", "b/x.txt"])
    (['a.txt', 'b.txt'], ['a/x.txt', 'b/x.txt'])
    """
    short = [name.replace("\\", "/").rpartition("/")[2] or name for name in systems]
    return short if len(set(short)) == len(set(systems)) else list(systems)


def shown_p(p_value: float | None) -> str:
    """A p-value with four decimals.

    >>> shown_p(0.04321), shown_p(0.00001)
    ('0.0432', '<0.0001')
    """
    if p_value is None:
        return NOTHING
    return "<0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def drawn(
    low: float, value: float, high: float, begin: float, end: float, mark: float | None = None
) -> str:
    """An interval with its value on a line from `begin` to `end`; `mark` is drawn across it."""
    span = end - begin or 1.0

    def x(at: float) -> float:
        return round(4 + (_WIDTH - 8) * min(max((at - begin) / span, 0.0), 1.0), 1)

    middle = _HEIGHT / 2
    across = (
        ""
        if mark is None
        else (
            f'<line x1="{x(mark)}" x2="{x(mark)}" y1="1" y2="{_HEIGHT - 1}" '
            'stroke="currentColor" stroke-opacity="0.6" stroke-dasharray="2 2"/>'
        )
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'aria-label="from {low:.4g} to {high:.4g}" '
        f'style="vertical-align:middle;min-width:{_WIDTH}px">'
        f'<line x1="4" x2="{_WIDTH - 4}" y1="{middle}" y2="{middle}" stroke="currentColor" '
        f'stroke-opacity="0.25"/>{across}'
        f'<line x1="{x(low)}" x2="{x(high)}" y1="{middle}" y2="{middle}" stroke="#2b8fb3" '
        f'stroke-width="4" stroke-linecap="round"/>'
        f'<circle cx="{x(value)}" cy="{middle}" r="4" fill="currentColor"/></svg>'
    )


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], note: str = "") -> str:
    """A table; cells are HTML already, titles, headers and the lines of the note are not."""
    head = "".join(f'<th style="{_NAME}">{escape(name)}</th>' for name in header)
    body = "".join(
        "<tr>"
        + "".join(f'<td style="{_CELL if i else _NAME}">{cell}</td>' for i, cell in enumerate(row))
        + "</tr>"
        for row in rows
    )
    below = "".join(
        f'<div style="opacity:0.7;font-size:smaller">{escape(line)}</div>'
        for line in note.splitlines()
    )
    return (
        f"<div><div><strong>{escape(title)}</strong></div>"
        f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{below}</div>"
    )


class Tabular(ABC):
    """Base class of results that can be converted to a data frame."""

    @abstractmethod
    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """The columns by their names, all of one length."""

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` of the columns."""
        return _made("pandas", "DataFrame", self.to_columns())

    def to_polars(self) -> Any:
        """A `polars.DataFrame` of the columns."""
        return _made("polars", "DataFrame", self.to_columns())

    def to_arrow(self) -> Any:
        """A `pyarrow.Table` of the columns."""
        return _made("pyarrow", "table", self.to_columns())


def _made(package: str, maker: str, columns: Mapping[str, Sequence[Any]]) -> Any:
    try:
        library = import_module(package)
    except ImportError:
        raise MissingExtra(
            f"a frame of {package} needs the Python package '{package}', which is not installed",
            code="K401",
            advice=f"install it with: pip install {package}",
        ) from None
    return getattr(library, maker)(dict(columns))


def line_of(run: Evaluation) -> str:
    """The output of ``--line``: a result in the layout of the tool that the metric stands in for.

    A metric says with `tool_line` how the tool words its scores, as a template with their names,
    or with a method `line` where a template is not enough. Others have a line of karat's own.
    """
    metric, scores = run.metric, run.scores()
    if has(metric, PrintsLine):
        line = metric.line(MetricsDict({**scores, "extras": run.extras()}))
        if line:
            return line
    elif has(metric, HasToolLine):
        return _Template().format(metric.tool_line, scores=scores)
    value = dict(leaves(scores))[metric.about.path_of()]
    figure = "undefined" if value is None else f"{value:.4f}"
    return f"{metric.about.headline} = {figure} {run.signature()}"


class _Template(Formatter):
    """Fields are dotted names of scores; an undefined one is 0, as the tools have it."""

    def get_field(
        self, name: str, args: Sequence[Any], values: Mapping[str, Any]
    ) -> tuple[Any, str]:
        found: Any = values["scores"]
        for part in name.split("."):
            found = found[part]
        return 0.0 if found is None else found, name


def json_lines(scores: Mapping[str, Any], names: Sequence[str]) -> str:
    """Scores as mtool writes them: one JSON object, a name at the beginning of each line."""
    import json  # takes its time to load

    found = (f'"{name}": {json.dumps(_plain(scores[name]))}' for name in names)
    return "{" + ",\n ".join(found) + "}"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return 0.0 if value is None else value
