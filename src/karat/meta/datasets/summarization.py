"""Judged summaries: SummEval and REALSumm, as they are published."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from karat.core.files.opener import PLAIN_LIMIT, Source
from karat.errors import FormatError, OptionError, Place, quote_some
from karat.meta.datasets import plain_pickle
from karat.meta.datasets.json_reading import json_lines, json_value, need
from karat.meta.datasets.stories import article, read_stories, story
from karat.meta.datasets.system_outputs import (
    Lines,
    is_outputs,
    realsumm_lines,
    realsumm_outputs,
    sentences,
    summeval_outputs,
)
from karat.meta.datasets.writing import Outcome, labelled, metrics_record, summary_record

_DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")


def summeval(paths: Sequence[str]) -> Outcome:
    """SummEval (Fabbri et al. 2020), from ``model_annotations.aligned[.paired].jsonl``.

    Judgements are lists: three experts and five workers. The place in a list of
    workers is no person. Where the file has references, the first is the
    published one, the others were written by workers. With the archives of
    stories there are documents; with those of the models as well, all their
    outputs.
    """
    outcome = Outcome()
    metrics, one, crowd = [], [], []
    systems: dict[str, int] = {}
    archives = [path for path in paths if is_outputs(path)]
    sources = [path for path in paths if "stories" in Path(path).name.lower()]
    judged_texts: dict[tuple[str, str], str] = {}
    records = [
        found
        for path in paths
        if path not in archives and path not in sources
        for found in json_lines(path)
    ]
    if archives and not sources:
        raise OptionError(
            "outputs of models need the stories that they summarize",
            code="K364",
            advice="give cnn_stories.tgz and dailymail_stories.tgz as well",
        )
    if sources and not records:
        raise OptionError("there is no model_annotations.aligned.jsonl", code="K364")
    stories = read_stories(sources, {str(record.get("filepath")) for record, _ in records})
    for record, place in records:
        instance = str(need(record, "id", str, place))
        system = str(need(record, "model_id", str, place))
        systems[system] = systems.get(system, 0) + 1
        judged = {
            who: _judgements(record, f"{who}_annotations", place) for who in ("expert", "turker")
        }
        metrics.append(metrics_record(instance, system, judged))
        references = record.get("references", [])
        if not isinstance(references, list) or not all(isinstance(r, str) for r in references):
            raise FormatError("$.references must be a list of strings", code="K163", place=place)
        if references:
            text = need(record, "decoded", str, place)
            written = [
                labelled("ground-truth" if i == 0 else f"turker-{i}", reference)
                for i, reference in enumerate(references)
            ]
            more: dict[str, Any] = {}
            if isinstance(record.get("filepath"), str):
                more["file_path"] = record["filepath"]
            if isinstance(record.get("text"), str):
                more["document"] = {"text": record["text"]}
            elif sources:
                path = need(record, "filepath", str, place)
                more["document"] = {"text": article(story(stories, path, place))}
            judged_texts[instance, system] = text
            one.append({**summary_record(instance, system, text, written[:1]), **more})
            crowd.append({**summary_record(instance, system, text, written), **more})
    outcome.files["metrics.jsonl"] = metrics
    if one:
        outcome.files["summaries.jsonl"] = one
        outcome.files["summaries-with-crowd.jsonl"] = crowd
    else:
        outcome.warnings.append("the files have no references: only judgements are written")
    if archives:
        summeval_outputs(outcome, archives, sources, judged_texts)
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
    mixture is written as well; with the texts of the systems, documents and all
    outputs.
    """
    outcome = Outcome()
    parts: dict[str, tuple[list[Any], list[Any]]] = {}
    judged: list[str] = []
    texts: list[str] = []
    for path in paths:
        is_text = Path(path).is_dir() or ".txt" in Path(path).name
        (texts if is_text else judged).append(path)
    lines = realsumm_lines(texts)
    for path in judged:
        name = "ext" if Path(path).name.lower().startswith("ext") else "abs"
        if name in parts:
            raise OptionError(
                f"two files are {name}: {quote_some(judged)}",
                code="K364",
                advice="extractive systems are in a file whose name begins with ext",
            )
        parts[name] = _realsumm_file(path, ("bart_out",) if name == "abs" else (), lines, outcome)
    for name, (summaries, metrics) in parts.items():
        outcome.files[f"summaries-{name}.jsonl"] = summaries
        outcome.files[f"metrics-{name}.jsonl"] = metrics
    if len(parts) == 2:
        for i, kind in enumerate(("summaries", "metrics")):
            outcome.files[f"{kind}-mix.jsonl"] = [*parts["ext"][i], *parts["abs"][i]]
    if lines:
        _all_outputs(outcome, lines, parts)
    return outcome


def _all_outputs(
    outcome: Outcome, lines: Mapping[str, Lines], parts: Mapping[str, tuple[list[Any], list[Any]]]
) -> None:
    """All outputs of the systems, apart as their judgements are."""
    outputs, dropped = realsumm_outputs(lines)
    for name, (summaries, _) in parts.items():
        systems = {record["summarizer_id"] for record in summaries}
        outcome.files[f"all-summaries-{name}.jsonl.gz"] = [
            record for system in lines if system in systems for record in outputs.pop(system)
        ]
        absent = sorted(systems - set(lines))
        if absent:
            outcome.warnings.append(f"{name}: there are no texts of {quote_some(absent)}")
    if outputs:
        raise OptionError(
            f"no judgement says whether {quote_some(list(outputs))} is abstractive",
            code="K364",
            advice="give abs.pkl and ext.pkl as well",
        )
    if len(parts) == 2:
        outcome.files["all-summaries-mix.jsonl.gz"] = [
            record
            for name in ("ext", "abs")
            for record in outcome.files[f"all-summaries-{name}.jsonl.gz"]
        ]
    if dropped:
        outcome.warnings.append(f"{dropped} outputs are empty or not aligned, and left out")


def _realsumm_file(
    path: str, without: Sequence[str], lines: Mapping[str, Lines], outcome: Outcome
) -> tuple[list[Any], list[Any]]:
    source, place = Source(path), Place(path)
    data = source.content(PLAIN_LIMIT)
    if data[:1] in (b"{", b"["):
        document = json_value(data, place)
    else:
        document = plain_pickle.loads(data, source.name)
    if not isinstance(document, dict):
        raise FormatError("expected a mapping of documents", code="K163", place=place)
    sources = {
        system: dict(zip(outputs, texts, strict=True))
        for system, (texts, _, outputs) in lines.items()
    }
    summaries, metrics, unknown = [], [], 0
    for instance, entry in document.items():
        where = Place(path, item=str(instance))
        if not isinstance(entry, dict):
            raise FormatError("a document must be a mapping", code="K163", place=where)
        instance = str(entry.get("doc_id", instance))
        reference = labelled("ground-truth", sentences(need(entry, "ref_summ", str, where)))
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
            text = need(output, "system_summary", str, where)
            record = summary_record(instance, system, sentences(text), [reference])
            # Lines of the texts have no ids: the output says which one it is.
            article_text = sources.get(system, {}).get(text.strip())
            if article_text is not None:
                record["documents"] = [{"text": sentences(article_text)}]
            unknown += system in sources and article_text is None
            summaries.append(record)
    if unknown:
        outcome.warnings.append(f"{path}: {unknown} judged outputs are not among the texts")
    return summaries, metrics


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
