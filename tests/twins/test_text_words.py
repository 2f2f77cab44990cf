"""Tokenizers that are kernels, against their definitions by regular expressions."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from karat.core.reading.strings import Strings, Tokenizer, words_of
from karat.text.words import unicode

# What the tokenizers treat in their own ways, white space of all kinds, and some of the rest.
_PIECES = [
    *"ab01.,-&<>;\n\r\t '\"()/#~{}[]`@:",
    *("&amp;", "&lt;", "&gt;", "&quot;", "&amp;lt;", "<skipped>", "<ski<skipped>pped>", "-\n"),
    *(chr(code) for code in range(0x3001) if chr(code).isspace()),
    *("é", "\u0130", "\u212a", "中", "\U0001f600", "\u200b", "\ufeff", "\ud800"),
]
texts = st.lists(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join), max_size=6)


def mteval_13a(text: str) -> list[str]:
    """NIST's mteval-v13a, as sacreBLEU reads it."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, character)
    text = re.sub(r"([ -&(-+/:-@\[-`{-~])", r" \1 ", f" {text} ")
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    return re.sub(r"([0-9])(-)", r"\1 \2 ", text).split()


def spelt_words(each: list[str], tokenizer: Tokenizer) -> list[list[list[str]]]:
    found = words_of(Strings.of(each), tokenizer)
    spelt = found.words.decoded()
    assert len(set(spelt)) == len(spelt)
    lines = [
        [spelt[number] for number in found.tokens[begin:end]]
        for begin, end in zip(found.lines[:-1], found.lines[1:], strict=True)
    ]
    bounds = zip(found.texts[:-1], found.texts[1:], strict=True)
    return [lines[begin:end] for begin, end in bounds]


@given(texts)
def test_13a(each: list[str]) -> None:
    assert spelt_words(each, "13a") == [[mteval_13a(text)] for text in each]


@given(texts)
def test_white_space(each: list[str]) -> None:
    assert spelt_words(each, "none") == [[text.split()] for text in each]


@given(texts)
def test_characters(each: list[str]) -> None:
    assert spelt_words(each, "char") == [[[c for c in text if not c.isspace()]] for text in each]


@given(texts)
def test_ascii_words(each: list[str]) -> None:
    assert spelt_words(each, "ascii") == [
        [re.findall(r"[a-z0-9]+", re.sub("[A-Z]", lambda m: m[0].lower(), line), re.ASCII)
         for line in text.split("\n") if line]
        for text in each
    ]  # fmt: skip


def test_many_words() -> None:
    """More words than the first table of the vocabulary has room for."""
    names = [f"w{i}" for i in range(20_000)]
    found = words_of(Strings.of([" ".join(names), " ".join(reversed(names))]), "none")
    assert found.words.decoded() == names
    assert found.tokens.tolist() == [*range(20_000), *reversed(range(20_000))]


@given(st.text(st.characters(max_codepoint=127), max_size=40) | st.text("aZ1_'.,;: ", max_size=30))
def test_words_of_ascii_are_those_of_any_script(text: str) -> None:
    """The short way for ASCII finds what the pattern for all of Unicode finds."""
    assert unicode.words(text) == unicode.word_pattern().findall(text.casefold())
