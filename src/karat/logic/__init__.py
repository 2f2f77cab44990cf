"""Logical forms: COGS, SLOG, ReCOGS, variable-free and token-reduced forms."""

from karat.logic.convert import to_recogs, to_varfree
from karat.logic.model import Flaw, Form, Term, serialize
from karat.logic.parser import Tree, parse, parse_varfree, serialize_varfree, try_parse
from karat.logic.semantic import same_meaning

__all__ = [
    "Flaw",
    "Form",
    "Term",
    "Tree",
    "parse",
    "parse_varfree",
    "same_meaning",
    "serialize",
    "serialize_varfree",
    "to_recogs",
    "to_varfree",
    "try_parse",
]
