"""A parser of logical forms in plain Python: the judge of the native one.

It matches a term at a time; where that stops, it goes through the terminals of the term, to say
where and why. Every pattern is linear on any input.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from karat.logic.model import Argument, DialectName, Flaw, Form, FormType, Term
from karat.logic.parser import Tree, strict_flaw

BLANKS = r"[ \t\r\n\f]*"
_SOME_BLANKS = r"[ \t\r\n\f]+"
_LOWER = r"[a-z]{2,}"
_ANY_CASE = r"(?!(?:AND|LAMBDA)(?![A-Za-z]))[A-Za-z]{2,}"
_NAME = r"[A-Z][a-z]+"
_LETTER = r"[abe]"
_CONSTANT = rf"x{BLANKS}_{BLANKS}[0-9]+"
_INTEGER = r"[0-9]+"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The notation of a dialect as patterns.

    Groups of `term`: predicate, two arguments, what follows.
    """

    name: DialectName
    word: re.Pattern[str]
    """One part of a predicate."""
    argument: re.Pattern[str]
    arguments: str
    """What an argument may be, in words."""
    variable: re.Pattern[str]
    variables: str
    term: re.Pattern[str]
    lambda_term: re.Pattern[str]
    """A term below lambda binders."""
    definite: re.Pattern[str]
    """A prefix term; groups: word, variable, what follows."""
    bracketed: bool
    """Whether arguments stand in parentheses, separated by commas."""
    mixed: bool
    """Whether prefix terms and conjuncts may come in any order, and names are predicates."""


def _dialect(
    name: DialectName,
    *,
    word: str = _LOWER,
    predicate: str = "",
    constant: str = _CONSTANT,
    literals: str = _NAME,
    arguments: str,
    bracketed: bool = True,
    mixed: bool = False,
) -> Dialect:
    b, dotted = BLANKS, rf"{word}(?:{BLANKS}\.{BLANKS}{word}){{0,2}}"
    variable = rf"{constant}|{_LETTER}"
    argument = rf"{variable}|{literals}" if literals else variable
    if bracketed:
        one = rf"{b}\({b}({variable}){b}\){b}"
        some = rf"{b}\({b}({argument}){b}(?:,{b}({argument}){b})?\){b}"
    else:
        one = rf"{_SOME_BLANKS}({variable}){b}"
        some = rf"{_SOME_BLANKS}({argument})(?:{_SOME_BLANKS}({argument}))?{b}"
    link = r"(AND|;|\Z)" if mixed else r"(AND|\Z)"
    return Dialect(
        name,
        word=re.compile(word),
        argument=re.compile(argument),
        arguments=arguments,
        variable=re.compile(variable),
        variables=arguments.partition(",")[0] + " or a letter (a, b, e)",
        term=re.compile(rf"{b}({predicate or dotted}){some}{link}"),
        lambda_term=re.compile(rf"{b}({dotted}){some}(AND|\Z)"),
        definite=re.compile(rf"{b}\*{b}({word}){one}{link if mixed else '(;)'}"),
        bracketed=bracketed,
        mixed=mixed,
    )


NAME = re.compile(_NAME)
LETTER = re.compile(_LETTER)
BINDER = re.compile(rf"{BLANKS}LAMBDA{BLANKS}({_LETTER}){BLANKS}\.")
NAME_FORM = re.compile(rf"{BLANKS}({_NAME}){BLANKS}\Z")

_OF_DIALECTS: dict[DialectName, Callable[[], Dialect]] = {
    "cogs": partial(_dialect, "cogs", arguments="'x _ number', a letter (a, b, e) or a name"),
    "slog": partial(
        _dialect,
        "slog",
        word=_ANY_CASE,
        literals=rf"{_NAME}|\?",
        arguments="'x _ number', a letter (a, b, e), a name or '?'",
    ),
    "recogs": partial(
        _dialect,
        "recogs",
        predicate=rf"{_NAME}|{_LOWER}(?:{BLANKS}\.{BLANKS}{_LOWER}){{0,2}}",
        constant=_INTEGER,
        literals="",
        arguments="a number, or a letter (a, b, e)",
        mixed=True,
    ),
    "reduced": partial(
        _dialect,
        "reduced",
        constant=_INTEGER,
        arguments="a number, a letter (a, b, e) or a name",
        bracketed=False,
    ),
}


@cache
def dialect_of(name: DialectName) -> Dialect:
    """The notation of a dialect; kernels do without, and its patterns take 3 ms to compile."""
    return _OF_DIALECTS[name]()


MOST_BINDERS = 3
MOST_DIGITS = 640  # what every Python converts, whatever limit is set
_BLANKS = re.compile(BLANKS)
_BLANK_CHARACTERS = frozenset(" \t\r\n\f")
_LETTERS = re.compile(r"[A-Za-z]+")


