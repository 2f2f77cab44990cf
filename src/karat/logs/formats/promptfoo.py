"""Results of promptfoo (``promptfoo eval -o results.json``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from karat.core.files.opener import Source
from karat.core.reading.items import Item
from karat.errors import Place
from karat.logs.formats.base import ScoreFormat, check_version, decoded, unfit, whole

_NEWEST = 3
"""The version of results that promptfoo writes."""
_CALL_FAILED = 2
"""The `failureReason` of a result without an output; 1 is a failed assertion."""


class _Result(msgspec.Struct, rename="camel"):
    test_idx: int | None = None
    prompt_idx: int = 0
    provider: Any = None
    success: bool | None = None
    score: float | None = None
    named_scores: dict[str, Any] | None = None
    error: str | None = None
    failure_reason: int | None = None
    grading_result: Any = None
    prompt: Any = None
    response: Any = None

    def texts(self) -> tuple[Any, Any, Any]:
        prompt = self.prompt.get("raw") if isinstance(self.prompt, dict) else self.prompt
        output = self.response.get("output") if isinstance(self.response, dict) else None
        return prompt, None, output

    def system(self) -> str:
        if isinstance(self.provider, dict):
            return str(self.provider.get("label") or self.provider.get("id", ""))
        return str(self.provider or "")

    def is_missing(self) -> bool:
        """Whether there was nothing to score: failed assertions have an `error` too."""
        if self.failure_reason is not None:
            return self.failure_reason == _CALL_FAILED
        return bool(self.error) and self.grading_result is None


class _Results(msgspec.Struct):
    results: list[_Result]
    version: Any = None


class _Document(msgspec.Struct):
    results: _Results


class Promptfoo(ScoreFormat):
    """The results of promptfoo as JSON: `score`, `success` and all named scores.

    Items are tests (`testIdx`). A file with several providers or prompts holds several systems,
    called `PROVIDER`, or `PROVIDER#PROMPT` where there are several prompts.
    """

    name = "promptfoo"
    json_keys = "all"

    only_system: Annotated[str, "the system, where the file holds several"] = ""

    @classmethod
    def recognizes(cls, head: str) -> bool:
        return (
            head.lstrip().startswith("{")
            and '"results"' in head
            and ('"evalId"' in head or '"testIdx"' in head or '"promptIdx"' in head)
        )

    def read(self, source: Source) -> Iterator[Item]:
        document: _Document = decoded(whole(source), Place(source.name), _Document)
        check_version(document.results.version, _NEWEST, Place(source.name))
        results = document.results.results
        if any(each.test_idx is None for each in results):
            raise unfit("a result has no 'testIdx'", Place(source.name))
        prompts = {each.prompt_idx for each in results}
        names = [
            f"{each.system()}#{each.prompt_idx}" if len(prompts) > 1 else each.system()
            for each in results
        ]
        chosen = self.only(self.only_system, names, source.name)
        mine = [each for each, name in zip(results, names, strict=True) if name == chosen]
        scores = dict.fromkeys(name for each in mine for name in each.named_scores or {})
        for each in mine:
            values: dict[str, Any] = {"score": each.score, "success": each.success}
            values |= {name: (each.named_scores or {}).get(name) for name in scores}
            if each.is_missing():
                values = dict.fromkeys(values)
            place = Place(source.name, item=str(each.test_idx))
            yield self.item(
                place, str(each.test_idx), values,
                known={"success": (0.0, 1.0)}, texts=each.texts(),
            )  # fmt: skip
