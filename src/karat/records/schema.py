"""JSON Schema: whether outputs satisfy it, and settings of paths that it holds."""

from __future__ import annotations

import json
from typing import Any

from karat.core.files.opener import Source
from karat.errors import MissingExtra, OptionError
from karat.records.settings import canonical, pointer

KEYWORD = "x-karat"
_DEEPEST = 50


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
            self.content: Any = json.loads(Source(path).text())
            checker = jsonschema.Draft202012Validator
            checker.check_schema(self.content)
        except (ValueError, RecursionError) as error:
            raise OptionError(f"{path} is not JSON: {error}", code="K376") from None
        except jsonschema.exceptions.SchemaError as error:
            raise OptionError(f"{path} is no JSON schema: {error.message}", code="K376") from None
        # An empty registry knows local references only, and fetches nothing.
        self._validator = checker(self.content, registry=referencing.Registry())

    def problems(self, text: bytes) -> list[str]:
        """What is wrong with a document: each problem with its path."""
        import referencing.exceptions

        try:
            value = json.loads(text, parse_constant=_refuse)
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
        found: dict[str, Any] = {}
        self._walk(self.content, (), found, 0)
        canonical(found)  # which refuses what is no setting
        return found

    def _walk(
        self, schema: Any, path: tuple[str | None, ...], found: dict[str, Any], depth: int
    ) -> None:
        if not isinstance(schema, dict) or depth > _DEEPEST:
            return
        if KEYWORD in schema:
            found.setdefault(pointer(path), schema[KEYWORD])
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference.startswith("#"):
            self._walk(self._at(reference[1:]), path, found, depth + 1)
        for key, below in _tables(schema.get("properties")):
            self._walk(below, (*path, key), found, depth + 1)
        for name in ("items", "additionalProperties"):
            self._walk(schema.get(name), (*path, None), found, depth + 1)
        for name in ("allOf", "anyOf", "oneOf"):
            for below in schema.get(name) or ():
                self._walk(below, path, found, depth + 1)

    def _at(self, reference: str) -> Any:
        value = self.content
        for step in reference.split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            value = value.get(name) if isinstance(value, dict) else None
        return value


def _tables(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
