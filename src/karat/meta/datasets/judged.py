"""Judged summaries: Chaganty 2018, Vasilyev 2020, MultiLing 2019, REALSumm."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from karat.core.files.opener import PLAIN_LIMIT, Source
from karat.errors import OptionError, Place, counted, quote_some
from karat.meta.datasets import plain_pickle
from karat.meta.datasets.archives import ZipFiles, tar_members
from karat.meta.datasets.multiling import LANGUAGES
from karat.meta.datasets.reading import (
    as_number,
    bad,
    cells_of,
    inner_lines,
    json_lines,
    json_value,
    need,
    one_file,
)
from karat.meta.datasets.writing import Outcome, labelled, metrics_record, summary_record

_PROMPTS = ("hter", "overall", "grammar", "redundancy")
_AUTOMATIC = ("bleu-2", "bleu-4", "meteor", "ter", "sim")
_ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-3", "ROUGE-4", "ROUGE-L", "ROUGE-SU4")


def chaganty2018(paths: Sequence[str]) -> Outcome:
    """Chaganty, Mussmann and Liang (2018), from articles.jsonl, data.tar.gz and lqual.jsonl.

    An output that several systems share is one record for each of them; of an
    output that is judged twice, the last judgement counts.
    """
    outcome = Outcome()
    outcome.files["documents.jsonl"] = [
        {
            "instance_id": str(need(record, "id", str, place)),
            "documents": [{"text": need(record, "text", str, place)}],
        }
        for record, place in json_lines(one_file(paths, "articles"))
    ]
    texts = _chaganty_texts(one_file(paths, "data"))
    judged: dict[tuple[str, str], dict[str, Any]] = {}
    twice = []
    for record, place in json_lines(one_file(paths, "lqual")):
        key = str(need(record, "id", str, place)), str(need(record, "system", str, place))
        if key in judged:
            twice.append("/".join(key))
        judged[key] = _chaganty_scores(need(record, "prompts", dict, place), place)
    metrics, summaries = [], []
    for (instance, system), scores in sorted(judged.items()):
        kind = "reference" if system == "reference" else "peer"
        metrics.append(metrics_record(instance, system, {"chaganty2018": scores}, kind))
        if (instance, system) not in texts:
            raise bad(
                f"{system!r} of {instance!r} is judged, but its text is not there",
                Place(one_file(paths, "data")),
            )
        reference = texts.get((instance, "reference"))
        has_reference = kind == "peer" and reference is not None
        others = [labelled("reference", reference)] if has_reference else []
        summary = labelled(system, texts[instance, system], kind)
        summaries.append(summary_record(instance, system, summary, others, kind))
    outcome.files["metrics.jsonl"], outcome.files["summaries.jsonl"] = metrics, summaries
    outcome.warn_if(twice, f"judged twice, the last counts: {quote_some(twice)}")
    return outcome


def _chaganty_texts(path: str) -> dict[tuple[str, str], str]:
    texts = {}
    for name, data in tar_members(path, "lqual.jsonl"):
        for record, place in inner_lines(f"{path}:{name}", data):
            try:
                contents = record["input"]["contents"]
                instance, text, systems = contents["id"], contents["text"], contents["system"]
            except (KeyError, TypeError) as error:
                raise bad(f"this is not an output of a system: {error}", place) from None
            for system in str(systems).split(";"):
                texts[str(instance), system] = str(text)
    return texts


def _chaganty_scores(prompts: Mapping[str, Any], place: Place) -> dict[str, Any]:
    asked = {name: need(prompts, name, dict, place) for name in _PROMPTS}
    scores: dict[str, Any] = {name: need(asked[name], "human", list, place) for name in _PROMPTS}
    # What machines measured is the same under every prompt.
    measured = asked["hter"]
    scores |= {name: measured.get(name) for name in _AUTOMATIC}
    scores |= {name.lower(): {"recall": measured.get(name)} for name in _ROUGE}
    return scores


_ASPECTS = ("Fluent", "Understandable", "Informative", "Compact", "Overall")
_VASILYEV = {
    "cnn_dailymail_555": "cnn-dailymail",
    "dailynews_300": "dailynews",
    "dailynews_300_aspects": "dailynews-aspects",
}


def vasilyev2020(paths: Sequence[str]) -> Outcome:
    """Vasilyev, Dharnidharka and Bohannon (2020), from the three JSON files of BLANC.

    The text of a document is its identity, and every summary has a summarizer
    of its own.
    """
    outcome = Outcome()
    for path in paths:
        name = _VASILYEV.get(Path(path).name.lower().partition(".")[0])
        if name is None:
            raise OptionError(
                f"{path!r} is not one of {', '.join(_VASILYEV)}", code="K364", advice="rename it"
            )
        entries = json_value(Source(path).content(PLAIN_LIMIT), Place(path))
        if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            raise bad("expected a list of objects", Place(path), "K147")
        known: dict[str, str] = {}
        summaries, metrics = [], []
        for i, entry in enumerate(entries):
            place = Place(path, item=str(i))
            document = need(entry, "text", str, place).strip()
            instance = known.setdefault(document, str(len(known)))
            record = summary_record(
                instance, str(i), need(entry, "summary", str, place).strip(), []
            )
            del record["references"]
            summaries.append({**record, "document": {"text": document}})
            metrics.append(metrics_record(instance, str(i), _vasilyev_scores(entry, name, place)))
        outcome.files[f"{name}.summaries.jsonl"] = summaries
        outcome.files[f"{name}.metrics.jsonl"] = metrics
    return outcome


def _vasilyev_scores(entry: Mapping[str, Any], name: str, place: Place) -> dict[str, Any]:
    if name != "dailynews-aspects":
        return {"generic_quality": need(entry, "scores", list, place)}
    aspects = need(entry, "map_quality_scores", dict, place)
    return {
        aspect.lower(): need(need(aspects, aspect, dict, place), "scores", list, place)
        for aspect in _ASPECTS
    }


def multiling2019(paths: Sequence[str]) -> Outcome:
    """MultiLing 2019, from summary_eval_v2.zip: summaries with one score each.

    Nothing says who made a summary: each has a summarizer of its own.
    Summaries without a score are left out.
    """
    outcome = Outcome()
    files: dict[str, list[Mapping[str, Any]]] = {}
    number = unjudged = 0
    for path in paths:
        archive = ZipFiles(path)
        texts = (line.rstrip("\n") for line in io.StringIO(archive.text("v2/train/data.csv")))
        for row, place in islice(cells_of(texts, f"{path}:v2/train/data.csv"), 1, None):
            if len(row) != 4:
                raise bad(f"expected 4 cells, found {len(row)}", place, "K166")
            summary, score, models, sources = row
            if not score:
                unjudged += 1
                continue
            instance, _, language = summary.partition("/")
            code = LANGUAGES.get(language.partition("/")[0].lower(), "")
            if not code:
                raise bad(f"{summary!r} names no language", place)
            try:
                value = as_number(score)
            except ValueError:
                raise bad(f"the score {score!r} is not a number", place, "K166") from None
            references, documents = (
                [{"text": _lines(archive, name), "file_path": name} for name in names.split(",")]
                for names in (models, sources)
            )
            record = summary_record(instance, str(number), _lines(archive, summary), references)
            files.setdefault(f"{code}/summaries.jsonl", []).append(
                {**record, "documents": documents}
            )
            files.setdefault(f"{code}/metrics.jsonl", []).append(
                metrics_record(instance, str(number), {"multiling2019_score": value})
            )
            number += 1
    outcome.files.update(files)
    outcome.warn_if(
        unjudged, f"{counted(unjudged, 'summary', 'summaries')} without a score left out"
    )
    return outcome


def _lines(archive: ZipFiles, name: str) -> list[str]:
    lines = archive.text(f"v2/train/{name.strip()}").splitlines()
    return [line.strip() for line in lines if line.strip()]


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
        outcome.warn_if(absent, f"{name}: there are no texts of {quote_some(absent)}")
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
    outcome.warn_if(dropped, f"{counted(dropped, 'empty or unaligned output')} left out")


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
    outcome.warn_if(unknown, f"{path}: {counted(unknown, 'judged output')} not among the texts")
    return summaries, metrics


def _scores(scores: Mapping[Any, Any], place: Place) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in scores.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise bad(f"the score {name!r} is not a number", place)
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
                raise OptionError(f"{str(path)!r} is not one of src, ref and out", code="K368")
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
