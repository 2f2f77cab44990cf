"""Logs of tools: LM evaluation harness (``--log_samples``), promptfoo (``-o``) and COMET."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec

from karat.core.files.opener import Source
from karat.core.reading.fields import value_at
from karat.core.reading.items import Item
from karat.errors import Place
from karat.logs.formats.base import ScoreFormat, check_version, decoded, unfit, whole
from karat.logs.model import as_field, known_ranges


class LmEval(ScoreFormat):
    """JSON lines, one for each item and filter: `samples_{task}_{date}.jsonl`.

    Lines of one `doc_id` are one item; its scores are called `name,filter`, or `name` where there
    is one filter. Of the document, short values become fields of the item.
    """

    name = "lm-eval"
    json_keys = "all"

    @classmethod
    def recognizes(cls, head: str) -> bool:
        line = head.lstrip().partition("\n")[0]
        return (
            line.startswith("{")
            and '"doc_id"' in line
            and (
                ('"filter"' in line and '"doc_hash"' in line)
                # The document, the prompt and what came back come first, and may be long.
                or line.startswith(('{"doc_id": 0, "doc":', '{"doc_id":0,"doc":'))
            )
        )

    def read(self, source: Source) -> Iterator[Item]:
        found: dict[str, _Sample] = {}
        filters: dict[str, None] = {}
        skipped: dict[str, None] = {}
        for number, line in source.lines():
            if not line.strip():
                continue
            place = Place(source.name, number)
            raw: dict[str, Any] = decoded(line, place, dict[str, Any])
            if "doc_id" not in raw:
                raise unfit("the line has no 'doc_id'", place)
            name = str(raw["doc_id"])
            used = str(raw.get("filter", ""))
            filters[used] = None
            sample = found.setdefault(name, _Sample(place, raw))
            if used in sample.scores:
                raise unfit(
                    f"doc_id {name} and filter {used!r} occur twice, first in line "
                    f"{sample.place.line}: the harness appends to a file that is there already",
                    place,
                )
            scores = _scores(raw, place)
            skipped |= {each: None for each, value in scores.items() if isinstance(value, list)}
            sample.scores[used] = {k: v for k, v in scores.items() if not isinstance(v, list)}
        self.leave_out(skipped)
        several = len(filters) > 1
        known = known_ranges(
            {
                f"{name},{used}" if several else name
                for sample in found.values()
                for used, scores in sample.scores.items()
                for name in scores
            }
        )
        for name, sample in found.items():
            values = {
                f"{score},{used}" if several else score: value
                for used in filters
                for score, value in sample.scores.get(used, {}).items()
            }
            yield self.item(
                sample.place, name, values,
                fields=sample.fields, known=known, mark=sample.mark, texts=sample.texts,
            )  # fmt: skip


class _Sample:
    """The lines of one document."""

    def __init__(self, place: Place, raw: dict[str, Any]) -> None:
        self.place = place
        self.mark = str(raw.get("doc_hash", ""))
        document = raw.get("doc")
        self.fields = {
            name: value
            for name, value in (document if isinstance(document, dict) else {}).items()
            if as_field(value) not in (None, "")
        }
        self.texts = value_at(raw, "arguments.gen_args_0.arg_0"), raw.get("target"), _output(raw)
        self.scores: dict[str, dict[str, Any]] = {}
        """By filters."""


def _output(raw: dict[str, Any]) -> Any:
    """What the model wrote; of choices that were rated by their likelihood nothing."""
    for path in ("resps.0.0", "filtered_resps.0"):
        if isinstance(found := value_at(raw, path), str):
            return found
    return None


def _scores(raw: dict[str, Any], place: Place) -> dict[str, Any]:
    """The scores of a line; older files do not say which of the numbers are some."""
    if "metrics" not in raw:
        return {
            name: value
            for name, value in raw.items()
            if name != "doc_id" and isinstance(value, (bool, int, float))
        }
    names = raw["metrics"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise unfit("'metrics' is not a list of names", place)
    return {name: raw[name] for name in names if name in raw}


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


_SEGMENT = re.compile(r"(.*)\tSegment (\d+)\tscore: (\S+)")
_MEAN = re.compile(r"(.*)\tscore: (\S+)")
_ROUNDED = 1.01e-4
"""How far the mean of scores with 4 decimals may be from a mean with 4 decimals."""


class Comet(ScoreFormat):
    """The scores of segments, in order: `{FILE: [{"COMET": 0.8, …}, …]}`, or printed lines.

    Each file that COMET was given is a system. Printed scores have four decimals.
    """

    name = "comet"
    json_keys = "all"

    only_system: Annotated[str, "the system, where the file holds several"] = ""

    @classmethod
    def recognizes(cls, head: str) -> bool:
        first = head.lstrip().partition("\n")[0]
        is_json = first.startswith("{") and '"COMET"' in head and '"mt"' in head
        return is_json or _SEGMENT.fullmatch(first.rstrip("\r")) is not None

    def read(self, source: Source) -> Iterator[Item]:
        is_json = source.head().lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{")
        return self._json(source) if is_json else self._printed(source)

    def _json(self, source: Source) -> Iterator[Item]:
        place = Place(source.name)
        systems: dict[str, list[dict[str, Any]]] = decoded(
            whole(source), place, dict[str, list[dict[str, Any]]]
        )
        chosen = self.only(self.only_system, systems, source.name)
        for i, segment in enumerate(systems.get(chosen, ())):
            if "COMET" not in segment:
                raise unfit(f"segment {i} of {chosen} has no 'COMET'", place)
            where = Place(source.name, item=f"segment {i}")
            texts = segment.get("src"), segment.get("ref"), segment.get("mt")
            yield self.item(where, str(i), {"COMET": segment["COMET"]}, texts=texts)

    def _printed(self, source: Source) -> Iterator[Item]:
        lines: dict[str, list[tuple[int, int, float]]] = {}
        means: dict[str, tuple[int, float]] = {}
        for number, line in source.lines():
            place = Place(source.name, number)
            try:
                if segment := _SEGMENT.fullmatch(line):
                    found = int(segment[2]), number, float(segment[3])
                    lines.setdefault(segment[1], []).append(found)
                elif mean := _MEAN.fullmatch(line):
                    means[mean[1]] = number, float(mean[2])
                elif line.strip():
                    raise unfit("expected FILE, Segment NUMBER, score: NUMBER", place)
            except ValueError:
                raise unfit("the score is not a number", place) from None
        chosen = self.only(self.only_system, lines, source.name)
        mine = lines.get(chosen, [])
        for i, (segment_number, number, _) in enumerate(mine):
            if segment_number != i:
                raise unfit(
                    f"segment {segment_number} comes where segment {i} is expected",
                    Place(source.name, number),
                )
        if chosen in means and mine:
            number, told = means[chosen]
            mean_of_lines = sum(score for *_, score in mine) / len(mine)
            if not abs(mean_of_lines - told) <= _ROUNDED:
                raise unfit(
                    f"the mean of the segments is {mean_of_lines:.4f}, the file says {told:.4f}",
                    Place(source.name, number),
                )
        self.warnings.append("scores have four decimals: equal ones may differ by less than that")
        for i, number, score in mine:
            yield self.item(Place(source.name, number), str(i), {"COMET": score})
