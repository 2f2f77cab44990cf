"""Judged summaries: SummEval and REALSumm, as they are published."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from karat.core.opener import Source
from karat.errors import FormatError, OptionError, Place, quote_some
from karat.meta.datasets import plain_pickle
from karat.meta.datasets.writing import Outcome, metrics_record, summary_record

_DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")


def json_lines(path: str) -> Iterator[tuple[dict[str, Any], Place]]:
    source = Source(path)
    for number, line in source.lines():
        if not line.strip():
            continue
        place = Place(source.name, number)
        try:
            record = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise FormatError(f"this is not JSON: {error}", code="K147", place=place) from None
        if not isinstance(record, dict):
            raise FormatError("expected a JSON object", code="K147", place=place)
        yield record, place


def need(record: Mapping[str, Any], name: str, kind: type, place: Place) -> Any:
    value = record.get(name)
    if not isinstance(value, kind):
        raise FormatError(
            f"$.{name} must be a {kind.__name__}" + ("; there is none" if value is None else ""),
            code="K163",
            place=place,
        )
    return value


def summeval(paths: Sequence[str]) -> Outcome:
    """SummEval (Fabbri et al. 2020), from ``model_annotations.aligned[.paired].jsonl``.

    Judgements are lists: three experts and five workers. The place in a list of
    workers is no person. Where the file has references, the first is the
    published one, the others were written by workers.
    """
    outcome = Outcome()
    metrics, one, crowd = [], [], []
    systems: dict[str, int] = {}
    for path in paths:
        for record, place in json_lines(path):
            instance = str(need(record, "id", str, place))
            system = str(need(record, "model_id", str, place))
            systems[system] = systems.get(system, 0) + 1
            judged = {
                who: _judgements(record, f"{who}_annotations", place)
                for who in ("expert", "turker")
            }
            metrics.append(metrics_record(instance, system, judged))
            references = record.get("references", [])
            if not isinstance(references, list) or not all(isinstance(r, str) for r in references):
                raise FormatError(
                    "$.references must be a list of strings", code="K163", place=place
                )
            if references:
                text = need(record, "decoded", str, place)
                labelled = [
                    {
                        "summarizer_id": "ground-truth" if i == 0 else f"turker-{i}",
                        "summarizer_type": "reference",
                        "text": reference,
                    }
                    for i, reference in enumerate(references)
                ]
                more: dict[str, Any] = {}
                if isinstance(record.get("text"), str):
                    more["document"] = {"text": record["text"]}
                one.append({**summary_record(instance, system, text, labelled[:1]), **more})
                crowd.append({**summary_record(instance, system, text, labelled), **more})
    outcome.files["metrics.jsonl"] = metrics
    if one:
        outcome.files["summaries.jsonl"] = one
        outcome.files["summaries-with-crowd.jsonl"] = crowd
    else:
        outcome.warnings.append("the files have no references: only judgements are written")
    if len(systems) != 16 or set(systems.values()) != {100}:
        outcome.warnings.append(
            f"expected 16 systems with 100 summaries each, found {len(systems)} systems "
            f"with {min(systems.values(), default=0)} to {max(systems.values(), default=0)}"
        )
    return outcome


def _judgements(record: Mapping[str, Any], name: str, place: Place) -> dict[str, list[float]]:
    annotations = need(record, name, list, place)
    result: dict[str, list[float]] = {}
    for dimension in _DIMENSIONS:
        values = [a.get(dimension) if isinstance(a, dict) else None for a in annotations]
        if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in values):
            raise FormatError(
                f"$.{name} must have a number {dimension!r} for each annotator",
                code="K163",
                place=place,
            )
        result[dimension] = values  # type: ignore[assignment]
    return result


# How REALSumm names scores, and where they go. Its "bert_f_score" of the publication is F1;
# SacreROUGE's copy of the data had precision in its place.
_PATTERN = re.compile(r"(rouge_\w+?|bert|litepyramid)_(recall|precision|f|f1)(?:_score)?")
_PLAIN = {"js-2": "js-2", "mover_score": "MoverScore", "moverscore": "MoverScore"}


def realsumm(paths: Sequence[str]) -> Outcome:
    """REALSumm (Bhandari et al. 2020), from ``abs.pkl`` and ``ext.pkl`` or the same as JSON.

    Pickles are read as plain data only. The abstractive copy of BART is left
    out: its judgements belong to the extractive one. With both files, the
    mixture is written as well.
    """
    outcome = Outcome()
    parts: dict[str, tuple[list[Any], list[Any]]] = {}
    for path in paths:
        name = "ext" if Path(path).name.lower().startswith("ext") else "abs"
        if name in parts:
            raise OptionError(
                f"two files are {name}: {quote_some(list(paths))}",
                code="K364",
                advice="extractive systems are in a file whose name begins with ext",
            )
        parts[name] = _realsumm_file(path, ("bart_out",) if name == "abs" else ())
    for name, (summaries, metrics) in parts.items():
        outcome.files[f"summaries-{name}.jsonl"] = summaries
        outcome.files[f"metrics-{name}.jsonl"] = metrics
    if len(parts) == 2:
        for i, kind in enumerate(("summaries", "metrics")):
            outcome.files[f"{kind}-mix.jsonl"] = [*parts["ext"][i], *parts["abs"][i]]
    return outcome


def _realsumm_file(path: str, without: Sequence[str]) -> tuple[list[Any], list[Any]]:
    source, place = Source(path), Place(path)
    data = source.content()
    if data[:1] in (b"{", b"["):
        try:
            document = msgspec.json.decode(data)
        except (msgspec.DecodeError, RecursionError) as error:
            raise FormatError(f"this is not JSON: {error}", code="K147", place=place) from None
    else:
        document = plain_pickle.loads(data, source.name)
    if not isinstance(document, dict):
        raise FormatError("expected a mapping of documents", code="K163", place=place)
    summaries, metrics = [], []
    for instance, entry in document.items():
        where = Place(path, item=str(instance))
        if not isinstance(entry, dict):
            raise FormatError("a document must be a mapping", code="K163", place=where)
        instance = str(entry.get("doc_id", instance))
        reference = {
            "summarizer_id": "ground-truth",
            "summarizer_type": "reference",
            "text": _sentences(need(entry, "ref_summ", str, where)),
        }
        for system, output in need(entry, "system_summaries", dict, where).items():
            system = str(system).removesuffix(".txt")
            if system in without:
                continue
            if not isinstance(output, dict):
                raise FormatError(
                    f"the output of {system!r} must be a mapping", code="K163", place=where
                )
            scores = _scores(need(output, "scores", dict, where), where)
            metrics.append(metrics_record(instance, system, scores))
            text = _sentences(need(output, "system_summary", str, where))
            summaries.append(summary_record(instance, system, text, [reference]))
    return summaries, metrics


def _sentences(text: str) -> list[str]:
    """The sentences between ``<t>`` and ``</t>``; the text itself where there are no marks."""
    found = [s.strip() for s in re.findall(r"<t>(.*?)</t>", text, flags=re.DOTALL)]
    return found or [text.strip()]


def _scores(scores: Mapping[Any, Any], place: Place) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in scores.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise FormatError(f"the score {name!r} is no number", code="K163", place=place)
        found = _PATTERN.fullmatch(str(name))
        if found:
            metric = {"bert": "bertscore"}.get(found[1], found[1].replace("_", "-"))
            measure = {"f": "f1"}.get(found[2], found[2])
            result.setdefault(metric, {})[measure] = value
        else:
            result[_PLAIN.get(str(name), str(name))] = value
    return result
