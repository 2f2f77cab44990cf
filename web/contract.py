"""Writes src/contract.ts from the structs of karat.report.contract; run by scripts/web."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec.inspect as look

from karat.core.shown import Kind
from karat.report import contract

ROOTS = (contract.Page, contract.Block, contract.Selected, contract.Found, contract.Rescored)


class Writer:
    """Types of TypeScript, each struct once."""

    def __init__(self) -> None:
        self.written: dict[str, str] = {}

    def name(self, kind: look.Type) -> str:
        match kind:
            case look.StructType():
                self.struct(kind)
                return kind.cls.__name__
            case look.UnionType():
                return " | ".join(dict.fromkeys(self.name(each) for each in kind.types))
            case look.ListType() | look.VarTupleType():
                inner = self.name(kind.item_type)
                return f"({inner})[]" if "|" in inner else f"{inner}[]"
            case look.TupleType():
                return f"[{', '.join(map(self.name, kind.item_types))}]"
            case look.DictType():
                return f"Record<string, {self.name(kind.value_type)}>"
            case look.NoneType():
                return "null"
            case look.BoolType():
                return "boolean"
            case look.IntType() | look.FloatType():
                return "number"
            case look.StrType():
                return "string"
        raise TypeError(f"no type for {kind}")

    def struct(self, kind: look.StructType) -> None:
        name = kind.cls.__name__
        if name in self.written:
            return
        self.written[name] = ""
        fields = [(each.encode_name, self.name(each.type)) for each in kind.fields]
        said = (kind.cls.__doc__ or "").strip().splitlines()[0]
        if kind.array_like:
            tag = [f'tag: "{kind.tag}"'] if kind.tag else []
            body = ", ".join([*tag, *(f"{field}: {type}" for field, type in fields)])
            text = f"/** {said} */\nexport type {name} = [{body}];\n"
        else:
            body = "".join(f"  {field}: {type};\n" for field, type in fields)
            text = f"/** {said} */\nexport interface {name} {{\n{body}}}\n"
        self.written[name] = text


def text() -> str:
    """The whole file."""
    writer = Writer()
    for root in ROOTS:
        writer.name(look.type_info(root))
    kinds = ", ".join(f'"{kind.name.lower()}"' for kind in Kind)
    parts = [
        "// Made from karat.report.contract by scripts/web. Do not edit.\n",
        f'export const SCHEMA = "{contract.SCHEMA}";\n',
        f"/** What marks say, by their numbers. */\nexport const KINDS = [{kinds}] as const;\n",
        *writer.written.values(),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text())
