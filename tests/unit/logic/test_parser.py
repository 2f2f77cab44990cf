"""The parser: what each dialect allows, and where it says a text goes wrong."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.logic import Flaw, Form, Term, parse, serialize, try_parse
from karat.logic.model import IllFormedError

GRAMMAR = r"""
start: name | iota* conjunction | lambda_ (lambda_ lambda_?)? conjunction
iota: "*" WORD "(" variable ")" ";"
lambda_: "LAMBDA" LVAR "."
conjunction: conjunct ("AND" conjunct)*
conjunct: predicate "(" argument ("," argument)? ")"
predicate: WORD ("." WORD ("." WORD)?)?
argument: name | variable
variable: "x" "_" DIGITS | LVAR
name: NAME
LVAR: /[abe]/
WORD: /[a-z]{2,}/
NAME: /[A-Z][a-z]+/
DIGITS: /[0-9]+/
%ignore /[ \t\r\n\f]+/
"""

FLAWS = [
    ("cogs", "", 0, "a logical form", "the end"),
    ("cogs", "cat ( x _ 1", 11, '"," or ")"', "the end"),
    ("cogs", "cat ( x _ 1 , x _ 2", 19, '")"', "the end"),
    ("cogs", "cat ( x _ 1 ) )", 14, '"AND" or the end', "')'"),
    ("cogs", "* cat ( x _ 1 ) dog ( x _ 2 )", 16, '";"', "'dog'"),
    ("cogs", "cat ( x 1 )", 8, '"_"', "'1'"),
    ("cogs", "cat ( x _ y )", 10, "a number", "'y'"),
    ("cogs", "ca t ( x _ 1 )", 3, '"." or "("', "'t'"),
    ("cogs", "cat . in . on . at ( a )", 14, '"("', "'.'"),
    ("cogs", "cat ( x _ 1 ) AND", 17, "a predicate", "the end"),
    ("cogs", "LAMBDA c . cat ( c )", 7, "a letter (a, b, e) after LAMBDA", "'c'"),
    ("cogs", "LAMBDA a . LAMBDA c . cat ( a )", 18, "a letter (a, b, e) after LAMBDA", "'c'"),
    ("cogs", "LAMBDA a cat ( a )", 9, '"."', "'cat'"),
    ("cogs", "Emma Liam", 5, "the end after a name", "'Liam'"),
    ("slog", "Emma Liam", 5, '"." or "("', "'Liam'"),
    ("slog", "AND ( x _ 1 )", 0, "a predicate", "'AND'"),
    ("recogs", "cat ( x _ 1 )", 6, "a number, or a letter (a, b, e)", "'x'"),
    ("recogs", "* Emma ( 1 )", 2, 'a word after "*"', "'Emma'"),
    ("recogs", "cat ( 1 ) ; ", 12, "a predicate", "the end"),
    ("recogs", "cat ( 1 ) dog ( 2 )", 10, '"AND", ";" or the end', "'dog'"),
    ("reduced", "cat . in", 8, '"." or a number, a letter (a, b, e) or a name', "the end"),
    ("reduced", "cat 1 2 3", 8, '"AND" or the end', "'3'"),
    ("reduced", "* cat 1 dog 2", 8, '";"', "'dog'"),
]


@pytest.mark.parametrize(("dialect", "text", "offset", "expected", "found"), FLAWS)
def test_flaws(dialect: str, text: str, offset: int, expected: str, found: str) -> None:
    assert try_parse(text, dialect) == Flaw(offset, expected, found)  # type: ignore[arg-type]


STRICT_FLAWS = [
    ("cat ( x _ 1 , x _ 2 )", 0, "1 argument of 'cat'"),
    ("dog ( x _ 1 ) AND see . agent ( x _ 2 )", 18, "2 arguments of 'see.agent'"),
    ("see . the . cat ( x _ 1 , x _ 2 )", 0, "'nmod' in the middle of a three-part predicate"),
    ("LAMBDA a . LAMBDA a . cat ( a )", 0, "distinct binders"),
    ("LAMBDA a . LAMBDA e . cat ( a )", 0, "a use of the bound letter 'e'"),
    ("LAMBDA a . cat ( a ) AND see . agent ( a , Emma )", 25, "bound letters only"),
    ("cat ( a )", 0, "no lambda letter without LAMBDA"),
    ("see . agent ( Emma , x _ 1 )", 0, "a constant as first argument"),
    ("* cat ( x _ 1 ) ; * dog ( x _ 01 ) ; cat ( x _ 1 )", 20, "one prefix term per constant"),
]


@pytest.mark.parametrize(("text", "offset", "expected"), STRICT_FLAWS)
def test_strict_flaws(text: str, offset: int, expected: str) -> None:
    assert isinstance(try_parse(text), Form)
    flaw = try_parse(text, "cogs", True)
    assert isinstance(flaw, Flaw)
    assert (flaw.offset, flaw.expected) == (offset, expected)


def test_recogs() -> None:
    text = "Liam ( 0 ) ; * box ( 4 ) ; burn ( 6 ) AND theme ( 6 , 4 ) AND nmod . in ( 4 , 0 )"
    form = parse(text, "recogs", strict=True)
    assert form.definite == (Term("box", (4,)),)
    assert [term.predicate for term in form.conjuncts] == ["Liam", "burn", "theme", "nmod.in"]
    assert parse(serialize(form, "recogs"), "recogs") == form
    only_definite = parse("* box ( 4 )", "recogs")
    assert parse(serialize(only_definite, "recogs"), "recogs") == only_definite
    assert parse("LAMBDA a . ball ( a )", "recogs") == parse("LAMBDA a . ball ( a )")
    for text in ("Liam ( 0 , 1 )", "in . the ( 1 , 2 )", "nmod . in ( 1 )", "cat ( a )"):
        assert isinstance(try_parse(text, "recogs"), Form)
        assert isinstance(try_parse(text, "recogs", True), Flaw)


def test_numbers_are_compared_as_numbers() -> None:
    assert parse("cat ( x _ 0012 )") == parse("cat ( x _ 12 )")
    assert parse("cat ( x _ " + "0" * 5000 + "7 )").constants() == [7]
    flaw = try_parse("dog ( x _ 1 ) AND cat ( x _ " + "9" * 5000 + " )")
    assert flaw == Flaw(28, "a number of at most 640 digits", "a longer one")


def test_the_error_keeps_its_facts() -> None:
    with pytest.raises(IllFormedError) as caught:
        parse("cat ( x _ 1")
    assert caught.value.flaw.offset == 11
    assert caught.value.code == "K170"
    restored = pickle.loads(pickle.dumps(caught.value))
    assert (str(restored), restored.flaw) == (str(caught.value), caught.value.flaw)


ALPHABET = st.sampled_from(
    ["cat", "eat", "a", "e", "x", "_", "1", "23", "Emma", "AND", "LAMBDA", "(", ")", ",", ".",
     ";", "*", " ", " ", " ", "\t", "\n", "E", "?", "é", "c"]
)  # fmt: skip
PIECES = st.sampled_from(
    ["cat ( x _ 1 )", "eat . agent ( e , a )", "* cat ( x _ 1 ) ;", "LAMBDA a .", "AND", "Emma",
     "in . nmod . on ( x _ 2 , Emma )", "(", ")", " ", "x _ 1 ,"]
)  # fmt: skip


@settings(max_examples=600, deadline=None)
@given(st.one_of(st.lists(ALPHABET, max_size=12), st.lists(PIECES, max_size=6)))
def test_well_formedness_is_that_of_the_grammar(parts: list[str]) -> None:
    lark = pytest.importorskip("lark")
    text = "".join(parts)
    if not hasattr(test_well_formedness_is_that_of_the_grammar, "peer"):
        # Earley with a dynamic lexer knows no longest match, and needs none.
        peer = lark.Lark(GRAMMAR, parser="earley", lexer="dynamic")
        test_well_formedness_is_that_of_the_grammar.peer = peer  # type: ignore[attr-defined]
    try:
        test_well_formedness_is_that_of_the_grammar.peer.parse(text)  # type: ignore[attr-defined]
        allowed = True
    except lark.exceptions.LarkError:
        allowed = False
    assert isinstance(try_parse(text), Form) == allowed
