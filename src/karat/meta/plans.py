"""A configuration file: several metrics over several sets of files, in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from karat.core.files.notations import doubled_key, read_toml
from karat.core.files.opener import Source
from karat.core.metric import Metric
from karat.core.options import ERROR_POLICIES, MODES
from karat.core.registry import metric_class, parse
from karat.engine.jobs import Jobs, Progress
from karat.errors import FormatError, OptionError, Place, did_you_mean
from karat.meta.records import Record
from karat.meta.scoring import Files, Scores, labels, score_files

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from karat.engine.resume import Folder

_TOP = ("output", "jackknife_peers", "allow_duplicates", "metrics", "runs", "karat")
_RUN = (
    "system", "gold", "format", "gold_format", "format_options", "pair", "on_error", "metrics",
)  # fmt: skip

_Choice = TypeVar("_Choice", bound=str)


@dataclass(frozen=True, slots=True)
class Run:
    """One set of files, and the metrics that score it under their names."""

    files: Files
    metrics: tuple[Metric[Any, Any], ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs that a configuration declares."""

    runs: tuple[Run, ...]
    output: str | None
    jackknife_peers: bool
    allow_duplicates: bool

    def inputs(self) -> dict[str, str]:
        """The files that are read, each with what names it."""
        return {
            path: f"{role} of the plan is"
            for run in self.runs
            for role, paths in (("system", run.files.system), ("gold", run.files.gold))
            for path in paths
        }

    def score(
        self,
        *,
        jobs: Jobs = 1,
        progress: Progress | None = None,
        executor: Executor | None = None,
        resume: Folder | None = None,
    ) -> Scores:
        """All runs; records of one output are merged. Finished chunks are kept in `resume`."""
        merged: dict[tuple[str, str], Record] = {}
        signatures: dict[str, None] = {}
        warnings: list[str] = []
        for run in self.runs:
            found = score_files(
                run.metrics,
                run.files,
                names=run.names,
                jackknife_peers=self.jackknife_peers,
                allow_duplicates=self.allow_duplicates,
                jobs=jobs,
                progress=progress,
                executor=executor,
                resume=resume,
            )
            signatures.update(dict.fromkeys(found.signatures))
            warnings += found.warnings
            for record in found.records:
                key = record.instance_id, record.summarizer_id
                if key in merged:
                    _check_clash(merged[key], record)
                    record = merged[key].merge(record)
                merged[key] = record
        return Scores([merged[key] for key in sorted(merged)], tuple(signatures), tuple(warnings))


def _check_clash(one: Record, other: Record) -> None:
    if one.summarizer_type != other.summarizer_type:
        raise FormatError(
            f"{one.summarizer_id!r} of {one.instance_id!r} is a {one.summarizer_type} in one "
            f"run and a {other.summarizer_type} in another",
            code="K153",
        )
    for name in other.metrics:
        if name in one.metrics and one.metrics[name] != other.metrics[name]:
            raise OptionError(
                f"two runs give {one.summarizer_id!r} of {one.instance_id!r} different "
                f"scores {name!r}",
                code="K348",
                advice="give the metric a name of its own: {type = ..., name = ...}",
            )


def read_plan(path: str, overrides: Mapping[str, Any] | None = None) -> Plan:
    """A plan from a TOML or JSON file; its paths are relative to the file.

    A JSON file may also be a configuration of SacreROUGE: `dataset_reader`, `input_files` and
    `metrics`. `overrides` are settings that replace those of the file: tables are merged,
    an item of a list is named by its place (``{"runs": {"0": {...}}}``).
    """
    source = Source(path)
    place = Place(source.name)
    document = _document(source, place)
    if not isinstance(document, dict):
        raise FormatError("expected a table of settings", code="K156", place=place)
    try:
        document = _of_sacrerouge(merged(document, overrides or {}))
        return _plan(document, Path(path).parent if path != "-" else Path())
    except OptionError as error:
        if error.place is None:
            error.place = place
        raise


def _of_sacrerouge(document: dict[str, Any]) -> dict[str, Any]:
    """A configuration of SacreROUGE in the words of a plan; others as they are."""
    if not {"dataset_reader", "input_files"} & document.keys():
        return document
    reader, files = document.pop("dataset_reader", {}), document.pop("input_files", [])
    files = [files] if isinstance(files, str) else files
    if isinstance(reader, str):
        reader = {"type": reader}
    if not isinstance(reader, dict) or not isinstance(files, list):
        raise OptionError("'dataset_reader' must be a table, 'input_files' a list", code="K349")
    options = dict(reader)
    name = options.pop("type", None)
    joined = {"pyramid-based": "pyramids", "split-document-based": "documents"}.get(str(name))
    if joined and len(files) == 2:
        options[joined], *files = files
    if "system" in document or not files:
        raise OptionError(
            "a configuration of SacreROUGE needs its 'input_files'",
            code="K349",
            advice="""give them with ``overrides='{"input_files": ["summaries.jsonl"]}'``""",
        )
    return {"format": name, "format_options": options, "system": files, **document}


