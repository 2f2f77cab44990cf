"""Laws of all declared options: of metrics, formats and commands."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from karat.core.catalog import VERBS
from karat.core.commands import kinds_of, verb_class
from karat.core.options import Declared, declared
from karat.core.plugins import FORMATS, METRICS, own_rows
from karat.core.registry import format_class, metric_class


def _classes() -> Iterator[type[Declared]]:
    yield from (metric_class(row.name) for row in own_rows(METRICS))
    yield from (format_class(row.name) for row in own_rows(FORMATS))
    for verb in dict.fromkeys(row.verb for row in VERBS):
        yield from (verb_class(verb, kind) for kind in kinds_of(verb))


@pytest.mark.parametrize(
    "cls", list(_classes()), ids=lambda cls: f"{cls.__module__}.{cls.__name__}"
)
def test_every_option_says_what_it_is_and_accepts_its_default(cls: type[Declared]) -> None:
    for option in declared(cls).values():
        assert option.help, f"{option.name} is an annotated field, and so an option, without help"
        assert option.required or option.accepts(option.default)
