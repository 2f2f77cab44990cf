"""Conversions against the published files: not one difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.errors import FormatError
from karat.logic import (
    parse,
    parse_varfree,
    serialize,
    serialize_varfree,
    to_recogs,
    to_varfree,
)
from karat.logic.convert import converted, restore
from karat.logic.model import AnyDialect


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
        assert restore(serialize(form, "reduced")) == text
        if form.type == "iota":
            assert to_varfree(form).labels
            assert parse(to_recogs(form, sentence), "recogs", strict=True)


def test_slog_is_well_formed(shared: Path) -> None:
    for _, text, _ in rows(shared, "slog-sample.tsv"):
        assert serialize(parse(text, "slog", strict=True), "slog") == text


def test_recogs_back_to_cogs(shared: Path) -> None:
    """The published ReCOGS forms become the published COGS and variable-free forms."""
    published = rows(shared, "dev-head.recogs.tsv")
    trees = rows(shared, "dev-head.varfree.tsv")
    wanted = rows(shared, "dev.tsv")
    for (_, text, _), (_, cogs, _), (_, tree, _) in zip(published, wanted, trees, strict=False):
        form = parse(text, "recogs", strict=True)
        assert converted(form, "recogs", "recogs") == text
        assert converted(form, "recogs", "cogs") == cogs
        assert converted(form, "recogs", "varfree") == tree
        assert restore(converted(form, "recogs", "reduced")) == cogs


def test_recogs_and_back(shared: Path) -> None:
    for sentence, text, _ in rows(shared, "dev.tsv"):
        there = converted(parse(text), "cogs", "recogs", sentence)
        assert converted(parse(there, "recogs"), "recogs", "cogs") == text


@pytest.mark.parametrize("into", ["cogs", "recogs", "reduced"])
def test_slog_that_others_cannot_say(shared: Path, into: AnyDialect) -> None:
    """Only SLOG has question marks and the noun TV: such a form is refused, all others are not."""
    refused = 0
    for sentence, text, _ in rows(shared, "slog-sample.tsv"):
        form = parse(text, "slog")
        if "?" in text or "TV" in text:
            refused += 1
            with pytest.raises(FormatError, match=r"'\?'|'TV'"):
                converted(form, "slog", into, sentence)
        else:
            written = converted(form, "slog", into, sentence)
            assert into == "reduced" or parse(written, into, strict=True)
            assert into == "recogs" or restore(written) == text
    assert refused == 21


def test_every_form_into_every_notation(shared: Path) -> None:
    """What is written is strictly well-formed there; COGS forms can be written in all."""
    for name in ("dev.tsv", "gen-sample.tsv", "primitives.tsv"):
        for sentence, text, _ in rows(shared, name):
            form = parse(text)
            for into in ("cogs", "slog", "recogs", "reduced"):
                assert parse(converted(form, "cogs", into, sentence), into, strict=True)
            assert parse_varfree(converted(form, "cogs", "varfree"))
