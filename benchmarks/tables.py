"""Tables of measurements in pages of the documentation, each between two markers of its own.

A script that measures some rows writes these alone: a row of the page that has the same first cells
is replaced, all others stay, and nothing is written if a row has not the columns of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

PERFORMANCE = Path(__file__).parents[1] / "docs" / "performance.md"


def put_rows(
    name: str, head: str, rows: Sequence[str], keys: int, page: Path = PERFORMANCE
) -> None:
    """Puts rows into the table of this name; the first `keys` cells tell rows apart."""
    whole = page.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}: written by ", f"<!-- end of {name} -->\n"
    if whole.count(begin) != 1 or whole.count(end) != 1:
        raise SystemExit(f"{page.name} has no place for the table {name!r}")
    before, _, rest = whole.partition(begin)
    script, _, rest = rest.partition("\n")
    old, _, after = rest.partition(end)
    titles = cells(head)
    rule = f"|{'|'.join('---' if i == 0 else '---:' for i in range(len(titles)))}|"
    known = [line for line in old.splitlines() if line.startswith("|")]
    if known and cells(known[0]) == titles:
        rule = known[1]
        known = known[2:]
    else:  # the columns are others than they were, and so is every row
        known = []
    table: dict[tuple[str, ...], str] = {}
    for row in (*known, *rows):
        own = cells(row)
        if len(own) != len(titles):
            raise SystemExit(
                f"the table {name!r} has {len(titles)} columns, a row {len(own)}: {row}"
            )
        table[tuple(own[:keys])] = row
    order = list(dict.fromkeys(key[0] for key in table))
    made = sorted(table, key=lambda key: (order.index(key[0]), *map(_as_number, key[1:])))
    lines = "\n".join([head, rule, *(table[key] for key in made)])
    page.write_text(f"{before}{begin}{script}\n\n{lines}\n\n{end}{after}", encoding="utf-8")


def cells(row: str) -> list[str]:
    """The cells of a row: a bar in one of them is escaped.

    >>> cells("| `bleu` | 1,000 |")
    ['`bleu`', '1,000']
    """
    return [cell.strip() for cell in row.replace(r"\|", "\0").strip().strip("|").split("|")]


def _as_number(cell: str) -> tuple[int, str]:
    number = cell.replace(",", "")
    return (int(number), "") if number.isdecimal() else (0, cell)
