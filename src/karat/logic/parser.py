"""Parser of logical forms: one pass over whole terms; where that fails, terminal by terminal.

The fast pass matches a term at a time. Only when it stops does the slow walk
go through the terminals of the term it stopped at, to say where and why.
Neither calls itself, so no input is too deep.
"""

from __future__ import annotations

import re
from functools import lru_cache

from karat.logic.grammar import (
    BINDER,
    BLANKS,
    LETTER,
    NAME,
    NAME_FORM,
    Dialect,
    dialect_of,
    strict_flaw,
)
from karat.logic.model import Argument, DialectName, Flaw, Form, FormType, Term

MOST_BINDERS = 3
MOST_DIGITS = 640  # what every Python converts, whatever limit is set
LONG = 20_000
"""Results of longer texts are not cached."""
_BLANKS = re.compile(BLANKS)
_BLANK_CHARACTERS = frozenset(" \t\r\n\f")
_LETTERS = re.compile(r"[A-Za-z]+")


def parse(text: str, dialect: DialectName = "cogs", *, strict: bool = False) -> Form:
    """Parses a text; a FormatError says where it is ill-formed.

    >>> parse("* cat ( x _ 1 ) ; run . agent ( x _ 2 , x _ 1 )").conjuncts
    (Term(predicate='run.agent', arguments=(2, 1)),)
    >>> parse("run . agent ( x _ 2 x _ 1 )")
    Traceback (most recent call last):
        ...
    karat.logic.model.IllFormedError: ...ill-formed at offset 20: expected "," or ")", found 'x'
    """
    form = try_parse(text, dialect, strict)
    if isinstance(form, Flaw):
        raise form.error()
    return form


def try_parse(text: str, dialect: DialectName = "cogs", strict: bool = False) -> Form | Flaw:
    """The form, or the flaw of an ill-formed text; recent results are cached."""
    return (_parse if len(text) < LONG else _parse.__wrapped__)(text, dialect, strict)


@lru_cache(maxsize=4096)
def _parse(text: str, name: DialectName, strict: bool) -> Form | Flaw:
    dialect = dialect_of(name)
    if match := NAME_FORM.match(text):
        return Form("name", name=match[1])
    binders, position = _binders(text)
    if dialect.mixed and not binders:
        form = _in_any_order(text, dialect)
    else:
        form = _prefix_first(text, dialect, position, binders)
    if isinstance(form, Flaw):
        return form
    if flaw := _too_long(text, form):
        return flaw
    if strict:
        return strict_flaw(form, name, lambda: _term_offsets(text, dialect)) or form
    return form


def _binders(text: str) -> tuple[tuple[str, ...], int]:
    binders: list[str] = []
    position = 0
    while len(binders) < MOST_BINDERS and (match := BINDER.match(text, position)):
        binders.append(match[1])
        position = match.end()
    return tuple(binders), position


def _prefix_first(
    text: str, dialect: Dialect, position: int, binders: tuple[str, ...]
) -> Form | Flaw:
    """Binders or prefix terms, then conjuncts up to the end."""
    definite: list[Term] = []
    argument_of = _argument if len(text) < LONG else _argument.__wrapped__
    if not binders:
        while match := dialect.definite.match(text, position):
            definite.append(Term(match[1], (argument_of(match[2]),)))
            position = match.end()
    conjuncts: list[Term] = []
    next_term = (dialect.lambda_term if binders else dialect.term).match
    while match := next_term(text, position):
        predicate, first, second, link = match.groups()
        if second is None:
            conjuncts.append(Term(_dotted(predicate), (argument_of(first),)))
        else:
            conjuncts.append(Term(_dotted(predicate), (argument_of(first), argument_of(second))))
        position = match.end()
        if not link:
            kind: FormType = "lambda" if binders else "iota"
            return Form(kind, tuple(conjuncts), tuple(definite), binders)
    walk = _Walk(text, position, dialect)
    if binders and not conjuncts and len(binders) < MOST_BINDERS and walk.sees("LAMBDA"):
        return walk.binder()
    if binders or conjuncts:
        return walk.term(opening=False, ending=("AND",))
    return walk.opening() if not definite else walk.prefix_or_term()


def _in_any_order(text: str, dialect: Dialect) -> Form | Flaw:
    """Terms and starred terms, separated by ``;`` or ``AND``."""
    definite: list[Term] = []
    conjuncts: list[Term] = []
    position = 0
    while True:
        if match := dialect.definite.match(text, position):
            word, first, link = match.groups()
            definite.append(Term(word, (_argument.__wrapped__(first),)))
        elif match := dialect.term.match(text, position):
            predicate, first, second, link = match.groups()
            arguments = (first,) if second is None else (first, second)
            conjuncts.append(Term(_dotted(predicate), tuple(map(_argument.__wrapped__, arguments))))
        else:
            walk = _Walk(text, position, dialect)
            return walk.prefix_or_term() if position else walk.opening()
        position = match.end()
        if not link:
            return Form("iota", tuple(conjuncts), tuple(definite))


def _dotted(raw: str) -> str:
    return "".join(raw.split()) if " " in raw or "." in raw else raw


@lru_cache(maxsize=4096)
def _argument(raw: str) -> Argument:
    digits = raw.rpartition("_")[2].strip()
    if digits.isdigit():
        digits = digits.lstrip("0")
        return int(digits or "0") if len(digits) <= MOST_DIGITS else -1
    return raw


