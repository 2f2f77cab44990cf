"""Keys that stand twice in one object of JSON, of which every decoder takes the last, silently.

Records are read so, with a warning (`Source.keys`); settings are refused. Documents that are
compared have rules of their own (`karat.records`).
"""

from __future__ import annotations

import msgspec

from karat.errors import counted

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoders raise where content is no JSON, or is nested too deeply."""


def doubled_key(text: bytes | str) -> str:
    """The first key that an object of a document has twice; empty where there is none.

    >>> doubled_key('{"a": {"b": 1, "b": 2}}')
    'b'
    """
    from karat._native import doubled_keys

    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    count, _, name = doubled_keys(data, False, True)
    return (name.decode("utf-8", "replace") or "''") if count else ""


class DoubledKeys:
    """The records of a file that have a key twice."""

    def __init__(self, *, deep: bool) -> None:
        self.deep = deep
        self.begin()

    def begin(self) -> None:
        """The file is read from its beginning."""
        self.count, self.first, self.noun = 0, "", "record"

    def see(self, data: bytes, lines_before: int, *, lines: bool) -> None:
        """Looks at whole lines, each of which is a record, or at one document."""
        from karat._native import doubled_keys

        count, line, name = doubled_keys(data, lines, self.deep)
        if count and not self.count:
            shown = name.decode("utf-8", "replace")
            self.first = f"{shown!r} in line {lines_before + line + 1}"
            self.noun = "record" if lines else "object"
        self.count += count

    def warnings(self) -> list[str]:
        if not self.count:
            return []
        those = counted(self.count, f"{self.noun} has", f"{self.noun}s have")
        return [f"{those} a key twice, the last counts: {self.first}"]
