"""TAC 2008 to 2011: summaries of news topics with NIST's judgements and scores.

One evaluation archive holds everything: texts under ``ROUGE/models`` and
``ROUGE/peers``, tables of judgements under ``manual``, the outputs of ROUGE and
BE, each once against all models and once against all but one. The archives of
AESOP add the scores of the metrics that were submitted. Names of files are
``TOPIC-GROUP.M.LENGTH.ASSESSOR.SUMMARIZER``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from karat.errors import FormatError, OptionError, Place
from karat.meta.datasets.archives import tar_members
from karat.meta.datasets.writing import Outcome, metrics_record

_NAME = re.compile(r"(D\d+)-([A-Z])\.M\.\d+\.[A-Z]\.(\w+)", re.IGNORECASE)
_AUTOMATIC = re.compile(r"(?:rouge|simple)(jk)?(?:_[AB])?\.m(?:\.hm)?\.out")
_MANUAL = re.compile(r"manual\.(model|peer)(?:\.[AB])?")
_AESOP = re.compile(r"aesop_allpeers_([AB])")

Key = tuple[str, str, str]
"""Topic, group, summarizer."""


def tac2008(paths: Sequence[str]) -> Outcome:
    """TAC 2008, from UpdateSumm08_eval.tar.gz."""
    return _tac(paths, 800)


def tac2009(paths: Sequence[str]) -> Outcome:
    """TAC 2009, from UpdateSumm09_eval.tar.gz and AESOP09_eval.tar.gz."""
    return _tac(paths, 900)


def tac2010(paths: Sequence[str]) -> Outcome:
    """TAC 2010, from GuidedSumm2010_eval.tgz and AESOP2010_eval.tgz."""
    return _tac(paths, 1000)


def tac2011(paths: Sequence[str]) -> Outcome:
    """TAC 2011, from GuidedSumm2011_eval.tgz and AESOP2011_eval_V1.2.tgz."""
    return _tac(paths, 1100)


def _tac(paths: Sequence[str], first_topic: int) -> Outcome:
    """`first_topic` is what AESOP's numbers of topics are counted from."""
    outcome = Outcome()
    texts: dict[Key, list[str]] = {}
    scores: dict[Key, dict[str, Any]] = {}
    left_out: dict[tuple[Key, str], list[tuple[float, ...]]] = {}
    for path in paths:
        for name, data in tar_members(path, ""):
            place, file = Place(f"{path}:{name}"), PurePosixPath(name)
            if file.parent.name in ("models", "peers") and "ROUGE" in file.parts:
                if found := _NAME.fullmatch(file.name):
                    texts[_key(found)] = _lines(data)
            elif found := _MANUAL.fullmatch(file.name):
                for key, values in _manual(data, found[1], place):
                    scores.setdefault(key, {}).update(values)
            elif found := _AUTOMATIC.fullmatch(file.name):
                for key, metric, measured in _automatic(data, place):
                    if found[1]:
                        left_out.setdefault((key, metric), []).append(measured)
                    else:
                        scores.setdefault(key, {})[metric] = _three(measured)
            elif found := _AESOP.fullmatch(file.name):
                for key, values in _aesop(data, found[1], first_topic, place):
                    scores.setdefault(key, {})["aesop"] = values
    for (key, metric), lines in left_out.items():
        means = tuple(sum(column) / len(lines) for column in zip(*lines, strict=True))
        scores.setdefault(key, {})[f"{metric}_jk"] = _three(means)
    if not texts:
        raise OptionError(
            "the archives hold no summaries: expected files under ROUGE/models and ROUGE/peers",
            code="K364",
        )
    _fill(outcome, texts, scores)
    return outcome


def _key(found: re.Match[str]) -> Key:
    return found[1].lower(), found[2].upper(), found[3]


def _lines(data: bytes) -> list[str]:
    return [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]


def _kind(summarizer: str) -> str:
    return "reference" if summarizer.isalpha() else "peer"


def _three(values: tuple[float, ...]) -> dict[str, float]:
    return dict(zip(("recall", "precision", "f1"), values, strict=True))


def _numbers(words: Sequence[str], place: Place) -> list[float]:
    try:
        return [float(word) for word in words]
    except ValueError:
        raise FormatError(f"expected numbers, found {words}", code="K163", place=place) from None


