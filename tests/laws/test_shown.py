"""What the page shows of a pair is written as a file would hold it, for every metric."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from karat.core.metric import Explanation
from karat.core.registry import parse
from karat.engine.look import explain
from karat.errors import OptionError
from karat.report.page.items import shown_pair
from metric_examples import EXAMPLES

_PYTHON = re.compile(r" object at 0x|<\w+(\.\w+)+[ >]|\b[A-Z]\w+\(\w+=")
"""How Python writes values that have no form of their own."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_is_shown_as_python_writes_it(name: str) -> None:
    texts, examples, *_ = EXAMPLES[name]
    for text in texts:
        metric = parse(text)
        for system, gold in examples:
            told: Explanation = {}
            with suppress(OptionError):  # not every metric explains
                told = explain(metric, system, gold)
            shown: Any = shown_pair(metric, system, gold, told)
            found = msgspec.json.encode(shown).decode()
            assert not _PYTHON.search(found), found[:500]
