"""Conversions: the examples of the specification, and what cannot be converted."""

from __future__ import annotations

import pytest

from karat.errors import FormatError
from karat.logic import parse, serialize_varfree, to_recogs, to_varfree
from karat.logic.convert import converted, restore

NEED = (
    "* girl ( x _ 1 ) ; need . agent ( x _ 2 , x _ 1 ) AND need . xcomp ( x _ 2 , x _ 4 ) "
    "AND cook . agent ( x _ 4 , x _ 1 )"
)
CLAUSES = (
    "* toy ( x _ 4 ) ; girl ( x _ 1 ) AND freeze . agent ( x _ 2 , x _ 1 ) "
    "AND freeze . theme ( x _ 2 , x _ 4 ) AND toy . nmod ( x _ 4 , x _ 11 ) AND frog ( x _ 7 ) "
    "AND frog . nmod ( x _ 7 , x _ 10 ) AND eat . agent ( x _ 10 , Emma ) "
    "AND eat . theme ( x _ 10 , x _ 7 ) AND roll . agent ( x _ 11 , x _ 7 ) "
    "AND roll . theme ( x _ 11 , x _ 4 )"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NEED, "need ( agent = * girl , xcomp = cook ( agent = * girl ) )"),
        (CLAUSES, "freeze ( agent = girl , theme = * toy ( nmod = roll ( agent = frog ( nmod = "
                  "eat ( agent = Emma , theme = frog ) ) , theme = * toy ) ) )"),
        ("cat ( x _ 1 )", "cat"),
        ("paint . theme ( x _ 3 , ? )", "paint ( theme = ? )"),
        ("Layla", "Layla"),
        ("LAMBDA a . ball ( a )", "LAMBDA a . ball ( a )"),
    ],
)  # fmt: skip
def test_variable_free(text: str, expected: str) -> None:
    assert serialize_varfree(to_varfree(parse(text, "slog"))) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("see . agent ( x _ 1 , x _ 2 )", "x _ 2 has neither noun nor role"),
        ("see . agent ( x _ 1 , Emma ) AND eat . agent ( x _ 2 , Emma )",
         "found x _ 1 and x _ 2"),
        ("see . ccomp ( x _ 1 , x _ 2 ) AND eat . ccomp ( x _ 2 , x _ 1 )", "found none"),
        ("see . agent ( x _ 1 , Emma ) AND cat ( x _ 2 )", "x _ 2 is not connected to the rest"),
        ("cat ( x _ 1 ) AND dog ( x _ 1 )", "x _ 1 is called both 'cat' and 'dog'"),
    ],
)  # fmt: skip
def test_what_is_no_tree(text: str, why: str) -> None:
    with pytest.raises(FormatError, match=why) as caught:
        to_varfree(parse(text))
    assert caught.value.code == "K171"


def test_recogs() -> None:
    form = parse(
        "* box ( x _ 4 ) ; hope . agent ( x _ 1 , Liam ) AND hope . ccomp ( x _ 1 , x _ 6 ) "
        "AND box . nmod . in ( x _ 4 , x _ 8 ) AND burn . theme ( x _ 6 , x _ 4 ) "
        "AND burn . agent ( x _ 6 , Liam ) AND room ( x _ 8 )"
    )
    assert to_recogs(form, "Liam hoped that the box burned") == (
        "Liam ( 0 ) ; * box ( 4 ) ; room ( 8 ) ; hope ( 1 ) AND agent ( 1 , 0 ) "
        "AND ccomp ( 1 , 6 ) AND burn ( 6 ) AND theme ( 6 , 4 ) AND agent ( 6 , 0 ) "
        "AND nmod . in ( 4 , 8 )"
    )
    assert to_recogs(parse("cat ( x _ 1 )"), "a cat") == "cat ( 1 )"
    assert to_recogs(parse("Layla"), "") == "Layla"
    with pytest.raises(FormatError, match="'Liam' is not in the sentence 'Emma ran'"):
        to_recogs(form, "Emma ran")


def test_restoring() -> None:
    assert restore("LAMBDA a . LAMBDA e . run . agent e a") == (
        "LAMBDA a . LAMBDA e . run . agent ( e , a )"
    )
    for same in ("cat ( x _ 1 )", "cat 1 2 3", "", "Layla"):
        assert restore(same) == same


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("agent ( 1 , 0 ) AND cat ( 0 )", "needs one noun or verb of 1, found none"),
        ("eat ( 1 ) AND see ( 1 ) AND agent ( 1 , 2 )", "found 'eat' and 'see'"),
        ("cat ( 1 ) AND dog ( 1 ) AND nmod . in ( 1 , 2 )", "found 'cat' and 'dog'"),
        ("* eat ( 1 ) ; agent ( 1 , 2 )", "is definite, but has roles"),
        ("Emma ( 0 ) ; cat ( 1 )", "no place for 'Emma', which has no role"),
        ("Emma ( 0 ) ; nmod . in ( 0 , 1 ) AND cat ( 1 )", "names have no roles"),
        ("Emma ( 0 ) ; Liam ( 0 ) ; see ( 1 ) AND agent ( 1 , 0 )", "two names"),
        ("Emma ( 0 ) ; cat ( 0 ) ; see ( 1 ) AND agent ( 1 , 0 )", "the name 'Emma' and a noun"),
        ("cat ( a )", "a letter where a constant should be"),
        ("* cat ( 1 )", "cogs has no such form; .* expected a predicate, found the end"),
    ],
)
def test_recogs_that_cogs_cannot_say(text: str, why: str) -> None:
    with pytest.raises(FormatError, match=why) as caught:
        converted(parse(text, "recogs"), "recogs", "cogs")
    assert caught.value.code == "K171"


@pytest.mark.parametrize(
    ("text", "sentence", "why"),
    [
        ("paint . theme ( x _ 3 , ? )", "What did Emma paint ?", r"ReCOGS has no '\?'"),
        ("eat . agent ( x _ 1 , Emma )", None, "needs the sentence"),
        ("cat ( x _ 0 ) AND eat . agent ( x _ 1 , Emma )", "Emma ate", "stands at 0 in the sent"),
        ("eat . agent ( x _ 1 , x _ 2 ) AND see . theme ( x _ 1 , x _ 2 )", "", "called both"),
        ("cat ( x _ 1 ) AND cat . agent ( x _ 1 , x _ 2 )", "", "both a noun and an event"),
        ("cat . nmod . in ( x _ 1 , x _ 2 )", "", "would lose 'cat'"),
        ("* TV ( x _ 1 ) ; see . theme ( x _ 2 , x _ 1 )", "", "found 'TV'"),
    ],
)
def test_what_recogs_cannot_say(text: str, sentence: str | None, why: str) -> None:
    with pytest.raises(FormatError, match=why) as caught:
        converted(parse(text, "slog"), "slog", "recogs", sentence)
    assert caught.value.code == "K171"


def test_only_names_need_the_sentence() -> None:
    assert to_recogs(parse("cat ( x _ 1 ) AND cat ( x _ 1 )"), None) == "cat ( 1 ) ; cat ( 1 )"


def test_a_lax_form_is_written_only_on_demand() -> None:
    form = parse("cat ( x _ 1 , x _ 2 )")
    assert converted(form, "cogs", "reduced", strict=False) == "cat 1 2"
    with pytest.raises(FormatError, match="1 argument of 'cat'"):
        converted(form, "cogs", "reduced")
