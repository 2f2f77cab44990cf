"""Saved runs of matched metrics are verified by their certificates; tampering is found."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat import engine
from karat.core.runs import store
from karat.core.runs.evaluation import Evaluation
from karat.engine import evaluate
from karat.errors import VerificationError
from karat.graphs.drs.matching import ClauseCertificate, match_clauses
from karat.graphs.formats.mrp import encode
from karat.graphs.matching import certificates
from karat.graphs.matching import solver as matching
from karat.graphs.metrics.mrp import Mrp
from karat.graphs.model import Edge, Graph, Node


def graph(name: str, labels: str, *edges: tuple[int, int, str]) -> Graph:
    return Graph(
        name,
        1,
        "eds",
        nodes=tuple(Node(i, label) for i, label in enumerate(labels)),
        edges=tuple(Edge(a, b, label, i) for i, (a, b, label) in enumerate(edges)),
        tops=(0,),
    )


# The multipliers of the second pair are not all zero, and prove its optimum.
GOLD = [
    graph("1", "abca", (0, 1, "x"), (1, 2, "y"), (3, 2, "x")),
    graph(
        "2",
        "aaaba",
        (2, 2, "x"),
        (4, 0, "x"),
        (3, 3, "y"),
        (4, 3, "y"),
        (0, 0, "y"),
        (3, 2, "y"),
    ),
]
SYSTEM = [
    graph("1", "acba", (0, 2, "x"), (2, 1, "y"), (3, 0, "x")),
    graph(
        "2",
        "baaaa",
        (0, 1, "y"),
        (1, 1, "y"),
        (4, 4, "x"),
        (3, 3, "y"),
        (4, 2, "y"),
        (3, 1, "y"),
    ),
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    for name, graphs in (("gold", GOLD), ("system", SYSTEM)):
        (tmp_path / f"{name}.mrp").write_bytes(b"".join(encode(each) + b"\n" for each in graphs))
    found = evaluate(
        Mrp(), system=tmp_path / "system.mrp", gold=tmp_path / "gold.mrp", certify=True
    )
    assert set(found.certificates) == {0, 1}
    found.save(str(tmp_path / "a.run"))
    return tmp_path / "a.run"


def test_a_saved_run_is_verified_without_searching(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(*_: Any, **__: Any) -> None:
        raise AssertionError("there was a search")

    monkeypatch.setattr(certificates, "match_many", search)
    monkeypatch.setattr("karat.graphs.metrics.matched.match_many", search)
    assert engine.verify(str(run)).items == 2


def changed(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """A run whose content was changed by someone who knows how to make its checksum right."""
    record = msgspec.to_builtins(store.load(str(run)), builtin_types=(bytes,))
    change(record)
    run.write_bytes(store.encode(msgspec.convert(record, store.Run)))


def certificate(record: dict[str, Any], place: int) -> certificates.Certificate:
    data = zlib.decompress(record["certificates"][place])
    return msgspec.msgpack.decode(data, type=certificates.Certificate)


def put(record: dict[str, Any], place: int, **fields: Any) -> None:
    made = msgspec.structs.replace(certificate(record, place), **fields)
    record["certificates"][place] = zlib.compress(msgspec.msgpack.encode(made))


def better_counts(record: dict[str, Any]) -> None:
    counts = bytearray(record["counts"])
    column = record["columns"].index("edges.c")
    (value,) = struct.unpack_from("<d", counts, 8 * column)
    struct.pack_into("<d", counts, 8 * column, value + 1)
    record["counts"] = bytes(counts)


def other_mapping(record: dict[str, Any]) -> None:
    put(record, 0, mapping=struct.pack("<4i", 3, 2, 1, 0))


def doubled_mapping(record: dict[str, Any]) -> None:
    put(record, 0, mapping=struct.pack("<4i", 0, 0, 0, 0))


def far_mapping(record: dict[str, Any]) -> None:
    put(record, 0, mapping=struct.pack("<4i", 0, 1, 2, 99))


def other_bound(record: dict[str, Any]) -> None:
    put(record, 0, bound=certificate(record, 0).bound + 1)


def other_multipliers(record: dict[str, Any]) -> None:
    numbers = certificate(record, 1).multipliers
    assert numbers
    put(record, 1, multipliers=struct.pack("<q", 1 << 40) + numbers[8:])


def swapped(record: dict[str, Any]) -> None:
    proofs = record["certificates"]
    proofs[0], proofs[1] = proofs[1], proofs[0]


def no_certificate_at_all(record: dict[str, Any]) -> None:
    record["certificates"][0] = b"nonsense"


@pytest.mark.parametrize(
    "change",
    [
        better_counts,
        other_mapping,
        doubled_mapping,
        far_mapping,
        other_bound,
        other_multipliers,
        swapped,
        no_certificate_at_all,
    ],
)
def test_tampering_is_found(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    changed(run, change)
    with pytest.raises(VerificationError):
        engine.verify(str(run))


def test_rows_without_certificate_are_measured_again(run: Path) -> None:
    changed(run, lambda record: record["certificates"].clear())
    assert engine.verify(str(run)).items == 2


def test_what_took_branch_and_bound_or_was_not_proven_is_matched_anew(tmp_path: Path) -> None:
    """Nodes that are all alike: the multipliers alone prove nothing, or the budget ends."""
    ring = [(i, (i + 1) % 6, "x") for i in range(6)]
    rings = [(i, i // 3 * 3 + (i + 1) % 3, "x") for i in range(6)]
    for name, edges in (("gold", ring), ("system", rings)):
        (tmp_path / name).write_bytes(encode(graph("1", "aaaaaa", *edges)) + b"\n")
    for metric in (Mrp(), Mrp(budget=1)):
        found = evaluate(
            metric, system=tmp_path / "system", gold=tmp_path / "gold", format="mrp",
            gold_format="mrp", certify=True,
        )  # fmt: skip
        path = str(tmp_path / "a.run")
        found.save(path)
        assert engine.verify(path).items == 1
        assert Evaluation.load(path).certificates.keys() == {0}


def test_a_certificate_alone_says_how_good_any_mapping_can_be() -> None:
    metric = Mrp()
    pair = metric.as_pair(SYSTEM[0], GOLD[0])
    found = matching.match_many([pair], metric.weights)
    (proof,) = certificates.issue([pair], metric.weights, found)
    checked = certificates.verify([pair], metric.weights, [proof], metric.budget)
    assert (checked.value[0], checked.bound[0]) == (found.value[0], found.bound[0])


def test_smatch_and_box_notation_have_certificates_too(tmp_path: Path) -> None:
    files = {
        "gold.amr": "(w / want-01 :ARG1 (g / go-02 :ARG0 (b / boy)))\n\n(d / dog :quant 2)\n",
        "system.amr": "(x / want-01 :ARG1 (z / go-01))\n\n(d / d\xe9j\xe0 :quant 2)\n",
        "gold.sbn": "dog.n.01\nbark.v.01 Agent -1\n",
        "system.sbn": "cat.n.01\nbark.v.01 Agent -1\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for metric, suffix in (("smatch", "amr"), ("smatch(compat='smatch')", "amr"), ("sbn", "sbn")):
        gold, system = (tmp_path / f"{side}.{suffix}" for side in ("gold", "system"))
        plain = evaluate(metric, system=system, gold=gold)
        found = evaluate(metric, system=system, gold=gold, certify=True)
        assert found.counts.tolist() == plain.counts.tolist()
        assert len(found.certificates) == len(found)
        path = str(tmp_path / "a.run")
        found.save(path)
        assert engine.verify(path).items == len(found)


AMR = {
    "gold": """# ::id 1
