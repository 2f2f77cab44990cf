"""Questions from references, answered from the text that is judged."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeAlias

import msgspec
import numpy as np

from karat.core.capabilities import named_programs
from karat.core.marks import main, within
from karat.core.metric import Explanation, Metric
from karat.core.options import Range
from karat.core.scores import Array, Scores, ratio
from karat.errors import MissingExtra, OptionError, PairingError, counted, shell
from karat.text.external.carriers import carrier_of
from karat.text.external.programs import HasAddress, program_of, reachable_by
from karat.text.external.protocol import (
    Carrier,
    ExternalError,
    answer_cache,
    ask,
    encoded,
    named_version,
)
from karat.text.model import Text, TextRecord, joined, leave_one_out, text_of
from karat.text.questions import (
    Answer,
    Question,
    QuestionSet,
    matched,
    normalized,
    question_sets,
)


class QuestionAnswering(HasAddress, Metric[Text, Sequence[QuestionSet]]):
    """How many questions from the references a text answers, and how well.

    The bookkeeping of QAEval (Deutsch, Bedrax-Weiss and Roth 2021) and APES (Eyal, Baumel and
    Elhadad 2019), without their models: questions with accepted answers are data, one set
    for each reference; what answers them is an option. Scores are those of SQuAD: `em` (share of
    answers that equal an accepted one; the accuracy of APES), `f1` (overlap of words) and
    `is_answered`, each the mean over the questions of a reference, then over the references that
    have questions, then over items. `num_correct` and `num_questions` are sums over references,
    averaged over items. An item without questions scores 0, with a warning.
    """

    name = "qa"
    kind = "text"
    columns = ("items", "em", "f1", "is_answered", "correct", "questions", "unasked")
    chunk_size = 256

    command: Annotated[str | None, "the program that answers, with its arguments"] = None
    url: Annotated[str | None, "the address of the server that answers"] = None
    function: Annotated[str | None, "the Python function that answers, as module:function"] = None
    timeout: Annotated[float, Range(0.001), "seconds to wait for an answer"] = 600.0
    cache: Annotated[str | None, "a file to keep answers in"] = None

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.command, self.url, self.function)) > 1:
            raise OptionError("qa: give a command, a url or a function", code="K390")
        if self.function is not None and self.cache is not None:
            raise OptionError("qa: cache is for programs and servers", code="K390")
        self.hide_password()

    def runs(self) -> str:
        return named_programs(self) or program_of(self.name)

    @classmethod
    def missing(cls) -> str:
        if reachable_by(cls.name) != (None, None):
            return ""
        return "name a program that answers: " + shell("setup metric qa", "command", "'...'")

    def of_system(self, record: Any) -> Text:
        return joined(text_of(record))

    def holds_gold(self, record: Any) -> bool:
        return isinstance(record, TextRecord) and record.questions is not None

    def of_gold(self, records: Sequence[Any]) -> Sequence[QuestionSet]:
        sets = [
            each
            for record in records
            if isinstance(record, TextRecord)
            for each in record.questions or ()
        ]
        if not any(isinstance(r, TextRecord) and r.questions is not None for r in records):
            raise PairingError("there is no set of questions", code="K214")
        return sets or [()]

    def jackknife(self, gold: Sequence[QuestionSet]) -> list[Sequence[QuestionSet]]:
        return leave_one_out(gold)

    def _carrier(self) -> Carrier:
        """What carries questions to the program or server that answers them."""
        command, url = self.command, self.address
        if command is None and url is None:
            command, url = reachable_by(self.name)
        if carrier := carrier_of(command, url, self.timeout):
            return carrier
        raise MissingExtra(
            "questions are answered by a program or function of yours, and none is named",
            code="K402",
            advice="give ``command``, ``url`` or ``function``; or "
            + shell("setup metric qa", "command", "'...'"),
        )

    def program(self) -> str:
        return named_version(self._carrier()) if self.function is None else ""

    def _answers(self, requests: Sequence[Request]) -> list[list[Answer]]:
        """The answers to each request, in order; equal requests are made once."""
        if self.function is not None:
            name, answer = self.function, _imported(self.function)
            known = {
                (text, questions): _checked(answer(text, list(questions)), len(questions), name)
                for text, questions in dict.fromkeys(requests)
            }
            return [known[request] for request in requests]
        carrier = self._carrier()

        def take(request: Request, answer: dict[str, Any]) -> list[Answer]:
            return _checked(answer.get("answers"), len(request[1]), carrier.name)

        return ask(carrier, answer_cache(self.cache), requests, _line, take, list[Answer])

    def measure_many(self, pairs: Sequence[tuple[Text, Sequence[QuestionSet]]]) -> Array:
        rows = [self._row(each) for each in self._answered(pairs)]
        return np.array(rows, np.float64).reshape(len(rows), len(self.columns))

    def _answered(
        self, pairs: Sequence[tuple[Text, Sequence[QuestionSet]]]
    ) -> list[list[list[tuple[Question, Answer]]]]:
        """For each item and reference the questions with their answers."""
        items = [(joined(system), question_sets(gold, "gold")) for system, gold in pairs]
        if not all(sets for _, sets in items):
            raise PairingError("there is no set of questions", code="K214")
        requests = [
            (text, tuple(each.question for each in one))
            for text, sets in items
            for one in sets
            if one
        ]
        answers = iter(self._answers(requests) if requests else [])
        return [
            [list(zip(one, next(answers), strict=True)) if one else [] for one in sets]
            for _, sets in items
        ]

    def _row(self, references: list[list[tuple[Question, Answer]]]) -> list[float]:
        tables = [
            np.array([_judged(question, answer) for question, answer in one])
            for one in references
            if one
        ]
        if not tables:
            return [1.0, *[0.0] * 5, 1.0]
        means = np.mean([table.mean(axis=0) for table in tables], axis=0).tolist()
        correct = sum(float(table[:, 0].sum()) for table in tables)
        return [1.0, *means, correct, float(sum(map(len, tables))), 0.0]

    def summarize(self, totals: Array) -> Scores:
        items, em, f1, answered, correct, questions, _ = self.columns_of(totals)
        return {
            "qa": {
                "em": ratio(em, items),
                "f1": main(ratio(f1, items)),
                "is_answered": ratio(answered, items),
            },
            "num_correct": within(ratio(correct, items), 0),
            "num_questions": within(ratio(questions, items), 0),
        }

    def caveats(self, totals: Array) -> list[str]:
        unasked = int(totals[-1])
        return [f"qa: {counted(unasked, 'item')} without questions scored 0"] if unasked else []

    def explain(self, system: Text, gold: Sequence[QuestionSet]) -> Explanation:
        """For each reference the questions, accepted answers, answers given and their scores."""
        (references,) = self._answered([(system, gold)])
        return {
            "scores": self.score(system, gold),
            "references": [
                [_shown(question, answer) for question, answer in one] for one in references
            ],
        }


def _judged(question: Question, answer: Answer) -> tuple[float, float, float]:
    """Exact match, F1, and whether there is an answer."""
    return (*matched(answer.text, question.answers), float(bool(normalized(answer.text))))


def _shown(question: Question, answer: Answer) -> dict[str, Any]:
    em, f1, answered = _judged(question, answer)
    return {
        "id": question.id,
        "question": question.question,
        "answers": list(question.answers),
        "start": question.start,
        "end": question.end,
        "prediction": {
            "text": answer.text,
            "probability": answer.probability,
            "start": answer.start,
            "end": answer.end,
        },
        "em": em,
        "f1": f1,
        "is_answered": answered,
    }


Request: TypeAlias = tuple[str, tuple[str, ...]]
"""A text and the questions about it."""
Function: TypeAlias = Callable[[str, list[str]], Sequence[Any]]


def _line(number: int, request: Request) -> bytes:
    context, questions = request
    return encoded({"id": number, "context": context, "questions": questions})


def _checked(found: Any, count: int, name: str) -> list[Answer]:
    if not isinstance(found, (list, tuple)) or len(found) != count:
        shown = f"{len(found)}" if isinstance(found, (list, tuple)) else "no list of"
        raise ExternalError(f"{name} gave {shown} answers to {count} questions")
    return [_answer(each, name) for each in found]


def _answer(value: Any, name: str) -> Answer:
    if value is None:
        return Answer()
    if isinstance(value, str):
        return Answer(value)
    if isinstance(value, Answer):
        return value
    if isinstance(value, Mapping) and value.get("text", "") is None:
        value = {**value, "text": ""}
    try:
        return msgspec.convert(value, Answer)
    except msgspec.ValidationError as error:
        raise ExternalError(f"{name} gave an invalid answer: {error}") from None


def _imported(path: str) -> Function:
    module, colon, name = path.partition(":")
    if not colon or not module or not name:
        raise OptionError(f"{path!r} names no function: write module:function", code="K302")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise OptionError(f"there is no function {path!r}: {error}", code="K302") from None
    if not callable(found):
        raise OptionError(f"{path!r} is not a function", code="K302")
    return found  # type: ignore[no-any-return]
