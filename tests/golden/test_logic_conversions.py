"""Conversions against the published files: not one difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.logic import (
    parse,
    parse_varfree,
    serialize,
    serialize_varfree,
    to_recogs,
    to_varfree,
)
from karat.logic.convert import reduce, restore


def rows(shared: Path, name: str) -> list[list[str]]:
    text = (shared / "data" / "logical-forms" / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


@pytest.mark.parametrize(
    ("source", "published", "dialect"),
    [
        ("dev.tsv", "dev-head.varfree.tsv", "cogs"),
        ("gen-sample.tsv", "gen-sample.varfree.tsv", "cogs"),
        ("slog-sample.tsv", "slog-sample.varfree.tsv", "slog"),
    ],
)
def test_variable_free(shared: Path, source: str, published: str, dialect: str) -> None:
    wanted = rows(shared, published)
    for (sentence, form, _), (same, expected, _) in zip(rows(shared, source), wanted, strict=False):
        assert sentence == same
        assert serialize_varfree(to_varfree(parse(form, dialect))) == expected  # type: ignore[arg-type]
        assert serialize_varfree(parse_varfree(expected)) == expected


def test_recogs(shared: Path) -> None:
    wanted = rows(shared, "dev-head.recogs.tsv")
    for (sentence, form, _), (same, expected, _) in zip(
        rows(shared, "dev.tsv"), wanted, strict=False
    ):
        assert sentence == same
        assert to_recogs(parse(form), sentence) == expected
        assert parse(expected, "recogs", strict=True)


@pytest.mark.parametrize("name", ["dev.tsv", "gen-sample.tsv", "primitives.tsv"])
def test_canonical_text_and_token_reduction(shared: Path, name: str) -> None:
    for sentence, text, _ in rows(shared, name):
        form = parse(text, strict=True)
        assert serialize(form) == text
        assert restore(reduce(form)) == text
        if form.type == "iota":
            assert to_varfree(form).labels
            assert parse(to_recogs(form, sentence), "recogs", strict=True)


def test_slog_is_well_formed(shared: Path) -> None:
    for _, text, _ in rows(shared, "slog-sample.tsv"):
        assert serialize(parse(text, "slog", strict=True), "slog") == text
