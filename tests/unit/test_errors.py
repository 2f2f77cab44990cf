"""Errors: the first line, the rest, and what crosses a process border."""

from __future__ import annotations

import pickle

import pytest

from karat.errors import (
    FormatError,
    KaratError,
    LimitExceeded,
    MissingExtra,
    OptionError,
    PairingError,
    Place,
    VerificationError,
    check_between,
    check_choice,
    did_you_mean,
    quote_some,
)

HEADLINES = [
    (KaratError("why"), "KaratError K000: why"),
    (PairingError("why", code="K201"), "PairingError K201: why"),
    (FormatError("why", place=Place("a.amr")), "a.amr: FormatError K100: why"),
    (FormatError("why", place=Place("a.amr", 41)), "a.amr:41: FormatError K100: why"),
    (FormatError("why", place=Place("a.amr", 41, 9)), "a.amr:41:9: FormatError K100: why"),
    (
        FormatError("why", place=Place("a.amr", 41, 9, "wsj.7")),
        "a.amr:41:9: FormatError K100: item 'wsj.7': why",
    ),
    (PairingError("why", place=Place(item="7")), "PairingError K200: item '7': why"),
    (FormatError("why", place=Place("", 3)), "input:3: FormatError K100: why"),
]


@pytest.mark.parametrize(("error", "headline"), HEADLINES)
def test_headline(error: KaratError, headline: str) -> None:
    assert error.headline == headline
    assert str(error) == headline


def test_help_follows_the_first_line() -> None:
    error = FormatError("why", place=Place("a", 1), excerpt="  1 | x", advice="fix it")
    assert str(error).splitlines() == ["a:1: FormatError K100: why", "  1 | x", "fix it"]


EXITS = [
    (FormatError, 1),
    (PairingError, 1),
    (OptionError, 2),
    (MissingExtra, 2),
    (LimitExceeded, 1),
    (VerificationError, 1),
]


@pytest.mark.parametrize(("kind", "status"), EXITS)
def test_exit_codes(kind: type[KaratError], status: int) -> None:
    assert kind("why").exit_code == status


def test_an_option_error_is_a_value_error() -> None:
    assert issubclass(OptionError, ValueError)


@pytest.mark.parametrize("kind", [kind for kind, _ in EXITS])
def test_pickling_keeps_everything(kind: type[KaratError]) -> None:
    error = kind("why", code="K999", place=Place("a", 1, 2, "b"), excerpt="x", advice="y")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)
    assert (again.code, again.place, again.advice) == ("K999", Place("a", 1, 2, "b"), "y")


SUGGESTIONS = [
    ("bleau", ["bleu", "chrf"], "; did you mean 'bleu'?"),
    ("zzz", ["bleu", "chrf"], ""),
    ("x", [], ""),
]


@pytest.mark.parametrize(("name", "known", "expected"), SUGGESTIONS)
def test_near_names(name: str, known: list[str], expected: str) -> None:
    assert did_you_mean(name, known) == expected


QUOTES = [([], ""), (["a"], "'a'"), (["a", "b", "c"], "'a', 'b' and 1 more"), (["it's"], '"it\'s"')]


@pytest.mark.parametrize(("names", "expected"), QUOTES)
def test_quoting_names(names: list[str], expected: str) -> None:
    assert quote_some(names, most=2) == expected


def test_values_are_checked() -> None:
    check_choice("a test", "sign", ("auto", "sign"))
    check_between("alpha", 0.4, high=0.5)
    with pytest.raises(OptionError, match="K302: a test is one of auto, sign; got 'sin'"):
        check_choice("a test", "sin", ("auto", "sign"))
    with pytest.raises(OptionError, match=r"K302: alpha lies between 0 and 0\.5, got 0\.5"):
        check_between("alpha", 0.5, high=0.5)
    with pytest.raises(OptionError, match="K302: power lies between 0 and 1, got nan"):
        check_between("power", float("nan"))
