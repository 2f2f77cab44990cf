"""Logical forms: the parser against lark, counting against plain Python, `cogs` on a corpus.

Takes the COGS development set where it is (``../shared/data/logical-forms``, or
the folder named as first argument), else forms of the same shapes made here.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import lark

from karat import _native
from karat.core.reading.strings import Strings
from karat.logic import Form, Term, parse, same_meaning, serialize
from karat.logic.metrics.cogs import Cogs
from karat.logic.parser import _parse
from timing import header, race

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from form_counts import row  # the judge of the kernel

FIRST_EVALUATOR = 9.1e-3
"""Seconds that the first COGS evaluator takes for a pair, beyond its start-up."""

GRAMMAR = r"""
start: name | iota* conjunction | binder ~ 1..3 conjunction
iota: "*" WORD "(" variable ")" ";"
binder: "LAMBDA" LETTER "."
conjunction: conjunct ("AND" conjunct)*
conjunct: WORD ("." WORD) ~ 0..2 "(" argument ("," argument)? ")"
?argument: name | variable
?variable: constant | LETTER
constant: "x" "_" DIGITS
name: NAME
LETTER: "a" | "b" | "e"
WORD: /[a-z]{2,}/
NAME: /[A-Z][a-z]+/
DIGITS: /[0-9]+/
%ignore /[ \t\r\n\f]+/
"""


class ToForm(lark.Transformer):
    """lark's tree as karat's form, so that the two can be compared."""

    def start(self, parts):
        if isinstance(parts[0], str):
            return Form("name", name=parts[0])
        definite = tuple(part for part in parts if isinstance(part, Term))
        binders = tuple(part.children[0] for part in parts if isinstance(part, lark.Tree))
        return Form("lambda" if binders else "iota", parts[-1], definite, binders)

    def iota(self, parts):
        return Term(str(parts[0]), (parts[1],))

    def conjunction(self, parts):
        return tuple(parts)

    def conjunct(self, parts):
        words = [part for part in parts if getattr(part, "type", "") == "WORD"]
        return Term(".".join(words), tuple(parts[len(words) :]))

    def constant(self, parts):
        return int(parts[0])

    def name(self, parts):
        return str(parts[0])

    LETTER = str


def forms(count: int, seed: int = 1) -> list[str]:
    """Forms with the shapes and sizes of COGS."""
    rng = random.Random(seed)
    nouns = ["cat", "dog", "cake", "box", "girl", "boy", "table", "rose"]
    verbs = ["eat", "see", "give", "like", "help", "hope"]
    result = []
    for _ in range(count):
        terms, definite, x = [], [], 1
        for _ in range(rng.randint(1, 3)):
            verb, event = rng.choice(verbs), x
            for role in rng.sample(["agent", "theme", "recipient"], rng.randint(1, 3)):
                x += 2
                noun = rng.choice(nouns)
                terms.append(Term(f"{verb}.{role}", (event, x)))
                (definite if rng.random() < 0.3 else terms).append(Term(noun, (x,)))
            terms.append(Term(f"{verb}.ccomp", (event, x + 1)))
            x += 1
        result.append(serialize(Form("iota", tuple(terms), tuple(definite))))
    return result


def corpus() -> tuple[list[str], list[str], str]:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data/logical-forms")
    if (folder / "dev.tsv").is_file():
        sides = [
            [line.split("\t")[1] for line in (folder / name).read_text("utf-8").splitlines()]
            for name in ("dev.tsv", "dev.mixed.tsv")
        ]
        return sides[0], sides[1], "COGS dev"
    golds = forms(3000)
    rng = random.Random(2)
    return golds, [g if rng.random() < 0.5 else g[: rng.randint(1, len(g))] for g in golds], "made"


def parsing(golds: list[str]) -> None:
    lalr = lark.Lark(GRAMMAR, parser="lalr", transformer=ToForm())
    earley = lark.Lark(GRAMMAR, parser="earley")
    ours = lambda texts: [_parse.__wrapped__(text, "cogs", False) for text in texts]  # noqa: E731
    some = golds[:150]
    race(
        f"parse {len(some)} forms, lark with Earley",
        lambda: ours(some),
        lambda: [ToForm().transform(earley.parse(text)) for text in some],
        lambda a, b: a == b,
    )
    race(
        f"parse {len(golds)} forms, lark with LALR(1)",
        lambda: ours(golds),
        lambda: [lalr.parse(text) for text in golds],
        lambda a, b: a == b,
    )


def counting(golds: list[str], systems: list[str]) -> None:
    """All 74 columns, from texts to rows; the forms of the judge are parsed before."""
    metric = Cogs()
    pairs = list(zip(systems, golds, strict=True))[:500]
    race(
        f"count {len(pairs)} pairs, plain Python",
        lambda: metric.measure_many(pairs).tolist(),
        lambda: [row(metric, *pair) for pair in pairs],
        lambda a, b: a == b,
    )
    both = (Strings.of(side * 20) for side in (systems, golds))
    sides = [part for texts in both for part in (texts.data, texts.spans)]
    groups = [component.group for component in metric.components]
    seconds = {}
    for threads in (1, 2):
        begin = time.perf_counter()
        _native.measure_forms(*sides, groups, dialect="cogs", threads=threads)
        seconds[threads] = time.perf_counter() - begin
    print(f"{'the kernel on two threads':<52} {seconds[1] / seconds[2]:.2f} times as fast (wall)")


def whole_run(golds: list[str], systems: list[str], copies: int) -> float:
    """The command as a user runs it: start-up, reading, all metrics, intervals, output."""
    with tempfile.TemporaryDirectory() as folder:
        for name, side in (("gold.tsv", golds), ("system.tsv", systems)):
            lines = (f"{i}\t{form}\tt\n" for i, form in enumerate(side * copies))
            Path(folder, name).write_text("".join(lines), "utf-8")
        command = [str(Path(sys.executable).parent / "karat"), "evaluate", "cogs",
                   "-g", "gold.tsv", "-s", "system.tsv", "--json", "-"]  # fmt: skip
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall = time.perf_counter()
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - wall
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    name = f"karat evaluate cogs, {len(golds) * copies} pairs"
    print(f"{name:<52} {wall:8.3f} s (CPU {cpu:7.3f}), peak {after.ru_maxrss / 1024:.0f} MiB")
    return cpu


def meaning() -> None:
    """Recursion with 50 constants, and a ring in which every constant looks like any other."""
    chain = [
        Term(predicate, arguments)
        for i in range(0, 50, 2)
        for predicate, arguments in (
            ("think.agent", (i, i + 1)),
            ("dog", (i + 1,)),
            ("think.ccomp", (i, i + 2)),
        )
    ]
    ring = [Term("dog.nmod.in", (i, (i + 1) % 50)) for i in range(50)]
    for name, terms in (("recursion", chain), ("ring", ring)):
        rng = random.Random(3)
        order = rng.sample(range(60), 60)
        moved = [Term(t.predicate, tuple(order[a] for a in t.arguments)) for t in terms]
        rng.shuffle(moved)
        gold, system = Form("iota", tuple(terms)), Form("iota", tuple(moved))
        begin = time.process_time()
        assert same_meaning(system, gold)
        milliseconds = 1000 * (time.process_time() - begin)
        print(f"semantic match, {name} with 50 constants{'':<16} {milliseconds:8.2f} ms")


def main() -> None:
    header("logical forms against lark", "lark")
    golds, systems, source = corpus()
    print(f"# corpus: {source}, {len(golds)} pairs")
    assert parse(golds[0])
    parsing(golds)
    meaning()
    counting(golds, systems)
    start = whole_run(golds[:20], systems[:20], 1)
    whole_run(golds, systems, 1)
    copies = -(-100_000 // len(golds))
    each = (whole_run(golds, systems, copies) - start) / (copies * len(golds))
    print(
        f"beyond start-up, with intervals: {1e6 * each:.1f} µs a pair; the first evaluator took "
        f"{1e3 * FIRST_EVALUATOR:.1f} ms, {FIRST_EVALUATOR / each:.0f} times as long"
    )


if __name__ == "__main__":
    main()
