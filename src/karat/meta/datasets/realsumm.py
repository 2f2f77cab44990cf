"""REALSumm (Bhandari et al. 2020), as it is published."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from karat.core.files.opener import PLAIN_LIMIT, Source
from karat.errors import OptionError, Place, quote_some
from karat.meta.datasets import plain_pickle
from karat.meta.datasets.reading import bad, json_value, need
from karat.meta.datasets.writing import Outcome, labelled, metrics_record, summary_record

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
        raise bad("expected a mapping of documents", place)
    sources = {
        system: dict(zip(outputs, texts, strict=True))
        for system, (texts, _, outputs) in lines.items()
    }
    summaries, metrics, unknown = [], [], 0
    for instance, entry in document.items():
        where = Place(path, item=str(instance))
        if not isinstance(entry, dict):
            raise bad("a document must be a mapping", where)
        instance = str(entry.get("doc_id", instance))
        reference = labelled("ground-truth", sentences(need(entry, "ref_summ", str, where)))
        for system, output in need(entry, "system_summaries", dict, where).items():
            system = str(system).removesuffix(".txt")
            if system in without:
                continue
            if not isinstance(output, dict):
                raise bad(f"the output of {system!r} must be a mapping", where)
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
            raise bad(f"the score {name!r} is no number", place)
        found = _PATTERN.fullmatch(str(name))
        if found:
            metric = {"bert": "bertscore"}.get(found[1], found[1].replace("_", "-"))
            measure = {"f": "f1"}.get(found[2], found[2])
            result.setdefault(metric, {})[measure] = value
        else:
            result[_PLAIN.get(str(name), str(name))] = value
    return result


Lines = tuple[list[str], list[str], list[str]]
"""The sources, the references and the outputs of a system."""


def realsumm_lines(paths: Sequence[str]) -> dict[str, Lines]:
    """The files ``SYSTEM/src.txt``, ``ref.txt`` and ``out.txt``, also below folders."""
    sides: dict[str, dict[str, Path]] = {}
    for given in map(Path, paths):
        for path in sorted(given.rglob("*.txt*")) if given.is_dir() else [given]:
            side = path.name.partition(".")[0]
            if side in ("src", "ref", "out"):
                known = sides.setdefault(path.parent.name, {})
                if side in known:
                    raise OptionError(
                        f"two files are {side} of {path.parent.name!r}: {str(path)!r} and "
                        f"{str(known[side])!r}",
                        code="K368",
                    )
                known[side] = path
            elif not given.is_dir():
                raise OptionError(f"{str(path)!r} is none of src, ref and out", code="K368")
    result: dict[str, Lines] = {}
    for system, files in sides.items():
        if len(files) != 3:
            raise OptionError(f"{system!r} needs src.txt, ref.txt and out.txt", code="K368")
        src, ref, out = (
            [line.strip() for _, line in Source(str(files[side])).lines()]
            for side in ("src", "ref", "out")
        )
        if not len(src) == len(ref) == len(out):
            raise bad(
                f"src, ref and out have {len(src)}, {len(ref)} and {len(out)} lines",
                Place(str(files["out"])),
                "K165",
            )
        result[system] = src, ref, out
    return result


def sentences(text: str) -> list[str]:
    """The sentences between ``<t>`` and ``</t>``; the text itself where there are no marks."""
    begun = [each.partition("</t>") for each in text.split("<t>")[1:]]
    found = [inside.strip() for inside, mark, _ in begun if mark]
    return [sentence for sentence in found if sentence] if found else [text.strip()]


_UNALIGNED = ("### NO MATCH FOUND ###", "### IGNORE ###")


def realsumm_outputs(lines: Mapping[str, Lines]) -> tuple[dict[str, list[Any]], int]:
    """All outputs of each system, and how many are left out: not aligned, or empty.

    Numbers of lines are not the ids of the judged articles, and have another form.
    """
    found: dict[str, list[Any]] = {}
    dropped = 0
    for system, (sources, references, outputs) in lines.items():
        records = found.setdefault(system, [])
        for i, output in enumerate(outputs):
            text = [sentence for sentence in sentences(output) if sentence]
            if not text or any(mark in output for mark in _UNALIGNED):
                dropped += 1
                continue
            reference = labelled("ground-truth", sentences(references[i]))
            record = summary_record(f"all-summaries-{i}", system, text, [reference])
            records.append({**record, "document": {"text": sentences(sources[i])}})
    return found, dropped
