"""What the archives of DUC and TAC have in common: texts, tables and outputs of ROUGE."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from karat.errors import FormatError, OptionError, Place
from karat.meta.datasets.sentences import sentences_of
from karat.meta.datasets.writing import Outcome, metrics_record

Triple = tuple[float, ...]
"""Recall, precision, F1."""


def lines(data: bytes) -> list[str]:
    """The lines that are not blank; bytes that are not UTF-8 are replaced."""
    return [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]


def kind(summarizer: str) -> str:
    """People are letters, systems are numbers."""
    return "reference" if summarizer.isalpha() else "peer"


def three(values: Triple) -> dict[str, float]:
    return dict(zip(("recall", "precision", "f1"), values, strict=True))


def numbers(words: Sequence[str], place: Place) -> list[float]:
    try:
        return [float(word) for word in words]
    except ValueError:
        raise FormatError(f"expected numbers, found {words}", code="K163", place=place) from None


def automatic(
    data: bytes, pattern: re.Pattern[str], place: Place
) -> Iterator[tuple[re.Match[str], str, Triple]]:
    """Lines such as ``1 ROUGE-2 Eval D0801-A.M.100.A.1 R:0.1 P:0.1 F:0.1``, in per cent."""
    for number, line in enumerate(lines(data), 1):
        words = line.split()
        if len(words) != 7 or words[2] != "Eval":
            continue
        found = pattern.fullmatch(words[3])
        if not found:
            raise FormatError(
                f"{words[3]!r} names no summary", code="K163", place=Place(place.file, number)
            )
        values = numbers([word[2:] for word in words[4:]], Place(place.file, number))
        yield found, words[1].lower(), tuple(100 * value for value in values)


def mean(measured: Sequence[Triple]) -> dict[str, float]:
    """The mean of the scores against all models but one."""
    return three(tuple(sum(column) / len(measured) for column in zip(*measured, strict=True)))


def summary_of(instance: str, summarizer: str, texts: Mapping[str, list[str]]) -> dict[str, Any]:
    """A line of a summaries file; `texts` are all of the instance, by who wrote them."""
    return {
        "instance_id": instance,
        "summarizer_id": summarizer,
        "summarizer_type": kind(summarizer),
        "summary": _written(summarizer, texts[summarizer]),
        "references": [
            _written(other, texts[other])
            for other in sorted(texts)
            if kind(other) == "reference" and other != summarizer
        ],
    }


def _written(summarizer: str, text: list[str]) -> dict[str, Any]:
    return {"summarizer_id": summarizer, "summarizer_type": kind(summarizer), "text": text}


@dataclass(slots=True)
class Task:
    """The summaries of a task and what was said of them, by instance and summarizer."""

    texts: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(dict))
    scores: dict[str, dict[str, dict[str, Any]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )

    def fill(
        self, outcome: Outcome, name: str, *, judged: bool = True, split: bool = False
    ) -> None:
        """Adds the files of summaries and, where a task was judged, of metrics.

        `split` divides the lines of summaries into sentences.
        """
        summaries, metrics, empty, unjudged = [], [], 0, 0
        for instance in sorted(self.texts):
            texts = {
                who: sentences_of(text) if split else text
                for who, text in self.texts[instance].items()
                if text
            }
            empty += len(self.texts[instance]) - len(texts)
            scores = self.scores.get(instance, {})
            for who in sorted(texts):
                summaries.append(summary_of(instance, who, texts))
                if who in scores:
                    metrics.append(metrics_record(instance, who, scores[who], kind(who)))
                else:
                    unjudged += 1
        textless = sum(
            not self.texts.get(instance, {}).get(who)
            for instance, found in self.scores.items()
            for who in found
        )
        outcome.files[f"{name}.summaries.jsonl"] = summaries
        if judged:
            outcome.files[f"{name}.metrics.jsonl"] = metrics
        for count, what in (
            (empty, "summaries are empty and left out"),
            (unjudged if judged else 0, "summaries have no judgement and no score"),
            (textless, "judged summaries have no text and are left out"),
        ):
            if count:
                outcome.warnings.append(f"{name}: {count} {what}")


def complete(
    groups: Mapping[str, Mapping[str, object]], name: str, outcome: Outcome
) -> frozenset[str]:
    """Which groups of files can be made of what was given; the others are in the warnings.

    Parts of a data set are open and others are not: with the open ones alone, their files
    are made. Where no group is whole, it is an error.
    """
    lacking = {
        group: [part for part, value in parts.items() if not value]
        for group, parts in groups.items()
    }
    if all(lacking.values()):
        demand({part: value for parts in groups.values() for part, value in parts.items()}, name)
    outcome.warnings.extend(
        f"{group} are not written: {'; '.join(missing)} not given"
        for group, missing in lacking.items()
        if missing
    )
    return frozenset(group for group, missing in lacking.items() if not missing)


def demand(found: Mapping[str, object], name: str) -> None:
    """Refuses a data set of which a part is missing; parts are told as users know them."""
    missing = [part for part, value in found.items() if not value]
    if missing:
        raise OptionError(
            f"files of {name} are missing: {'; '.join(missing)}",
            code="K364",
            advice=f"give all the archives that karat list datasets names for {name}",
        )