(w / want-01 :ARG0 (b / boy :ARG0-of (s / see-01)) :ARG1 (g / go-02 :ARG0 b :polarity -))

# ::id 2
(a / and :op1 (r / run-02 :ARG0 (d / dog)) :op2 (b / bark-01 :ARG0 d :time (n / now)))
""",
    "system": """# ::id 1
(x / want-01 :ARG0 (y / boy) :ARG1 (z / go-01 :ARG0 y :polarity -))

# ::id 2
(a / and :op1 (b / bark-01 :ARG0 (c / cat)) :op2 (r / run-02 :ARG0 c :time (n / now)))
""",
}
SEARCHED = [
    "amr-fine",
    "amr-fine(compat='amrlib')",
    "amr-fine(compat='amr-evaluation')",
    "smatchpp",
    "smatchpp(style='generic', compat='smatchpp', compress=True)",
    "smatchpp(reify=True, aspects='together')",
    "smatchpp(aspects='apart')",
    "s2match",
]


BOXES = {
    "gold": """%%% id 1
dog.n.01
           NEGATION -1
bark.v.01 Agent -1 Time +1
time.n.08 TPR now

male.n.02 Name "Al"
run.v.01 Agent -1
""",
    "system": """%%% id 1
cat.n.01
           NEGATION -1
