"""TAC 2008 to 2011: summaries of news topics with NIST's judgements and scores.

One evaluation archive holds everything: texts under ``ROUGE/models`` and
``ROUGE/peers``, tables of judgements under ``manual``, the outputs of ROUGE and
BE, each once against all models and once against all but one. The archives of
AESOP add the scores of the metrics that were submitted. Names of files are
``TOPIC-GROUP.M.LENGTH.ASSESSOR.SUMMARIZER``. Pyramids and the annotations of
systems are under ``manual/pyramids`` and ``manual/peers``. Topics and documents
are in archives of their own; the documents of 2011 are in English Gigaword.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from karat.errors import FormatError, OptionError, Place
from karat.meta.datasets.archives import every_file
from karat.meta.datasets.duc_pyramids import Pyramids, last_of_each, records, report
from karat.meta.datasets.nist import automatic, kind, lines, mean, numbers, summary_of, three
from karat.meta.datasets.sentences import sentences_of
from karat.meta.datasets.tac_topics import Topics, gigaword_files
from karat.meta.datasets.writing import Outcome, metrics_record
from karat.text.pyramid.ducview import UnreadablePyramid, renumber_by_label

_NAME = re.compile(r"(D\d+)-([A-Z])\.M\.\d+\.[A-Z]\.(\w+)", re.IGNORECASE)
_AUTOMATIC = re.compile(r"(?:rouge|simple)(jk)?(?:_[AB])?\.m(?:\.hm)?\.out")
_MANUAL = re.compile(r"manual\.(model|peer)(?:\.[AB])?")
_BOTH_GROUPS = re.compile(r"D\d+-AB\b", re.IGNORECASE)
_AESOP = re.compile(r"aesop_allpeers_([AB])")

Key = tuple[str, str, str]
"""Topic, group, summarizer."""


def tac2008(paths: Sequence[str]) -> Outcome:
    """TAC 2008, from UpdateSumm08_eval.tar.gz."""
    return _tac(paths, 800)


def tac2009(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """TAC 2009, from UpdateSumm09_eval.tar.gz and AESOP09_eval.tar.gz."""
    return _tac(paths, 900, split=split_sentences)


def tac2010(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """TAC 2010, from GuidedSumm2010_eval.tgz and AESOP2010_eval.tgz."""
    return _tac(paths, 1000, split=split_sentences)


def tac2011(paths: Sequence[str], *, split_sentences: bool = True) -> Outcome:
    """TAC 2011, from GuidedSumm2011_eval.tgz and AESOP2011_eval_V1.2.tgz."""
    return _tac(paths, 1100, by_label=True, split=split_sentences)


def _tac(
    paths: Sequence[str], first_topic: int, *, by_label: bool = False, split: bool = False
) -> Outcome:
    """`first_topic` is what AESOP's numbers of topics are counted from.

    `by_label` says that the annotations number the SCUs in another way than the
    pyramids, `split` that the lines of summaries are divided into sentences.
    """
    outcome = Outcome()
    texts: dict[Key, list[str]] = {}
    scores: dict[Key, dict[str, Any]] = {}
    left_out: dict[tuple[Key, str], list[tuple[float, ...]]] = {}
    topics, pyramids, gigaword, both_groups = Topics(), Pyramids(), [], 0
    for path in paths:
        if months := gigaword_files(path):
            gigaword += months
            continue
        for name, data in every_file(path):
            place, file = Place(f"{path}:{name}"), PurePosixPath(name)
            if file.parent.name in ("models", "peers") and "ROUGE" in file.parts:
                if found := _NAME.fullmatch(file.name):
                    text = lines(data)
                    texts[_key(found)] = sentences_of(text) if split else text
            elif found := _MANUAL.fullmatch(file.name):
                for key, values in _manual(data, found[1], place):
                    scores.setdefault(key, {}).update(values)
            elif found := _AUTOMATIC.fullmatch(file.name):
                for named, metric, measured in automatic(data, _NAME, place):
                    key = _key(named)
                    if found[1]:
                        left_out.setdefault((key, metric), []).append(measured)
                    else:
                        scores.setdefault(key, {})[metric] = three(measured)
            elif found := _AESOP.fullmatch(file.name):
                for key, values in _aesop(data, found[1], first_topic, place):
                    scores.setdefault(key, {})["aesop"] = values
            elif "manual" in file.parts and {"pyramids", "peers"} & set(file.parts):
                if _BOTH_GROUPS.match(file.name):
                    both_groups += 1
                else:
                    pyramids.take(f"{path}:{name}", data)
            else:
                topics.take(file, data, place)
    for (key, metric), lines_of_one in left_out.items():
        scores.setdefault(key, {})[f"{metric}_jk"] = mean(lines_of_one)
    if not texts:
        raise OptionError(
            "the archives hold no summaries: expected files under ROUGE/models and ROUGE/peers",
            code="K364",
        )
    _fill(outcome, texts, scores)
    written: dict[str, dict[str, list[str]]] = {}
    for (topic, group, summarizer), text in texts.items():
        written.setdefault(f"{topic}-{group}", {})[summarizer] = text
    topics.read_gigaword(gigaword)
    topics.fill(outcome, written)
    if both_groups:
        outcome.warnings.append(f"{both_groups} pyramids of both groups at once are left out")
    pyramids.settle()
    if by_label:
        _renumber(outcome, pyramids)
    _fill_pyramids(outcome, pyramids)
    return outcome


def _renumber(outcome: Outcome, pyramids: Pyramids) -> None:
    """Brings the numbers of SCUs in annotations to those of the pyramids, by their labels."""
    lost = 0
    for instance, _, _, place, root in pyramids.waiting:
        if instance in pyramids.pyramids:
            try:
                lost += renumber_by_label(root, pyramids.pyramids[instance])
            except UnreadablePyramid as error:
                pyramids.warnings.append(f"{place}: {error}")
    if pyramids.waiting:
        outcome.warnings.append(
            "the annotations number SCUs in another way than the pyramids: they are matched by "
            f"their labels, {lost} have none there and are left out"
        )


def _fill_pyramids(outcome: Outcome, pyramids: Pyramids) -> None:
    if not pyramids.pyramids:
        outcome.warnings.append("there are no pyramids in the archives")
        return
    annotations = last_of_each(one for _, one in pyramids.annotations())
    for name in ("A", "B", "A-B"):
        groups = name.split("-")
        outcome.files[f"task1.{name}.pyramids.jsonl"] = records(
            pyramids.pyramids[key] for key in sorted(pyramids.pyramids) if key[-1] in groups
        )
        outcome.files[f"task1.{name}.pyramid-annotations.jsonl"] = records(
            one for one in annotations if one.instance_id[-1] in groups
        )
    report(pyramids, outcome)


def _key(found: re.Match[str]) -> Key:
    return found[1].lower(), found[2].upper(), found[3]


def _manual(data: bytes, who: str, place: Place) -> Iterator[tuple[Key, dict[str, float]]]:
    """Judgements; the last three columns are the jackknifed pyramid score, quality, response."""
    for number, line in enumerate(lines(data), 1):
        words = line.split()
        where = Place(place.file, number)
        topic, dash, group = words[0].partition("-")
        if not dash or len(words) < (7 if who == "model" else 9):
            raise FormatError(f"this is no judgement: {line[:60]!r}", code="K163", place=where)
        row = numbers(words[2:], where)
        jackknifed, quality, response = row[-3:]
        values = {"num_scus_jk": row[0]} if who == "model" else {
            "modified_pyramid_score": row[0],
            "num_scus": row[1],
            "num_repetitions": row[2],
        }  # fmt: skip
        values |= {
            "modified_pyramid_score_jk": jackknifed,
            "linguistic_quality": quality,
            "overall_responsiveness": response,
        }
        yield (topic.lower(), group[:1].upper(), words[1]), values


def _aesop(
    data: bytes, group: str, first_topic: int, place: Place
) -> Iterator[tuple[Key, dict[str, float]]]:
    """A row for each summary: summarizer and topic with a letter before, then the metrics."""
    for number, line in enumerate(lines(data)[1:], 2):
        words = line.split()
        where = Place(place.file, number)
        if len(words) < 3 or not words[1][1:].isdigit():
            raise FormatError(f"this is no row of AESOP: {line[:60]!r}", code="K163", place=where)
        topic = f"d{first_topic + int(words[1][1:]):04d}"
        values = {
            str(i): numbers([word], where)[0]
            for i, word in enumerate(words[2:], 1)
            if word != "NaN"
        }
        yield (topic, group, words[0][1:]), values


def _fill(outcome: Outcome, texts: dict[Key, list[str]], scores: dict[Key, dict[str, Any]]) -> None:
    unjudged = 0
    written: dict[tuple[str, str], dict[str, list[str]]] = {}
    for (topic, group, summarizer), text in texts.items():
        written.setdefault((topic, group), {})[summarizer] = text
    summaries: dict[str, list[dict[str, Any]]] = {}
    metrics: dict[str, list[dict[str, Any]]] = {}
    for topic, group, summarizer in sorted(texts, key=lambda key: (key[0], key[2], key[1])):
        instance = f"{topic}-{group}"
        record = summary_of(instance, summarizer, written[topic, group])
        found = scores.get((topic, group, summarizer))
        unjudged += found is None
        for name in (group, "A-B"):
            summaries.setdefault(name, []).append(record)
            if found is not None:
                metrics.setdefault(name, []).append(
                    metrics_record(instance, summarizer, found, kind(summarizer))
                )
    for name in summaries:
        outcome.files[f"task1.{name}.summaries.jsonl"] = summaries[name]
        outcome.files[f"task1.{name}.metrics.jsonl"] = metrics.get(name, [])
    if unjudged:
        outcome.warnings.append(f"{unjudged} summaries have no judgement and no score")
