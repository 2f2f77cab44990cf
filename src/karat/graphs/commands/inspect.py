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
        complete = all(len(given.get(key, {})) == len(ids) for key, ids in asked.items())
        return Answer(
            _text(asked, given, double, extra, complete),
            _document(asked, given, double, extra, complete),
            failed=not complete,
        )


def _language(graph: Graph) -> str:
    return graph.language or "eng"


def _missing(asked: _Table, given: _Table) -> dict[tuple[str, str], list[str]]:
    return {
        key: [name for name in ids if name not in given.get(key, {})] for key, ids in asked.items()
    }


def _text(asked: _Table, given: _Table, double: list[str], extra: list[str], complete: bool) -> str:
    lines = []
    for key, missing in _missing(asked, given).items():
        count, whole = len(given.get(key, {})), len(asked[key])
        line = f"{key[0]} {key[1]}: {count} of {whole}"
        if missing:
            line += ", missing: " + ", ".join(missing[:5]) + (" …" if len(missing) > 5 else "")
        lines.append(line)
    for name, found in (("twice", double), ("not asked for", extra)):
        if found:
            more = " …" if len(found) > 5 else ""
            lines.append(f"{len(found)} {name}: {', '.join(found[:5])}{more}")
    lines.append("complete" if complete else "not complete")
    return "\n".join(lines)


def _document(
    asked: _Table, given: _Table, double: list[str], extra: list[str], complete: bool
) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for language, framework in asked:
        count = len(given.get((language, framework), {}))
        document.setdefault(language, {})[framework] = count
    missing = {
        f"{language} {framework}": names
        for (language, framework), names in _missing(asked, given).items()
        if names
    }
    return {
        **document,
        "complete": complete,
        "missing": missing,
        "twice": double,
        "not_asked_for": extra,
    }
