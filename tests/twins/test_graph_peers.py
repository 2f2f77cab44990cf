"""Random graphs, side by side with the packages that karat equals."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.errors import KaratError

CONCEPTS = ["want-01", "boy", "go-02", "name", "and", '"a b"', "Ann_", "WANT-01", "x0"]
ROLES = [
    "ARG0", "ARG1", "ARG0-of", "mod", "domain", "mod-of", "consist-of", "op1", "polarity", "wiki",
    "ARG0-of-of", "Mod", "instance", "TOP",
]  # fmt: skip
CONSTANTS = [
    "-", '"Ann"', '"New York"', '"4:30"', '""', '"x0"', '"a \\"b\\""', '"("', "Ann_", '"~e.1"', "ß",
    '"  "',
]  # fmt: skip
DAMAGE = [
    "(", ")", '"', "'", " ", ":", "/", "\\", "~e.1", "_", "\t", "x0", "\u00a0", "\x0b",
    "\u2028", "",
]  # fmt: skip


def penman(draw: random.Random) -> str:
    names = [f"x{i}" for i in range(draw.randint(1, 4))]
    below: dict[str, list[str]] = {name: [] for name in names}
    for place, name in enumerate(names[1:], 1):
        below[names[draw.randrange(place)]].append(name)

    def node(name: str) -> str:
        values = [node(each) for each in below[name]]
        values += draw.choices([*CONSTANTS, *names], k=draw.randint(0, 2))
        draw.shuffle(values)
        roles = "".join(f" :{draw.choice(ROLES)} {value}" for value in values)
        return f"({name} / {draw.choice(CONCEPTS)}{roles})"

    return node(names[0])


def damaged(draw: random.Random, text: str) -> str:
    """Cut off at the end, as by a parser that stopped early, or with odd signs in it."""
    if draw.random() < 0.3:
        return text[: draw.randint(1, len(text))]
    signs = list(text)
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(signs))
        signs[place : place + draw.randint(0, 1)] = draw.choice(DAMAGE)
    return "".join(signs)


def smatch_counts(system: Any, gold: Any) -> tuple[int, int, int]:
    """The most pairs of equal triples under any mapping, of lists of triples as Smatch has them."""

    def same(name: str) -> str:
        return name.lower().rstrip("_")

    ours, theirs = ([variable for _, variable, _ in side[0]] for side in (system, gold))
    swapped = len(ours) > len(theirs)
    best = 0
    few, many = (theirs, ours) if swapped else (ours, theirs)
    for chosen in itertools.permutations(many, len(few)):
        pairs = zip(few, chosen, strict=True)
        mapped = {b: a for a, b in pairs} if swapped else dict(pairs)
        count = 0
        for kind in range(3):
            have = Counter(
                (same(role), source, target if kind == 2 else same(target))
                for role, source, target in gold[kind]
            )
            for role, source, target in system[kind]:
                if source in mapped and (kind < 2 or target in mapped):
                    end = mapped[target] if kind == 2 else same(target)
                    count += have[same(role), mapped[source], end]
        best = max(best, count)
    return best, sum(map(len, system)), sum(map(len, gold))


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "damaged"])
def test_smatch_reads_what_its_package_reads(whole: bool) -> None:
    amr = pytest.importorskip("amr", reason="needs smatch").AMR
    metric = karat.parse("smatch(compat='smatch')")
    draw = random.Random(7)
    read = 0
    for _ in range(700):
        system, gold = penman(draw), penman(draw)
        if not whole:
            system = damaged(draw, gold if draw.random() < 0.5 else system)
        try:
            parsed = amr.parse_AMR_line(system)
            theirs = parsed and parsed.get_triples()
        except IndexError:  # the package ends there
            theirs = None
        if not theirs or not theirs[0]:
            with contextlib.suppress(KaratError):  # no figure to be equal to
                metric.score(system, gold)
            continue
        read += 1
        expected = smatch_counts(theirs, amr.parse_AMR_line(gold).get_triples())
        scores = metric.score(system, gold)
        assert (scores["c"], scores["s"], scores["g"]) == expected, (system, gold)
    assert read > 300


def smatchpp_of(style: str | None, compress: bool, aspects: bool) -> tuple[Any, Any]:
    """The package with its solver, and karat's metric."""
    pytest.importorskip("mip", reason="needs smatchpp with its solver")
    smatchpp = pytest.importorskip("smatchpp")
    from smatchpp import model_factory, preprocess, solvers

    tool = smatchpp.Smatchpp(
        graph_standardizer=model_factory.StandardizerFactory.get_standardizer(style),
        graph_pair_preparer=preprocess.BasicGraphPairPreparer(lossless_graph_compression=compress),
        alignmentsolver=solvers.get_solver("ilp"),
        subgraph_extractor=model_factory.SubgraphExtractorFactory.get_extractor("amr"),
        score_dimension="all-multialign" if aspects else "main",
    )
    metric = karat.parse(
        f"smatchpp(style={style or 'none'!r}, compress={compress}, compat='smatchpp', "
        f"aspects={'apart' if aspects else None!r})"
    )
    return tool, metric