def _manual(data: bytes, who: str, place: Place) -> Iterator[tuple[Key, dict[str, float]]]:
    """Judgements; the last three columns are the jackknifed pyramid score, quality, response."""
    for number, line in enumerate(_lines(data), 1):
        words = line.split()
        where = Place(place.file, number)
        topic, dash, group = words[0].partition("-")
        if not dash or len(words) < (7 if who == "model" else 9):
            raise FormatError(f"this is no judgement: {line[:60]!r}", code="K163", place=where)
        numbers = _numbers(words[2:], where)
        jackknifed, quality, response = numbers[-3:]
        values = {"num_scus_jk": numbers[0]} if who == "model" else {
            "modified_pyramid_score": numbers[0],
            "num_scus": numbers[1],
            "num_repetitions": numbers[2],
        }  # fmt: skip
        values |= {
            "modified_pyramid_score_jk": jackknifed,
            "linguistic_quality": quality,
            "overall_responsiveness": response,
        }
        yield (topic.lower(), group[:1].upper(), words[1]), values


def _automatic(data: bytes, place: Place) -> Iterator[tuple[Key, str, tuple[float, ...]]]:
    """Lines such as ``1 ROUGE-2 Eval D0801-A.M.100.A.1 R:0.1 P:0.1 F:0.1``, in per cent."""
    for number, line in enumerate(_lines(data), 1):
        words = line.split()
        if len(words) != 7 or words[2] != "Eval":
            continue
        found = _NAME.fullmatch(words[3])
        if not found:
            raise FormatError(
                f"{words[3]!r} names no summary", code="K163", place=Place(place.file, number)
            )
        values = _numbers([word[2:] for word in words[4:]], Place(place.file, number))
        yield _key(found), words[1].lower(), tuple(100 * value for value in values)


def _aesop(
    data: bytes, group: str, first_topic: int, place: Place
) -> Iterator[tuple[Key, dict[str, float]]]:
    """A row for each summary: summarizer and topic with a letter before, then the metrics."""
    for number, line in enumerate(_lines(data)[1:], 2):
        words = line.split()
        where = Place(place.file, number)
        if len(words) < 3 or not words[1][1:].isdigit():
            raise FormatError(f"this is no row of AESOP: {line[:60]!r}", code="K163", place=where)
        topic = f"d{first_topic + int(words[1][1:]):04d}"
        values = {
            str(i): _numbers([word], where)[0]
            for i, word in enumerate(words[2:], 1)
            if word != "NaN"
        }
        yield (topic, group, words[0][1:]), values


def _fill(outcome: Outcome, texts: dict[Key, list[str]], scores: dict[Key, dict[str, Any]]) -> None:
    unjudged = 0
    humans: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for (topic, group, summarizer), text in sorted(texts.items()):
        if _kind(summarizer) == "reference":
            humans.setdefault((topic, group), []).append(
                {"summarizer_id": summarizer, "summarizer_type": "reference", "text": text}
            )
    summaries: dict[str, list[dict[str, Any]]] = {}
    metrics: dict[str, list[dict[str, Any]]] = {}
    for topic, group, summarizer in sorted(texts, key=lambda key: (key[0], key[2], key[1])):
        instance, kind = f"{topic}-{group}", _kind(summarizer)
        references = [
            human
            for human in humans.get((topic, group), [])
            if human["summarizer_id"] != summarizer
        ]
        record = {
            "instance_id": instance,
            "summarizer_id": summarizer,
            "summarizer_type": kind,
            "summary": {
                "summarizer_id": summarizer,
                "summarizer_type": kind,
                "text": texts[topic, group, summarizer],
            },
            "references": references,
        }
        found = scores.get((topic, group, summarizer))
        unjudged += found is None
        for name in (group, "A-B"):
            summaries.setdefault(name, []).append(record)
            if found is not None:
                metrics.setdefault(name, []).append(
                    metrics_record(instance, summarizer, found, kind)
                )
    for name in summaries:
        outcome.files[f"task1.{name}.summaries.jsonl"] = summaries[name]
        outcome.files[f"task1.{name}.metrics.jsonl"] = metrics.get(name, [])
    if unjudged:
        outcome.warnings.append(f"{unjudged} summaries have no judgement and no score")
