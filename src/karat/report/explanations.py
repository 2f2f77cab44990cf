"""What matched, what is missing, what is surplus: one JSON line per item, or one object."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

import msgspec
import numpy as np

from karat.core.evaluation import Evaluation
from karat.core.items import Pair
from karat.core.metric import Explanation
from karat.core.opener import Source
from karat.core.pairing import Report
from karat.core.reading import FilePairs, only_once
from karat.core.scores import find_leaf, leaves
from karat.core.writing import indented_json
from karat.errors import OptionError, PairingError, did_you_mean


def pairs_again(run: Evaluation) -> Iterator[Pair]:
    """Reads the files of a run once more, to look at the items themselves."""
    assert run.inputs is not None
    for each in run.inputs.files:
        if not each.sha256:
            raise only_once(Source(each.path).name)
    system = next(each for each in run.inputs.files if each.role == "system")
    golds = [each for each in run.inputs.files if each.role == "gold"]
    return iter(
        FilePairs(
            run.metric,
            system.path,
            [each.path for each in golds],
            format=system.format,
            gold_format=golds[0].format if golds else None,
            format_options=run.inputs.format_options(),
            mode=run.inputs.pair,
            report=Report(run.inputs.on_error),
        )
    )


def write_profile(stream: IO[bytes], run: Evaluation) -> None:
    """The most frequent errors of a run."""
    found = run.metric.error_profile(
        run.metric.explain(pair.system, pair.gold) for pair in pairs_again(run)
    )
    stream.write(indented_json(found))


@dataclass(frozen=True, slots=True)
class Choice:
    """Which pairs to explain: all, or those of a type, or that are not perfect, or a sample."""

    type: str | None = None
    only_errors: bool = False
    sample: int = 0
    seed: int = 0

    def ids(self, run: Evaluation) -> frozenset[str] | None:
        """The ids of the chosen pairs; None is all."""
        if not self.only_errors and not self.sample and self.type is None:
            return None
        ids = run.ids
        if self.type is not None:
            ids = self._of_type(run)
        if self.only_errors:
            path = find_leaf(run.scores(), run.metric.headline)
            found = dict(leaves(run.metric.summarize(run.counts)))[path]
            wrong = np.asarray(found) != run.metric.perfect
            bad = {name for name, is_bad in zip(run.ids, wrong.tolist(), strict=True) if is_bad}
            ids = [name for name in ids if name in bad]
        if self.sample and self.sample < len(ids):
            ids = random.Random(self.seed).sample(ids, self.sample)  # noqa: S311 - no secret
        return frozenset(ids)

    def _of_type(self, run: Evaluation) -> list[str]:
        types = run.groups.get("type", ())
        ids = [name for name, each in zip(run.ids, types, strict=False) if each == self.type]
        if not ids:
            known = list(dict.fromkeys(types))
            raise OptionError(
                f"no item is of the type {self.type!r}{did_you_mean(str(self.type), known)}",
                code="K325",
                advice=f"there are: {', '.join(known[:12])}" if known else "the items have no type",
            )
        return ids


def write(
    stream: IO[bytes],
    runs: Sequence[Evaluation],
    choice: Choice | None = None,
) -> None:
    """The explanation of every chosen pair of every run, a line each."""
    for run in runs:
        named = {} if len(runs) == 1 else {"system": run.system, "metric": run.metric.name}
        for pair, explanation in _explained(run, choice):
            stream.write(msgspec.json.encode({"id": pair.id, **named, **explanation}) + b"\n")


def write_indexed(stream: IO[bytes], run: Evaluation, choice: Choice | None = None) -> None:
    """The same of one run as one object: by framework, where items have such, and id."""
    index: dict[str, Any] = {}
    for pair, explanation in _explained(run, choice):
        inner = index
        if "framework" in explanation or "framework" in pair.fields:
            framework = explanation.pop("framework", None) or pair.fields.get("framework")
            inner = index.setdefault(framework or "none", {})
        if pair.id in inner:
            raise PairingError(
                f"two items have the id {pair.id!r}, by which one object would tell them apart",
                code="K215",
                advice="write a line for each item: --errors FILE.jsonl",
            )
        inner[pair.id] = explanation
    stream.write(msgspec.json.encode(index) + b"\n")


def _explained(run: Evaluation, choice: Choice | None) -> Iterator[tuple[Pair, Explanation]]:
    chosen = (choice or Choice()).ids(run)
    for pair in pairs_again(run):
        if chosen is None or pair.id in chosen:
            yield pair, run.metric.explain(pair.system, pair.gold)
