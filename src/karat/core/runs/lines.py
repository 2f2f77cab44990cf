"""The output of ``--line``: a result in the layout of the tool that a metric stands in for.

A metric says with `tool_line` how the tool words its scores, as a template with their names, or
with a method `line` where a template is not enough. Any other metric has a line of karat's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import TYPE_CHECKING, Any

from karat.core.capabilities import HasToolLine, PrintsLine, has
from karat.core.scores import MetricsDict, leaves

if TYPE_CHECKING:
    from karat.core.runs.evaluation import Evaluation


def line_of(run: Evaluation) -> str:
    """The line of a result, or the lines."""
    metric, scores = run.metric, run.scores()
    if has(metric, PrintsLine):
        line = metric.line(MetricsDict({**scores, "extras": run.extras()}))
        if line:
            return line
    elif has(metric, HasToolLine):
        return _Template().format(metric.tool_line, scores=scores)
    value = dict(leaves(scores))[metric.about.path_of()]
    shown = "undefined" if value is None else f"{value:.4f}"
    return f"{metric.about.headline} = {shown} {run.signature()}"


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