def parsed(text: str, name: DialectName, strict: bool = False) -> Form | Flaw:
    """The form, or where a text is ill-formed."""
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
        return strict_flaw(form, name, _term_offsets(text, dialect)) or form
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
    if not binders:
        while match := dialect.definite.match(text, position):
            definite.append(Term(match[1], (_argument(match[2]),)))
            position = match.end()
    conjuncts: list[Term] = []
    next_term = (dialect.lambda_term if binders else dialect.term).match
    while match := next_term(text, position):
        predicate, first, second, link = match.groups()
        if second is None:
            conjuncts.append(Term(_dotted(predicate), (_argument(first),)))
        else:
            conjuncts.append(Term(_dotted(predicate), (_argument(first), _argument(second))))
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
            definite.append(Term(word, (_argument(first),)))
        elif match := dialect.term.match(text, position):
            predicate, first, second, link = match.groups()
            arguments = (first,) if second is None else (first, second)
            conjuncts.append(Term(_dotted(predicate), tuple(map(_argument, arguments))))
        else:
            walk = _Walk(text, position, dialect)
            return walk.prefix_or_term() if position else walk.opening()
        position = match.end()
        if not link:
            return Form("iota", tuple(conjuncts), tuple(definite))


def _dotted(raw: str) -> str:
    return "".join(raw.split()) if " " in raw or "." in raw else raw


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
        if self.dialect.mixed and ";" in ending and self._take(NAME):
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


# -- variable-free forms ---------------------------------------------------------------

_TOKEN = re.compile(r"[ \t\r\n\f]*(?:([A-Za-z]+)|([*().,=?]))")
_TREE_BLANKS = re.compile(r"[ \t\r\n\f]*")
_TREE_NAME = re.compile(r"[A-Z][a-z]+\Z")


def parsed_tree(text: str) -> Tree | Flaw:
    """The tree of a variable-free form, or where it is ill-formed."""
    if text.lstrip(" \t\r\n\f").startswith("LAMBDA"):
        form = parsed(text, "cogs")
        return form if isinstance(form, Flaw) else Tree(form=form)
    return _Reader(text).read()


class _Reader:
    """Node by node, with the open nodes on a stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.start = 0
        self.labels: list[str] = []
        self.parents: list[int] = []
        self.roles: list[str] = []

    def read(self) -> Tree | Flaw:
        open_nodes: list[int] = []
        role = ""
        while True:
            node = len(self.labels)
            may_open = self._node(open_nodes[-1] if open_nodes else -1, role)
            if isinstance(may_open, Flaw):
                return may_open
            mark = self._next()
            if mark == "(":
                if not may_open:
                    return self._flaw('"," or ")"' if open_nodes else "the end")
                open_nodes.append(node)
            else:
                while mark == ")" and open_nodes:
                    open_nodes.pop()
                    mark = self._next()
                    may_open = False
                if not open_nodes:
                    if mark is None and self._at_end():
                        return Tree(tuple(self.labels), tuple(self.parents), tuple(self.roles))
                    return self._flaw('"(" or the end' if may_open else "the end")
                if mark != ",":
                    return self._flaw('"(", "," or ")"' if may_open else '"," or ")"')
            found = self._role()
            if isinstance(found, Flaw):
                return found
            role = found

    def _node(self, parent: int, role: str) -> bool | Flaw:
        """Adds a node; returns whether it may have children."""
        word = self._next()
        star = word == "*"
        if star:
            word = self._next()
        is_name = word is not None and _TREE_NAME.match(word) is not None
        if word == "?" and not star:
            may_open = False
        elif not _is_word(word) or (star and is_name):
            return self._flaw("a word" if star else 'a word, a name, "*" or "?"')
        else:
            may_open = not is_name
        self.labels.append(f"* {word}" if star else str(word))
        self.parents.append(parent)
        self.roles.append(role)
        return may_open

    def _role(self) -> str | Flaw:
        first = self._next()
        if not _is_word(first):
            return self._flaw("a role")
        mark = self._next()
        role = str(first)
        if mark == ".":
            second = self._next()
            if not _is_word(second):
                return self._flaw("a word")
            role = f"{first} . {second}"
            mark = self._next()
        return role if mark == "=" else self._flaw('"="' if " " in role else '"." or "="')

    def _next(self) -> str | None:
        """The next terminal; None at the end and before a character that begins none."""
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            self.start = self.position
            return None
        self.start = match.start(match.lastindex or 0)
        self.position = match.end()
        return match[1] or match[2]

    def _skip(self, position: int) -> int:
        match = _TREE_BLANKS.match(self.text, position)
        assert match is not None
        return match.end()

    def _at_end(self) -> bool:
        return self._skip(self.position) == len(self.text)

    def _flaw(self, expected: str) -> Flaw:
        offset = self._skip(self.start)
        match = _TOKEN.match(self.text, offset)
        found = (match[1] or match[2])[:40] if match else self.text[offset : offset + 1]
        return Flaw(offset, expected, repr(found) if found else "the end")


def _is_word(token: str | None) -> bool:
    return token is not None and len(token) > 1 and token not in ("AND", "LAMBDA")
