"""What a checker must refuse; each such line says so."""

from __future__ import annotations

import karat
from karat import Metric, ratio
from karat.core.scores import Array


class Wrong(Metric[str, str]):
    name = "wrong"
    kind = "text"
    columns = ("items",)

    def measure(self, system: str, gold: str) -> str:  # wrong
        return system

    def summarize(self, totals: Array) -> Array:  # wrong
        return ratio(totals, 1)


class Fine(Metric[str, str]):
    name = "fine"
    kind = "text"
    columns = ("items",)


Fine().score(1, "a")  # wrong
Fine().score_all("a", 1)  # wrong
karat.evaluate("exact", system="s", on_error="ignore")  # wrong
karat.evaluate("exact", system="s").confidence(method="magic")  # wrong
karat.evaluate("exact", system="s").compare("other")  # wrong
print(karat.no_such_name)  # wrong