@pytest.mark.parametrize(
    ("style", "compress", "aspects"),
    [(None, True, False), ("generic", True, False), ("amr", True, False), ("amr", False, True)],
)
def test_smatchpp_counts_what_its_package_counts(
    style: str | None, compress: bool, aspects: bool
) -> None:
    tool, metric = smatchpp_of(style, compress, aspects)
    for system, gold in SPELT_ALIKE:
        theirs, _, _ = tool.process_pair(system, gold)
        scores = metric.score(system, gold)
        for name, (common, _, own, other) in theirs.items():
            ours = scores if name == "main" else scores[name]
            assert [ours[key] for key in "csg"] == [common, own, other], (name, system, gold)


@pytest.mark.parametrize(
    ("style", "compress"), [(None, False), ("generic", False), ("amr", False), ("amr", True)]
)
def test_smatchpp_reads_what_its_package_reads(style: str | None, compress: bool) -> None:
    """Of damaged texts, as much as the package does before it gives up."""
    tool, metric = smatchpp_of(style, compress, aspects=False)
    draw = random.Random(3)
    read = 0
    for _ in range(150):
        gold = penman(draw)
        system = damaged(draw, gold if draw.random() < 0.5 else penman(draw))
        if ":instance" in gold + system:  # which of two concepts counts is left to chance there
            continue
        try:
            theirs, _, _ = tool.process_pair(system, gold)
        except Exception:  # the package ends there
            continue
        read += 1
        common, _, own, other = theirs["main"]
        scores = metric.score(system, gold)
        assert [scores[key] for key in "csg"] == [common, own, other], (system, gold)
    assert read > 80


SPELT_ALIKE = [
    # Concepts that are spelt like variables, and constants like the concept of the root.
    (
        "(x0 / person :cause (x1 / x0 :ARG2-of 5))",
        "(x0 / dog :ARG1 (x1 / x0) :op1 (x2 / cat :quant x3 :ord (x3 / x0)))",
    ),
    (
        "(i / international :mod (i2 / i) :ARG1 (i3 / i))",
        "(i / international :mod (j / i) :ARG1 (k / i))",
    ),
    (
        '(x0 / boy :mod x0 :cause (x1 / have-quant-91) :location-of "boy")',
        '(x0 / thing :location (x1 / boy :cause -) :example (x2 / cause-01 :ord + :name "x0"))',
    ),
    (
        '(x / boy :source (x1 / thing :ARG2-of (x2 / part-91 :part-of "boy" :source (y / go-02))))',
        '(x0 / boy :source (x1 / thing :ARG2-of (x2 / part-91 :part-of "boy") :mod-of x1))',
    ),
]


def eds(draw: random.Random) -> str:
    """In one line or several, with and without a top, some roles to what is not there."""
    handles = [f"{draw.choice('xe_')}{i}" for i in range(draw.randint(1, 4))]
    predicates = ["_the_q", "_cat_n_1", "named", "_a+b/nn_u_unknown", "_É_v_1"]
    constants = ["Kim", "", "New York", 'a\\"b', "x}y", "<1:2>", "[a]", "(", "a:b"]
    found = []
    for handle in handles:
        start = draw.randint(0, 3)
        text = f"{handle}:{draw.choice(predicates)}<{start}:{start + draw.randint(0, 2)}>"
        if draw.random() < 0.3:
            text += f'("{draw.choice(constants)}")'
        if draw.random() < 0.5:
            text += f"{{{draw.choice(['x', 'e SF prop', 'x NUM sg, PERS 3'])}}}"
        roles = draw.sample(["ARG1", "ARG2", "BV"], draw.randint(0, 2))
        ends = [draw.choice([*handles, "q9"]) for _ in roles]
        found.append(f"{text}[{', '.join(map(' '.join, zip(roles, ends, strict=True)))}]")
    top = draw.choice([f"{handles[0]}:", "q9:", ""])
    if draw.random() < 0.5:
        return f"{{{top}{' ' if top else ''}{' '.join(found)}}}"
    return f"{{{top}\n  " + "\n  ".join(found) + "\n}"


CHANGES = [
    ("_the_q", "named"), ("<1:", "<0:"), ("ARG1", "ARG3"), ("_cat_n_1", "_Cat_n_1"), ("sg", "SG"),
    ("Kim", "kim"), ("BV", "bv"),
]  # fmt: skip


def test_edm_of_files_without_ids(tmp_path: Path) -> None:
    """PyDelphin writes structures one after the other, and pairs them by place."""
    edm = pytest.importorskip("delphin.edm")
    codec = pytest.importorskip("delphin.codecs.eds")
    draw = random.Random(11)
    for size in [1] * 60 + [2, 3, 5] * 20:
        golds = [eds(draw) for _ in range(size)]
        systems = [
            gold.replace(*draw.choice(CHANGES)) if draw.random() < 0.5 else eds(draw)
            for gold in golds
        ]
        (tmp_path / "gold.eds").write_text("\n\n".join(golds), encoding="utf-8")
        (tmp_path / "system.eds").write_text("\n".join(systems), encoding="utf-8")
        expected = edm.compute(map(codec.decode, golds), map(codec.decode, systems))
        run = karat.evaluate(
            "edm(compat='delphin')",
            tmp_path / "system.eds",
            tmp_path / "gold.eds",
            format_options={"robust": True},
        )
        found = run.scores()["all"]
        assert (found["p"], found["r"], found["f"]) == pytest.approx(tuple(expected)), (
            golds,
            systems,
        )
