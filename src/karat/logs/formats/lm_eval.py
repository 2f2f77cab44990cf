"""Sample logs of the LM evaluation harness (``lm_eval --log_samples``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.core.files.opener import Source
from karat.core.reading.fields import value_at
from karat.core.reading.items import Item
from karat.errors import Place
from karat.logs.formats.base import ScoreFormat, decoded, unfit
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
