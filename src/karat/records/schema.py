"""JSON Schema: whether outputs satisfy it, and settings of paths that it holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from karat.core.files.notations import doubled_key
from karat.core.files.opener import Source
from karat.errors import MissingExtra, OptionError
from karat.records.settings import canonical, pointer, split_pointer

KEYWORD = "x-karat"
_MOST_PLACES = 10_000
_MOST_DIGITS = 200_000


class Schema:
    """A schema of draft 2020-12; nothing that it refers to is fetched."""

    def __init__(self, path: str) -> None:
        self.name = path
        try:
            import jsonschema
            import referencing
        except ImportError:
            raise MissingExtra.package("jsonschema", "records", "``schema``") from None
        try:
            text = Source(path).text()
            self.content: Any = json.loads(text)
            if name := doubled_key(text):
                raise OptionError(f"{path} has the key {name!r} twice in one object", code="K376")
            self._has_settings = KEYWORD in json.dumps(self.content)
            checker = jsonschema.Draft202012Validator
            checker.check_schema(self.content)
        except (ValueError, RecursionError) as error:
            raise OptionError(f"{path} is not JSON: {error}", code="K376") from None
        except jsonschema.exceptions.SchemaError as error:
            raise OptionError(
                f"{path} is not a JSON schema: {error.message}", code="K376"
            ) from None
        # An empty registry knows local references only, and fetches nothing.
        self._validator = checker(self.content, registry=referencing.Registry())

    def problems(self, text: bytes) -> list[str]:
        """What is wrong with a document: each problem with its path."""
        import referencing.exceptions

        try:
            value = json.loads(text, parse_constant=_refuse, parse_int=_number, parse_float=_number)
        except (ValueError, RecursionError):
            return ["it is not JSON"]
        try:
            found = sorted(
                self._validator.iter_errors(value), key=lambda each: list(map(str, each.path))
            )
        except RecursionError:
            return ["it is nested too deeply"]
        except referencing.exceptions.Unresolvable as error:
            raise OptionError(
                f"{self.name} refers to {error.ref!r}, which is not in it; nothing is fetched",
                code="K376",
            ) from None
        return [
            f"{pointer(map(str, each.absolute_path)) or 'the whole'}: {each.message[:200]}"
            for each in found
        ]

    def is_valid(self, text: bytes) -> bool:
        """Whether a document is JSON and satisfies the schema."""
        return not self.problems(text)

    def settings(self) -> dict[str, Any]:
        """The settings of paths that the schema gives (``x-karat``)."""
        if not self._has_settings:
            return {}
        found: dict[str, Any] = {}
        waiting: list[tuple[Any, tuple[str | None, ...], frozenset[str]]] = [
            (self.content, (), frozenset())
        ]
        places = 0
        while waiting:
            schema, path, followed = waiting.pop()
            if not isinstance(schema, dict):
                continue
            places += 1
            if places > _MOST_PLACES:
                raise OptionError(
                    f"{self.name} describes more than {_MOST_PLACES:,} places, too many for "
                    f"{KEYWORD!r} in it",
                    code="K376",
                    advice="give the settings with ``paths``",
                )
            if KEYWORD in schema:
                found.setdefault(pointer(path), schema[KEYWORD])
            waiting += reversed(list(self._below(schema, path, followed)))
        canonical(found)  # which refuses what is no setting
        return found

    def _below(
        self, schema: dict[str, Any], path: tuple[str | None, ...], followed: frozenset[str]
    ) -> Iterator[tuple[Any, tuple[str | None, ...], frozenset[str]]]:
        """What a schema says of its place and of those below; recursion is followed once."""
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#") and reference not in followed:
            yield self._at(reference[1:]), path, followed | {reference}
        for key, below in _tables(schema.get("properties")):
            yield below, (*path, key), followed
        for name in ("items", "additionalProperties"):
            yield schema.get(name), (*path, None), followed
        for name in ("allOf", "anyOf", "oneOf"):
            for below in schema.get(name) or ():
                yield below, path, followed

    def _at(self, reference: str) -> Any:
        value = self.content
        for name in split_pointer(reference):
            value = value.get(name) if isinstance(value, dict) else None
        return value


def _tables(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


class _Long(int):
    """A whole number with more digits than Python prints."""

    def __repr__(self) -> str:
        return "a number of thousands of digits"

    __str__ = __repr__


def _number(text: str) -> int | float:
    """A number by its value: 1.0 and 10e-1 are whole. A Decimal has no limit of digits."""
    try:
        exact = Decimal(text)
        if exact.adjusted() < _MOST_DIGITS and exact == exact.to_integral_value():
            return int(exact) if exact.adjusted() < 1000 else _Long(exact)
    except ArithmeticError:
        pass  # too large or too small for a Decimal
    return float(text)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
