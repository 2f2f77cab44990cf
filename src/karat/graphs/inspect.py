"""``karat inspect`` for graphs: is there a graph for all that gold asks for?"""

from __future__ import annotations

from typing import Any

from karat.core.commands import Answer, Inquiry, Job
from karat.errors import OptionError
from karat.graphs.model import Graph

_Table = dict[tuple[str, str], dict[str, None]]


class InspectGraphs(Inquiry):
    """Counts graphs by language and framework, against what gold asks for.

    Gold asks for the frameworks of its `targets`, or else for its own. Graphs
    without a language are taken for English, as in the shared tasks.
    """

    name = "inspect"

    def answer(self, job: Job) -> Answer:
        if not job.golds:
            raise OptionError(
                "inspect needs gold", code="K303", advice="name it with ``gold='FILE'``"
            )
        asked: _Table = {}
        for graph in job.gold_values():
            for target in graph.targets or (graph.framework or "none",):
                asked.setdefault((_language(graph), target), {})[graph.id] = None
        given: _Table = {}
        double: list[str] = []
        extra: list[str] = []
        for graph in job.values():
            key = (_language(graph), graph.framework or "none")
            ids = given.setdefault(key, {})
            if graph.id in ids:
                double.append(f"{key[0]} {key[1]} {graph.id}")
            elif graph.id in asked.get(key, {}):
                ids[graph.id] = None
            else:
                extra.append(f"{key[0]} {key[1]} {graph.id}")
        return _answer(asked, given, double, extra)


def _language(graph: Graph) -> str:
    return graph.language or "eng"


def _answer(asked: _Table, given: _Table, double: list[str], extra: list[str]) -> Answer:
    lines, missing = [], {}
    document: dict[str, Any] = {}
    for (language, framework), wanted in asked.items():
        found = given.get((language, framework), {})
        document.setdefault(language, {})[framework] = len(found)
        line = f"{language} {framework}: {len(found)} of {len(wanted)}"
        if absent := [name for name in wanted if name not in found]:
            missing[f"{language} {framework}"] = absent
            line += f", missing: {_some(absent)}"
        lines.append(line)
    for what, names in (("twice", double), ("not asked for", extra)):
        if names:
            lines.append(f"{len(names)} {what}: {_some(names)}")
    document |= {
        "complete": not missing, "missing": missing, "twice": double, "not_asked_for": extra,
    }  # fmt: skip
    lines.append("not complete" if missing else "complete")
    return Answer("\n".join(lines), document, failed=bool(missing))


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
