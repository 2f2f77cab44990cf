"""The commands convert, validate and analyze for documents and spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from karat.core.commands import Answer, Conversion, Inquiry, Job, frequencies, validation
from karat.core.options import File, Range
from karat.errors import Place, counted
from karat.records.batch import TYPES, Batch
from karat.records.model import Document
from karat.records.schema import Schema
from karat.records.settings import Setting, Settings

_SIZE = 512


class ConvertDocuments(Conversion):
    """Documents from one layout of files into another, each on one line, numbers as written."""

    def convert(self, job: Job) -> Iterator[Document]:
        for document in job.values():
            yield from document.own_values()


class ConvertSpans(Conversion):
    """Spans from one layout of files into another."""

    def convert(self, job: Job) -> Iterator[Any]:
        yield from job.values()


class ValidateDocuments(Inquiry):
    """Is every document JSON, without doubled keys, and as the schema asks?"""

    name = "validate"

    schema: Annotated[str, File(), "a JSON schema"] = ""

    def answer(self, job: Job) -> Answer:
        schema = Schema(self.schema) if self.schema else None
        checked = 0
        problems: list[tuple[Place, dict[str, Any]]] = []
        for stream, item in job.items():
            place = Place(stream.source.name, item.line)
            if item.error is not None:
                problems.append((place, {"message": item.error.message}))
                continue
            for document in item.value.own_values():
                checked += 1
                problems += ((place, {"message": each}) for each in _problems(document, schema))
        return validation(job, "document", checked, problems)


def _problems(document: Document, schema: Schema | None) -> list[str]:
    batch = _read([document])
    message, offset = batch.native.failure(0)
    if message:
        return [f"{message} at offset {offset}"]
    found = ["a key occurs twice in one object"] if batch.native.states()[0, 3] else []
    return found + (schema.problems(document.text) if schema else [])


def _read(documents: list[Document]) -> Batch:
    batch = Batch(Settings(Setting(), []), empty="leaf", literal=True)
    batch.read([document.text for document in documents], "none", gold=False)
    batch.prepare(1)
    return batch


class AnalyzeDocuments(Inquiry):
    """Which fields the documents have, how often, and of which types."""

    top: Annotated[int, Range(1), "how many of the most frequent paths are shown"] = 40

    def answer(self, job: Job) -> Answer:
        documents = [each for value in job.values() for each in value.own_values()]
        if not documents:
            raise job.nothing("documents")
        times: Counter[str] = Counter()
        present: Counter[str] = Counter()
        types: dict[str, Counter[str]] = {}
        parsed = 0
        for first in range(0, len(documents), _SIZE):
            batch = _read(documents[first : first + _SIZE])
            parsed += int(batch.native.states()[:, 0].sum())
            for number in range(len(documents[first : first + _SIZE])):
                seen = set()
                for path, kind in batch.native.leaves(number).tolist():
                    pattern = batch.pattern(path)
                    seen.add(pattern)
                    times[pattern] += 1
                    types.setdefault(pattern, Counter())[TYPES[kind]] += 1
                present.update(seen)
        chosen = sorted(times, key=lambda path: (-present[path], path))[: self.top]
        listed = [
            {
                "path": path,
                "documents": present[path],
                "leaves": times[path],
                "types": dict(types[path].most_common()),
            }
            for path in chosen
        ]
        width = max((len(path) for path in chosen), default=4)
        lines = [f"{counted(len(documents), 'document')}, {parsed:,} of them JSON", ""]
        lines.append(f"{'path':{width}}  documents  leaves  types")
        lines += (
            f"{path or '(root)':{width}}  {present[path]:9,}  {times[path]:6,}  "
            + ", ".join(f"{name} {count:,}" for name, count in types[path].most_common())
            for path in chosen
        )
        if len(times) > len(chosen):
            lines.append(f"and {counted(len(times) - len(chosen), 'further path')}: ``top``")
        return Answer(
            "\n".join(lines),
            {"documents": len(documents), "parsed": parsed, "paths": listed},
        )


class AnalyzeSpans(Inquiry):
    """How many spans there are, how long, and with which labels."""

    tags: Annotated[str, "how tags are read: lenient, IOB1, IOB2, IOBES or BILOU"] = "lenient"

    def answer(self, job: Job) -> Answer:
        from karat.records.metrics.spans import Spans

        metric = Spans(tags=self.tags)  # type: ignore[arg-type]
        labels: Counter[str] = Counter()
        sizes: list[int] = []
        items = 0
        for value in job.values():
            items += 1
            for span in metric.spans(value):
                labels[span.label] += 1
                sizes.append(span.end - span.begin)
        if not items:
            raise job.nothing("items")
        mean = float(np.mean(sizes)) if sizes else 0.0
        common = dict(labels.most_common())
        text = (
            f"{counted(items, 'item')}, {counted(len(sizes), 'span')}, {mean:.2f} long on average\n"
            + frequencies("labels", common)
        )
        return Answer(
            text, {"items": items, "spans": len(sizes), "mean_length": mean, "labels": common}
        )