bark.v.01 Agent -1 Time +1
time.n.08 TPR now

male.n.02 Name "Bo"
run.v.01 Theme -1
""",
}


@pytest.fixture(params=[*SEARCHED, "sbn-fine"])
def searched(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A saved run of a metric that searches several times for a pair."""
    texts, suffix = (BOXES, "sbn") if request.param == "sbn-fine" else (AMR, "amr")
    for name, text in texts.items():
        (tmp_path / f"{name}.{suffix}").write_text(text, encoding="utf-8")
    system, gold = tmp_path / f"system.{suffix}", tmp_path / f"gold.{suffix}"
    plain = evaluate(request.param, system=system, gold=gold)
    found = evaluate(request.param, system=system, gold=gold, certify=True)
    assert found.counts.tolist() == plain.counts.tolist()
    assert set(found.certificates) == {0, 1}
    found.save(str(tmp_path / "a.run"))
    return tmp_path / "a.run"


def test_several_searches_are_verified_without_searching(
    searched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(*_: Any, **__: Any) -> None:
        raise AssertionError("there was a search")

    monkeypatch.setattr(matching, "match_flat", search)
    with pytest.raises(AssertionError, match="search"):
        matching.match_many([], [])
    if "together" in repr(Evaluation.load(str(searched)).metric):
        # Its figures follow from the mapping itself, which only the search makes.
        with pytest.raises(AssertionError, match="search"):
            engine.verify(str(searched))
    else:
        assert engine.verify(str(searched)).items == 2


def proofs_of(record: dict[str, Any], place: int) -> list[bytes]:
    return msgspec.msgpack.decode(record["certificates"][place], type=list[bytes])


def test_every_figure_of_a_run_is_checked(searched: Path) -> None:
    saved = searched.read_bytes()
    for place in range(2 * len(Evaluation.load(str(searched)).metric.columns)):

        def one_more(record: dict[str, Any], place: int = place) -> None:
            counts = bytearray(record["counts"])
            (value,) = struct.unpack_from("<d", counts, 8 * place)
            struct.pack_into("<d", counts, 8 * place, value + 1)
            record["counts"] = bytes(counts)

        changed(searched, one_more)
        with pytest.raises(VerificationError):
            engine.verify(str(searched))
        searched.write_bytes(saved)


def nothing_mapped(proof: bytes) -> list[bytes]:
    made = msgspec.msgpack.decode(zlib.decompress(proof), type=certificates.Certificate)
    if made.bound == 0:  # then all mappings are as good
        return left_out(proof)
    nowhere = struct.pack("<i", -1) * (len(made.mapping) // 4)
    return [zlib.compress(msgspec.msgpack.encode(msgspec.structs.replace(made, mapping=nowhere)))]


def higher_bound(proof: bytes) -> list[bytes]:
    made = msgspec.msgpack.decode(zlib.decompress(proof), type=certificates.Certificate)
    raised = msgspec.structs.replace(made, bound=made.bound + 1)
    return [zlib.compress(msgspec.msgpack.encode(raised))]


def emptied(proof: bytes) -> list[bytes]:
    return [b""]


def left_out(proof: bytes) -> list[bytes]:
    return []


@pytest.mark.parametrize("tamper", [nothing_mapped, higher_bound, emptied, left_out])
def test_every_mapping_and_bound_of_a_run_is_checked(
    searched: Path, tamper: Callable[[bytes], list[bytes]]
) -> None:
    saved = searched.read_bytes()
    for place in range(len(proofs_of({"certificates": store.load(str(searched)).certificates}, 0))):

        def tampered(record: dict[str, Any], place: int = place) -> None:
            proofs = proofs_of(record, 0)
            proofs[place : place + 1] = tamper(proofs[place])
            record["certificates"][0] = msgspec.msgpack.encode(proofs)

        changed(searched, tampered)
        with pytest.raises(VerificationError):
            engine.verify(str(searched))
        searched.write_bytes(saved)


# The cat is in another box, so that only branches over the mapping of boxes prove the first
# pair's optimum; the second pair's is proven by one bound.
CLAUSES = {
    "gold": """b1 REF x1
b1 REF x2
b1 dog "n.01" x1
b1 cat "n.01" x2
b1 NOT b2
b2 REF e1
b2 bark "v.01" e1
b2 Agent e1 x1

b1 REF x1
b1 cat "n.01" x1
""",
    "system": """b3 REF x1
b3 dog "n.01" x1
b3 NOT b4
b4 REF x2
b4 cat "n.01" x2
b4 REF e1
b4 bark "v.01" e1
b4 Agent e1 x1

b1 REF x1
b1 dog "n.01" x1
""",
}


@pytest.fixture
def clauses(tmp_path: Path) -> Path:
    for name, text in CLAUSES.items():
        (tmp_path / f"{name}.clf").write_text(text, encoding="utf-8")
    system, gold = tmp_path / "system.clf", tmp_path / "gold.clf"
    found = evaluate("counter", system=system, gold=gold, certify=True)
    assert found.counts.tolist() == evaluate("counter", system=system, gold=gold).counts.tolist()
    found.save(str(tmp_path / "a.run"))
    return tmp_path / "a.run"


def test_clauses_are_searched_only_where_kinds_could_change_places(
    clauses: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[int] = []

    def search(gold: Any, *rest: Any, **options: Any) -> Any:
        searched.append(len(gold))
        return match_clauses(gold, *rest, **options)

    monkeypatch.setattr("karat.graphs.metrics.counter.match_clauses", search)
    assert engine.verify(str(clauses)).items == 2
    # In the first pair the cat could match in place of something else.
    assert searched == [5]


def clause_proof(record: dict[str, Any], place: int = 0) -> ClauseCertificate:
    return certificates.unpacked(record["certificates"][place], ClauseCertificate)


def put_clause_proof(record: dict[str, Any], **fields: Any) -> None:
    made = msgspec.structs.replace(clause_proof(record), **fields)
    record["certificates"][0] = certificates.packed(made)


def worse_mapping_of_boxes(record: dict[str, Any]) -> None:
    mapping = clause_proof(record).mapping
    swapped = {"b1": mapping["b2"], "b2": mapping["b1"]}
    put_clause_proof(record, mapping=mapping | swapped)


def box_for_referent(record: dict[str, Any]) -> None:
    put_clause_proof(record, mapping={"b1": "x1", "x1": "b3"})


def two_for_one(record: dict[str, Any]) -> None:
    put_clause_proof(record, mapping=dict.fromkeys(("b1", "b2"), "b3"))


def unknown_variable(record: dict[str, Any]) -> None:
    put_clause_proof(record, mapping=clause_proof(record).mapping | {"x9": "x9"})


def branch_left_out(record: dict[str, Any]) -> None:
    put_clause_proof(record, branches=clause_proof(record).branches[:-1])


def branch_too_many(record: dict[str, Any]) -> None:
    put_clause_proof(record, branches=[*clause_proof(record).branches, b""])


def root_closed(record: dict[str, Any]) -> None:
    put_clause_proof(record, branches=[b""])


def all_open(record: dict[str, Any]) -> None:
    put_clause_proof(record, branches=[None] * 50)


def wild_multipliers(record: dict[str, Any]) -> None:
    branches = clause_proof(record).branches
    put_clause_proof(record, branches=[*branches[:-1], struct.pack("<q", 1 << 40)])


def cut_multipliers(record: dict[str, Any]) -> None:
    put_clause_proof(record, branches=[*clause_proof(record).branches[:-1], b"abc"])


def search_that_finds_more(record: dict[str, Any]) -> None:
    put_clause_proof(record, branches=[], mapping={})


@pytest.mark.parametrize(
    "change",
    [
        worse_mapping_of_boxes,
        box_for_referent,
        two_for_one,
        unknown_variable,
        branch_left_out,
        branch_too_many,
        root_closed,
        all_open,
        wild_multipliers,
        cut_multipliers,
        search_that_finds_more,
        swapped,
        no_certificate_at_all,
    ],
)
def test_tampering_with_clauses_is_found(
    clauses: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    assert None in clause_proof({"certificates": store.load(str(clauses)).certificates}).branches
    changed(clauses, change)
    with pytest.raises(VerificationError):
        engine.verify(str(clauses))


def test_every_figure_of_clauses_is_checked(clauses: Path) -> None:
    test_every_figure_of_a_run_is_checked(clauses)


def test_clauses_without_branches_are_matched_anew(clauses: Path) -> None:
    changed(clauses, lambda record: put_clause_proof(record, branches=[]))
    assert engine.verify(str(clauses)).items == 2


# Mappings of equal value: the one gold node can be the system's node with the label, or the
# one with the property. The rule prefers labels.
TIED = {
    "gold": Graph("1", 1, "eds", nodes=(Node(0, "a", properties=("p",), values=("v",)),)),
    "system": Graph(
        "1", 1, "eds", nodes=(Node(0, "a"), Node(1, "b", properties=("p",), values=("v",)))
    ),
}


@pytest.fixture
def tied(tmp_path: Path) -> Path:
    for name, each in TIED.items():
        (tmp_path / f"{name}.mrp").write_bytes(encode(each) + b"\n")
    found = evaluate(
        Mrp(), system=tmp_path / "system.mrp", gold=tmp_path / "gold.mrp", certify=True
    )
    assert found.scores()["labels"]["c"] == 1
    found.save(str(tmp_path / "a.run"))
    return tmp_path / "a.run"


def property_for_label(record: dict[str, Any]) -> None:
    """The counts and the mapping that the rule does not prefer."""
    put(record, 0, mapping=struct.pack("<i", 1))
    counts = bytearray(record["counts"])
    for column, value in (("labels.c", 0), ("properties.c", 1)):
        struct.pack_into("<d", counts, 8 * record["columns"].index(column), value)
    record["counts"] = bytes(counts)


def property_for_label_unranked(record: dict[str, Any]) -> None:
    property_for_label(record)
    put(record, 0, ranked=False, bound=1, multipliers=b"")


@pytest.mark.parametrize("change", [property_for_label, property_for_label_unranked])
def test_another_mapping_of_equal_value_does_not_verify_other_parts(
    tied: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    assert engine.verify(str(tied)).items == 1
    changed(tied, change)
    with pytest.raises(VerificationError, match="K607"):
        engine.verify(str(tied))
