"""More judged summaries: Chaganty 2018, Vasilyev 2020, MultiLing 2019."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from karat.core.files.opener import PLAIN_LIMIT, Source
from karat.errors import OptionError, Place, quote_some
from karat.meta.datasets.archives import ZipFiles, tar_members
from karat.meta.datasets.multiling import LANGUAGES
from karat.meta.datasets.reading import bad, inner_lines, json_lines, json_value, need, one_file
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
        others = [reference] if kind == "peer" and reference is not None else []
        record = summary_record(
            instance, system, "", [labelled("reference", each) for each in others], kind
        )
        summaries.append({**record, "summary": labelled(system, texts[instance, system], kind)})
    outcome.files["metrics.jsonl"], outcome.files["summaries.jsonl"] = metrics, summaries
    if twice:
        outcome.warnings.append(f"judged twice, the last counts: {quote_some(twice)}")
    return outcome


def _chaganty_texts(path: str) -> dict[tuple[str, str], str]:
    texts = {}
    for name, data in tar_members(path, "lqual.jsonl"):
        for record, place in inner_lines(f"{path}:{name}", data):
            try:
                contents = record["input"]["contents"]
                instance, text, systems = contents["id"], contents["text"], contents["system"]
            except (KeyError, TypeError) as error:
                raise bad(f"this is no output of a system: {error}", place) from None
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
                f"{path!r} is none of {', '.join(_VASILYEV)}", code="K364", advice="rename it"
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
        rows = csv.reader(io.StringIO(archive.text("v2/train/data.csv")))
        next(rows, None)
        for row in rows:
            place = Place(f"{path}:v2/train/data.csv", rows.line_num)
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
                value = float(score)
            except ValueError:
                raise bad(f"the score {score!r} is no number", place, "K166") from None
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
    if unjudged:
        outcome.warnings.append(f"{unjudged} summaries have no score and are left out")
    return outcome


def _lines(archive: ZipFiles, name: str) -> list[str]:
    lines = archive.text(f"v2/train/{name.strip()}").splitlines()
    return [line.strip() for line in lines if line.strip()]
