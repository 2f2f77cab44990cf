"""Questions with accepted answers, given answers, and their comparison as in SQuAD."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from karat.errors import OptionError

_ARTICLES = r"\b(a|an|the)\b"
_NO_PUNCTUATION = str.maketrans("", "", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


class Question(msgspec.Struct, frozen=True):
    """A question and the answers that are accepted; where a reference has them, if known."""

    question: str
    answers: tuple[str, ...]
    id: str = ""
    start: int | None = None
    end: int | None = None


class Answer(msgspec.Struct, frozen=True):
    """The answer that a text gives; an empty one says that it gives none."""

    text: str = ""
    probability: float | None = None
    start: int | None = None
    end: int | None = None


QuestionSet: TypeAlias = tuple[Question, ...]
"""The questions that one reference gives rise to."""


def question_sets(value: Any, shown: str = "questions") -> tuple[QuestionSet, ...]:
    """Sets of questions from decoded JSON: one list of questions, or one per reference.

    A reference is a list of questions or an object with `questions`; a question is an
    object with `question` and `answers` (or a single `answer`).
    """
    if not isinstance(value, (list, tuple)):
        raise _unfit(shown, "must be a list", value)
    alone = [isinstance(each, Question) or _is_question(each) for each in value]
    if any(alone):
        if not all(alone):
            raise _unfit(f"{shown}[{alone.index(False)}]", "is not a question", value)
        return (_set(value, shown),)
    return tuple(
        _set(each["questions"], f"{shown}[{i}].questions")
        if isinstance(each, Mapping) and "questions" in each
        else _set(each, f"{shown}[{i}]")
        for i, each in enumerate(value)
    )


def _is_question(value: Any) -> bool:
    return isinstance(value, Mapping) and "question" in value


def _set(value: Any, shown: str) -> QuestionSet:
    if not isinstance(value, (list, tuple)):
        raise _unfit(shown, "must be a list of questions", value)
    return tuple(_question(each, f"{shown}[{i}]") for i, each in enumerate(value))


def _question(value: Any, shown: str) -> Question:
    if isinstance(value, Question):
        found = value
    else:
        if not isinstance(value, Mapping):
            raise _unfit(shown, "must be an object with question and answers", value)
        fields = dict(value)
        if "answers" not in fields and "answer" in fields:
            fields["answers"] = [fields["answer"]]
        if isinstance(fields.get("id"), int):
            fields["id"] = str(fields["id"])
        try:
            found = msgspec.convert(fields, Question)
        except msgspec.ValidationError as error:
            raise OptionError(f"{shown} is not a question: {error}", code="K317") from None
    if not found.answers:
        raise OptionError(f"{shown} has no accepted answer", code="K317")
    return found


def _unfit(shown: str, problem: str, value: Any) -> OptionError:
    brief = repr(value)[:40]
    return OptionError(f"{shown} {problem}, found {type(value).__name__} {brief}", code="K317")


def normalized(answer: str) -> str:
    """Lower case, without punctuation and articles, single blanks.

    >>> normalized("The  U.S., (an) answer")
    'us answer'
    """
    return " ".join(re.sub(_ARTICLES, " ", answer.lower().translate(_NO_PUNCTUATION)).split())


def matched(answer: str, accepted: Sequence[str]) -> tuple[float, float]:
    """Exact match and F1 of words with the best of the accepted answers.

    >>> matched("the Eiffel tower", ["Eiffel Tower in Paris"])
    (0.0, 0.6666666666666666)
    """
    own = normalized(answer)
    golds = [normalized(each) for each in accepted]
    return float(own in golds), max(_overlap(own.split(), gold.split()) for gold in golds)


def _overlap(own: list[str], answer: list[str]) -> float:
    if not own or not answer:
        return float(own == answer)
    common = (Counter(own) & Counter(answer)).total()
    return 2 * common / (len(own) + len(answer))
