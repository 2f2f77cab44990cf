"""Random logical forms, and ways to write them differently or wrongly."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from karat.logic import Form, Term

WORDS = st.sampled_from(["cat", "dog", "eat", "see", "be"])
NAMES = st.sampled_from(["Emma", "Liam"])
CONSTANTS = st.integers(0, 4)
LETTERS = st.sampled_from("abe")
PREDICATES = st.lists(WORDS, min_size=1, max_size=3).map(".".join)


def _terms(arguments: st.SearchStrategy[int | str]) -> st.SearchStrategy[Term]:
    return st.builds(
        Term, PREDICATES, st.lists(arguments, min_size=1, max_size=2).map(lambda a: tuple(a))
    )


_ANY = st.one_of(CONSTANTS, CONSTANTS, CONSTANTS, NAMES, LETTERS)
_CONJUNCTIONS = st.lists(_terms(_ANY), min_size=1, max_size=6).map(lambda terms: tuple(terms))
_DEFINITE = st.builds(Term, WORDS, st.one_of(CONSTANTS, LETTERS).map(lambda a: (a,)))

IOTAS = st.builds(
    lambda definite, conjuncts: Form("iota", conjuncts, tuple(definite)),
    st.lists(_DEFINITE, max_size=2),
    _CONJUNCTIONS,
)
LAMBDAS = st.builds(
    lambda binders, conjuncts: Form("lambda", conjuncts, (), tuple(binders)),
    st.lists(LETTERS, min_size=1, max_size=3),
    _CONJUNCTIONS,
)
NAME_FORMS = NAMES.map(lambda name: Form("name", name=name))
FORMS = st.one_of(IOTAS, IOTAS, IOTAS, LAMBDAS, NAME_FORMS)


def shuffled(form: Form, seed: int) -> Form:
    """The same form with its terms in another order."""
    rng = random.Random(seed)
    definite, conjuncts = list(form.definite), list(form.conjuncts)
    rng.shuffle(definite)
    rng.shuffle(conjuncts)
    return Form(form.type, tuple(conjuncts), tuple(definite), form.binders, form.name)


def renamed(form: Form, seed: int) -> Form:
    """The same form with other numbers for its constants."""
    rng = random.Random(seed)
    old = form.constants()
    new = dict(zip(old, rng.sample(range(100), len(old)), strict=True))

    def of(term: Term) -> Term:
        return Term(
            term.predicate, tuple(new[a] if isinstance(a, int) else a for a in term.arguments)
        )

    return Form(
        form.type,
        tuple(map(of, form.conjuncts)),
        tuple(map(of, form.definite)),
        form.binders,
        form.name,
    )


def edited(form: Form, seed: int) -> Form:
    """The form with terms changed in one part, doubled, lost, or in or out of the prefix."""
    rng = random.Random(seed)
    parts = {True: list(form.definite), False: list(form.conjuncts)}
    for _ in range(rng.randint(1, 3)):
        definite = rng.random() < 0.4 and bool(parts[True])
        if not (terms := parts[definite]):
            break
        at = rng.randrange(len(terms))
        predicate, arguments = terms[at]
        how = rng.choice(["argument", "argument", "predicate", "double", "drop", "move"])
        if how == "argument":
            new: list[int | str] = list(arguments)
            new[rng.randrange(len(new))] = rng.choice([0, 1, 2, 7, 10**20, "a", "b"])
            terms[at] = Term(predicate, tuple(new))
        elif how == "predicate":
            words = predicate.split(".")
            words[rng.randrange(len(words))] = rng.choice(["cat", "dog", "eat"])
            terms[at] = Term(".".join(words), arguments)
        elif how == "double":
            terms.insert(rng.randrange(len(terms) + 1), terms[at])
        elif how == "drop" and len(terms) > 1:
            del terms[at]
        elif how == "move" and form.type == "iota" and (definite or len(terms) > 1):
            moved = terms.pop(at)
            fits = "." not in moved.predicate and len(moved.arguments) == 1
            fits = fits and (isinstance(moved.arguments[0], int) or len(moved.arguments[0]) == 1)
            parts[fits and not definite].append(moved)
    return Form(form.type, tuple(parts[False]), tuple(parts[True]), form.binders, form.name)


@st.composite
def damaged(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text with a few characters lost, doubled or exchanged."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(text) - 1, 0)))
        how = draw(st.sampled_from(["drop", "double", "put", "cut"]))
        if how == "drop":
            text = text[:at] + text[at + 1 :]
        elif how == "double":
            text = text[:at] + text[at : at + 1] + text[at:]
        elif how == "put":
            new = draw(st.sampled_from([*list("()*;,._xabeE0 \t"), "AND", "LAMBDA", "Emma", "é"]))
            text = text[:at] + new + text[at:]
        else:
            text = text[:at]
    return text