def _too_long(text: str, form: Form) -> Flaw | None:
    """The flaw of a constant with too many digits, which `_argument` marks by -1."""
    if all(-1 not in term.arguments for term in form.terms):
        return None
    match = re.search(rf"(?<![0-9])0*[1-9][0-9]{{{MOST_DIGITS},}}", text)
    assert match is not None
    return Flaw(match.start(), f"a number of at most {MOST_DIGITS} digits", "a longer one")


def _term_offsets(text: str, dialect: Dialect) -> list[int]:
    """Where the terms of a well-formed text begin: prefix, then conjuncts, in order."""
    binders, position = _binders(text)
    definite: list[int] = []
    conjuncts: list[int] = []
    while position < len(text):
        starts = definite
        match = None if binders else dialect.definite.match(text, position)
        if match is None:
            starts = conjuncts
            match = (dialect.lambda_term if binders else dialect.term).match(text, position)
            assert match is not None
        starts.append(match.start(1))
        position = match.end()
    return definite + conjuncts


class _Walk:
    """Goes through one term, terminal by terminal, up to the first that does not fit."""

    def __init__(self, text: str, position: int, dialect: Dialect) -> None:
        self.text = text
        self.position = position
        self.dialect = dialect
        self.ending = ("AND", ";") if dialect.mixed else ("AND",)

    def opening(self) -> Flaw:
        """The flaw at the beginning of a form."""
        is_word = self._match(self.dialect.word)
        if self.sees("LAMBDA") and not is_word:
            return self.binder()
        if not self.dialect.mixed and not is_word and self._take(NAME):
            return self._expected("the end after a name")
        if self.sees("*"):
            return self._definite()
        return self.term(opening=True, ending=self.ending)

    def prefix_or_term(self) -> Flaw:
        """The flaw of the prefix term or conjunct that begins here."""
        return self._definite() if self.sees("*") else self.term(False, self.ending)

    def binder(self) -> Flaw:
        self._take("LAMBDA")
        if not self._take(LETTER):
            return self._expected("a letter (a, b, e) after LAMBDA")
        return self._expected('"."')

    def term(self, opening: bool, ending: tuple[str, ...]) -> Flaw:
        if self.dialect.mixed and self._take(NAME):
            return self._arguments('"("', ending)
        if not self._take(self.dialect.word):
            return self._expected("a logical form" if opening and self._at_end() else "a predicate")
        parts = 1
        while parts < 3 and self._take("."):
            if not self._take(self.dialect.word):
                return self._expected("a word")
            parts += 1
        opened = '"("' if self.dialect.bracketed else self.dialect.arguments
        return self._arguments(opened if parts == 3 else f'"." or {opened}', ending)

    def _arguments(self, opened: str, ending: tuple[str, ...]) -> Flaw:
        dialect = self.dialect
        if not dialect.bracketed:
            if not self._take_apart(dialect.argument):
                return self._expected(opened)
            self._take_apart(dialect.argument)
            return self._link(ending)
        if not self._take("("):
            return self._expected(opened)
        if not self._take(dialect.argument):
            return self._no_argument(dialect.arguments)
        closing = '"," or ")"'
        if self._take(","):
            if not self._take(dialect.argument):
                return self._no_argument(dialect.arguments)
            closing = '")"'
        return self._link(ending) if self._take(")") else self._expected(closing)

    def _definite(self) -> Flaw:
        dialect = self.dialect
        self._take("*")
        if not self._take(dialect.word):
            return self._expected('a word after "*"')
        if dialect.bracketed and not self._take("("):
            return self._expected('"("')
        if not (self._take if dialect.bracketed else self._take_apart)(dialect.variable):
            return self._no_argument(dialect.variables)
        if dialect.bracketed and not self._take(")"):
            return self._expected('")"')
        if not dialect.mixed:
            return self._expected("a predicate" if self._take(";") else '";"')
        return self._link(self.ending)

    def _link(self, ending: tuple[str, ...]) -> Flaw:
        if any(self._take(each) for each in ending):
            return self._expected("a predicate")
        return self._expected(", ".join(f'"{each}"' for each in ending) + " or the end")

    def _no_argument(self, what: str) -> Flaw:
        """An argument that begins as a constant is followed as far as it goes."""
        if self.dialect.bracketed and not self.dialect.mixed and self._take("x"):
            return self._expected("a number" if self._take("_") else '"_"')
        return self._expected(what)

    # -- terminals --------------------------------------------------------------

    def sees(self, literal: str) -> bool:
        return self.text.startswith(literal, self._skip())

    def _skip(self) -> int:
        match = _BLANKS.match(self.text, self.position)
        assert match is not None
        self.position = match.end()
        return self.position

    def _at_end(self) -> bool:
        return self._skip() == len(self.text)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        return pattern.match(self.text, self._skip())

    def _take(self, terminal: str | re.Pattern[str]) -> bool:
        if isinstance(terminal, str):
            end = self.position + len(terminal) if self.sees(terminal) else -1
        else:
            match = self._match(terminal)
            end = match.end() if match else -1
        if end >= 0:
            self.position = end
        return end >= 0

    def _take_apart(self, terminal: re.Pattern[str]) -> bool:
        """Like `_take`, but only after a blank: nothing else sets arguments apart."""
        before = self.text[max(self._skip() - 1, 0) : self.position]
        return before in _BLANK_CHARACTERS and self._take(terminal)

    def _expected(self, what: str) -> Flaw:
        if self._at_end():
            return Flaw(self.position, what, "the end")
        match = _LETTERS.match(self.text, self.position)
        found = match[0][:40] if match else self.text[self.position]
        return Flaw(self.position, what, repr(found))