def merged(settings: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with others in their places; nothing that is given is changed.

    >>> merged({"metrics": ["bleu", "rouge"], "pair": "id"}, {"metrics": {"1": "chrf"}})
    {'metrics': ['bleu', 'chrf'], 'pair': 'id'}
    """
    result = dict(settings)
    # Tables still to be filled, with what goes into them: no call can nest too deeply.
    waiting: list[tuple[Any, Mapping[str, Any], str]] = [(result, overrides, "")]
    while waiting:
        table, changes, path = waiting.pop()
        for name, value in changes.items():
            key: Any = name
            if isinstance(table, list):
                key = _place_in(table, name, path)
            old = table[key] if isinstance(table, list) else table.get(key)
            if isinstance(value, dict) and isinstance(old, (dict, list)):
                table[key] = old.copy()
                waiting.append((table[key], value, f"{path}{name}."))
            else:
                table[key] = value
    return result


def _place_in(items: list[Any], name: str, path: str) -> int:
    if not (name.isascii() and name.isdigit() and len(name) < 19 and int(name) < len(items)):
        raise OptionError(
            f"the override {path + name!r} names no item: there are {len(items)}, from 0",
            code="K349",
        )
    return int(name)


def _document(source: Source, place: Place) -> Any:
    content = source.content()
    try:
        if source.path.endswith(".toml"):
            return read_toml(content)
        found = msgspec.json.decode(content)
    except (ValueError, RecursionError) as error:
        kind = "TOML" if source.path.endswith(".toml") else "JSON"
        raise FormatError(
            f"this is not {kind}: {error}",
            code="K147",
            place=place,
            advice="a plan is TOML in a file whose name ends in .toml, or JSON",
        ) from None
    if name := doubled_key(content):
        raise FormatError(f"the key {name!r} stands twice in one object", code="K156", place=place)
    return found


def _plan(document: Mapping[str, Any], folder: Path) -> Plan:
    _check_keys(document, _TOP if "runs" in document else (*_TOP, *_RUN), "the configuration")
    runs = document.get("runs", [document])
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs) or not runs:
        raise OptionError("'runs' must be a list of tables", code="K349")
    made = []
    for run in runs:
        if run is not document:
            _check_keys(run, _RUN, "a run")
        made.append(_run(run, document.get("metrics", []), folder))
    output = document.get("output")
    return Plan(
        tuple(made),
        None if output is None else str(folder / _typed(document, "output", str)),
        _typed(document, "jackknife_peers", bool, True),
        _typed(document, "allow_duplicates", bool, False),
    )


def _run(run: Mapping[str, Any], common: Any, folder: Path) -> Run:
    entries = _list(run.get("metrics", common), "metrics")
    metrics, given = [], []
    for entry in entries:
        metric, name = _metric(entry)
        metrics.append(metric)
        given.append(name)
    if not metrics:
        raise OptionError("there are no metrics", code="K349", advice="write metrics = [...]")
    system = [str(folder / path) for path in _paths(run, "system")]
    if not system:
        raise OptionError("a run has no system files", code="K349", advice="write system = [...]")
    options = {
        name: str(folder / value) if name in ("documents", "pyramids") else value
        for name, value in _typed(run, "format_options", dict, {}).items()
    }
    files = Files(
        system,
        [str(folder / path) for path in _paths(run, "gold")],
        _typed(run, "format", str, None),
        _typed(run, "gold_format", str, None),
        options,
        _choice(run, "pair", MODES),
        _choice(run, "on_error", ERROR_POLICIES),
    )
    automatic = labels(metrics, "auto")
    names = tuple(own or label for own, label in zip(given, automatic, strict=True))
    return Run(files, tuple(metrics), names)


def _metric(entry: Any) -> tuple[Metric[Any, Any], str]:
    """A metric and the name its scores are put under, if it was given one."""
    if isinstance(entry, str):
        return parse(entry), ""
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
        raise OptionError(
            f"a metric is a string or a table with a 'type', found {entry!r}", code="K349"
        )
    options = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in entry.items()
        if name not in ("type", "name")
    }
    name = entry.get("name", "")
    if not isinstance(name, str):
        raise OptionError(f"a metric's name must be a string, found {name!r}", code="K349")
    if entry["type"] == "python-rouge":  # in SacreROUGE a metric of its own
        return metric_class("rouge")(**{"profile": "python-rouge", **options}), name
    return metric_class(entry["type"])(**options), name


def _check_keys(table: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for name in table:
        if name not in known:
            raise OptionError(
                f"{what} has no setting {name!r}{did_you_mean(name, known)}",
                code="K349",
                advice=f"settings: {', '.join(dict.fromkeys(known))}",
            )


def _typed(table: Mapping[str, Any], name: str, kind: type, default: Any = None) -> Any:
    value = table.get(name, default)
    if value is not default and not isinstance(value, kind):
        raise OptionError(f"{name!r} must be a {kind.__name__}, found {value!r}", code="K349")
    return value


def _choice(table: Mapping[str, Any], name: str, choices: tuple[_Choice, ...]) -> _Choice:
    value = table.get(name, choices[0])
    for choice in choices:
        if choice == value:
            return choice
    raise OptionError(f"{name!r} must be one of {', '.join(choices)}, found {value!r}", code="K349")


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise OptionError(f"{name!r} must be a list, found {value!r}", code="K349")
    return value


def _paths(run: Mapping[str, Any], name: str) -> list[str]:
    value = run.get(name, [])
    paths = [value] if isinstance(value, str) else _list(value, name)
    if not all(isinstance(path, str) for path in paths):
        raise OptionError(f"{name!r} must be file names, found {value!r}", code="K349")
    return paths
