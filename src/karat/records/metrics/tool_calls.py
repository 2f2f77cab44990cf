"""Calls of tools: names and arguments against gold."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from karat._native import RecordBatch
from karat.core.capabilities import Pairs, grid_in
from karat.core.scores import Array
from karat.records import calls
from karat.records.batch import WAYS
from karat.records.metrics.json import Extract, Json
from karat.records.settings import Lists


class ToolCalls(Json):
    """Names and arguments of tool calls that system and gold share; `calls.f` counts whole calls.

    Calls are paired by name so that as much as possible matches: parallel calls of one tool may
    come in any order (`order`). Lists in arguments are compared in their order. It reads lists of
    objects with `name` and `arguments` (or `input`, `parameters`, `args`), messages with
    `tool_calls`, messages with parts of type `tool_use`, decoded outputs of BFCL and, as gold, its
    possible answers. Text without JSON counts as no calls.

    >>> call = [{"name": "weather", "arguments": {"city": "Oslo", "unit": "c"}}]
    >>> ToolCalls().score([{"name": "weather", "arguments": {"city": "Oslo"}}], call)["recall"]
    0.6666666666666666
    """

    name = "tool-calls"
    root_only = True
    records_name = "calls"

    lists: Annotated[Lists, "how lists in arguments are compared"] = "ordered"
    compat: Annotated[Literal["none"], "there is no other way to count calls"] = "none"
    order: Annotated[Literal["set", "ordered"], "whether the order of calls matters"] = "set"
    extract: Annotated[
        Extract, "take JSON from a fenced block, or the first or last in the text"
    ] = "first"
    tracing = grid_in("karat.records.metrics.grids", "tool_calls")

    def own_settings(self) -> dict[str, Any]:
        return {**super().own_settings(), "": {"list": self.order, "key": ["name"]}}

    def documents(self, texts: list[bytes], *, gold: bool) -> tuple[list[bytes], Array | None]:
        batch = RecordBatch(False, True, False)
        batch.read(texts, WAYS["none" if gold else self.extract])
        states = batch.states()
        found = list(texts)
        for i in np.flatnonzero(states[:, 0] + states[:, 1]).tolist():
            tagged = None if gold or states[i, 0] else calls.tagged(texts[i])
            found[i], states[i, 3] = self.prepared(tagged or batch.text(i), gold)
        return found, states

    def prepared(self, text: bytes, gold: bool) -> tuple[bytes, bool]:
        """A document as a list of calls, and whether it had doubled keys."""
        return calls.prepared(text, gold=gold)

    def measure_many(self, pairs: Pairs) -> Array:
        rows = super().measure_many(pairs)
        at = {name: self.columns.index(name) for name in ("exact", "gold", "parsed", "extracted")}
        # Text without JSON is no call, which is right where gold has none either.
        nothing = (rows[:, at["parsed"]] + rows[:, at["extracted"]] == 0) & (
            rows[:, at["gold"]] == 0
        )
        rows[:, at["exact"]] = np.where(nothing, 1, rows[:, at["exact"]])
        return rows
