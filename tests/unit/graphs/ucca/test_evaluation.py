"""The metric ucca on passages small enough to count by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karat.engine import evaluate
from karat.errors import FormatError, OptionError
from karat.graphs.metrics.ucca import Ucca
from karat.graphs.ucca.evaluation import normalize_passage
from karat.graphs.ucca.passages import Passage, parse_passage


def xml(words: str, edges: str, id: str = "p") -> str:
    """A passage from words like ``dog/NOUN`` and edges like ``1.1 1.2 H``.

    An edge may have several categories (``L|H``), and end in ``remote``; a target written
    ``1.7!`` is implicit. A full stop is punctuation.
    """
    terminals, units, implicit = [], {}, set()
    for number, word in enumerate(words.split(), 1):
        form, _, speech = word.partition("/")
        kind = "Punctuation" if form == "." else "Word"
        extra = f'<extra pos="{speech}"/>' if speech else ""
        terminals.append(
            f'<node ID="0.{number}" type="{kind}"><attributes text="{form}"/>{extra}</node>'
        )
    for line in edges.split("\n"):
        if not line.strip():
            continue
        source, target, tag, *rest = line.split()
        if target.endswith("!"):
            target = target[:-1]
            implicit.add(target)
        told = '<attributes remote="True"/>' if "remote" in rest else ""
        if "|" in tag:
            told += "".join(f'<category tag="{each}"/>' for each in tag.split("|"))
        units.setdefault(source, []).append(f'<edge toID="{target}" type="{tag}">{told}</edge>')
        if not target.startswith("0."):
            units.setdefault(target, [])
    inner = "".join(
        f'<node ID="{name}" type="{"PNCT" if name.endswith("9") else "FN"}">'
        + ('<attributes implicit="True"/>' if name in implicit else "")
        + "".join(links)
        + "</node>"
        for name, links in units.items()
    )
    return (
        f'<root passageID="{id}"><layer layerID="0">{"".join(terminals)}</layer>'
        f'<layer layerID="1">{inner}</layer></root>'
    )


def passage(words: str, edges: str) -> Passage:
    return parse_passage(xml(words, edges).encode())


WORDS = "there/PRON seems/VERB to/PART take/VERB showers/NOUN ./PUNCT"
EDGES = """
1.1 1.2 H
1.2 1.3 F
1.3 0.1 Terminal
1.2 1.4 D
1.4 0.2 Terminal
1.2 1.5 P
1.5 1.6 F
1.6 0.4 Terminal
1.5 1.7 C
1.7 0.5 Terminal
1.2 1.8 F
1.8 0.3 Terminal
1.1 1.9 U
1.9 0.6 Terminal
"""
ALL = ("main_rel", "expletives", "aspectual_verbs", "light_verbs", "pred_nouns", "pred_adjs", "mwe")


def counts(scores: Any, kind: str, row: str) -> list[int]:
    return [scores[kind][row][key] for key in "gsc"]


def test_constructions_by_hand() -> None:
    """There (F) | seems (D) | [take (F) showers (C)] (P) | to (F) | . (U)."""
    gold = passage(WORDS, EDGES)
    scores = Ucca(normalize=False, constructions=ALL).score(gold, gold)
    ones = {row: counts(scores, "labeled", row)[0] for row in ALL}
    assert ones == {
        "main_rel": 1,  # take showers: a centre and a function
        "expletives": 1,  # there
        "aspectual_verbs": 1,  # seems
        "light_verbs": 1,  # take
        "pred_nouns": 1,  # take showers has a noun, no adjective
        "pred_adjs": 0,
        "mwe": 0,
    }


def test_a_relation_over_to_is_no_main_relation() -> None:
    joined = EDGES.replace("1.2 1.8 F", "1.5 1.8 F")
    scores = Ucca(normalize=False, constructions=("main_rel",)).score(
        passage(WORDS, joined), passage(WORDS, EDGES)
    )
    assert counts(scores, "labeled", "main_rel") == [1, 0, 0]
    assert scores["labeled"]["main_rel"]["p"] == 1.0  # nothing guessed
    assert scores["labeled"]["main_rel"]["f"] == 0.0


def test_an_implicit_process_is_a_main_relation_of_its_parents_words() -> None:
    edges = "1.1 1.2 H\n1.2 1.3 A\n1.3 0.1 Terminal\n1.2 1.4! P"
    gold = passage("rain", edges)
    scores = Ucca(normalize=False, constructions=("main_rel", "categories")).score(gold, gold)
    assert counts(scores, "labeled", "implicit") == [1, 1, 1]
    assert counts(scores, "labeled", "main_rel") == [1, 1, 1]
    # Scene, participant and implicit process all cover the one word there is.
    assert counts(scores, "labeled", "A") == [1, 1, 1]
    assert counts(scores, "labeled", "U") == [0, 0, 0]


def test_the_row_of_punctuation_holds_implicit_units() -> None:
    """Punctuation covers no words, and neither does what an implicit unit covers itself."""
    gold = passage("rain .", "1.1 1.2 H\n1.2 0.1 Terminal\n1.2 1.4! P\n1.1 1.9 U\n1.9 0.2 Terminal")
    plain = passage("rain .", "1.1 1.2 H\n1.2 0.1 Terminal\n1.1 1.9 U\n1.9 0.2 Terminal")
    metric = Ucca(normalize=False, constructions=("categories", "honest"))
    assert counts(metric.score(gold, gold), "labeled", "U") == [1, 1, 1]
    assert counts(metric.score(plain, plain), "labeled", "U") == [0, 0, 0]
    assert counts(metric.score(plain, plain), "honest", "U") == [1, 1, 1]


def test_categories_count_what_gold_has_and_honest_rows_what_the_system_says() -> None:
    gold = passage("dogs bark", "1.1 1.2 A\n1.2 0.1 Terminal\n1.1 1.3 P\n1.3 0.2 Terminal")
    system = passage("dogs bark", "1.1 1.2 A\n1.2 0.1 Terminal\n1.1 1.3 A\n1.3 0.2 Terminal")
    metric = Ucca(normalize=False, constructions=("categories", "honest"))
    scores = metric.score(system, gold)
    assert counts(scores, "labeled", "A") == [1, 1, 1]
    assert counts(scores, "labeled", "P") == [1, 1, 0]
    assert counts(scores, "honest", "A") == [1, 2, 1]
    assert counts(scores, "honest", "P") == [1, 0, 0]


def test_types_can_be_chosen() -> None:
    gold = passage(WORDS, EDGES)
    metric = Ucca(types=("unlabeled",))
    assert metric.about.headline == "average.unlabeled.f"
    assert set(metric.score(gold, gold)) == {"n", "unlabeled", "average"}
    assert metric.line(metric.score(gold, gold)).startswith("primary_unlabeled_precision,")
    with pytest.raises(OptionError, match="K302"):
        Ucca(types=())


def test_parts_of_speech_are_needed_where_they_are_taken() -> None:
    bare = passage("dogs bark", "1.1 1.2 H\n1.2 0.1 Terminal\n1.2 0.2 Terminal")
    with pytest.raises(FormatError, match="K168"):
        Ucca(constructions=("light_verbs",)).score(bare, bare)


@pytest.mark.parametrize("normalize", [True, False])
def test_a_missing_passage_counts_as_one_without_units(normalize: bool, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.xml").write_text(xml(WORDS, EDGES, name))
    (tmp_path / "gold.txt").write_text("a.xml\nb.xml\n")
    (tmp_path / "system.txt").write_text("b.xml\n")
    found = evaluate(
        Ucca(normalize=normalize), system=tmp_path / "system.txt", gold=tmp_path / "gold.txt"
    )
    missing, given = (item["average"]["labeled"] for item in found.per_item())
    assert missing["g"] > 0
    assert (missing["s"], missing["c"], missing["r"], missing["f"]) == (0, 0, 0.0, 0.0)
    assert given["g"] == given["s"] == given["c"] > 0
    assert found.scores()["average"]["labeled"]["s"] == given["s"]
    assert any("1 of 2 gold items has no system item" in warning for warning in found.warnings)


def test_a_coordinated_main_relation_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(
        xml("sing", "1.1 1.2 P\n1.2 0.1 Terminal remote").replace(
            'remote="True"', 'Coordinated_Main_Rel.="True"'
        )
    )
    found = evaluate(Ucca(), system=path, gold=path)
    assert any("coordinated main relation" in warning for warning in found.warnings)


def test_normalisation_may_take_the_root_away() -> None:
    """The only child of the root is its centre, which takes its place; functions go there."""
    edges = """
1.1 1.2 C
1.2 1.3 E
1.3 0.1 Terminal
1.2 1.4 F
1.4 0.2 Terminal
1.2 1.5 C
1.5 0.3 Terminal
"""
    gold = passage("big of dogs", edges)
    scores = Ucca().score(gold, gold)["labeled"]["primary"]
    assert scores["g"] == scores["s"] == scores["c"] == 3


@pytest.mark.parametrize(("category", "remote"), [("A", False), ("C", True)])
def test_what_takes_the_place_of_its_parent_over_a_remote_edge(category: str, remote: bool) -> None:
    """A participant is as remote as its parent was; a centre also where it was remote itself.

    As in the authors' toolkit. The scene 1.2 stands for itself; 1.4 has but the one child.
    """
    edges = f"""
1.1 1.2 H
1.2 1.3 P
1.3 0.1 Terminal
1.2 1.4 E
1.4 1.6 {category} remote
1.2 1.5 E
1.5 1.6 C
1.5 1.7 E
1.6 0.2 Terminal
1.7 0.3 Terminal
"""
    units = normalize_passage(passage("eat big apples", edges)).units
    assert (1, 4) not in units
    found = [link for link in units[1, 2].children if link.child.id == (1, 6)]
    assert [link.remote for link in found] == [remote]


@pytest.mark.parametrize(("tag", "stays"), [("H", True), ("L", True), ("G", True), ("D", False)])
def test_a_scene_in_a_unit_of_scenes_gets_a_unit_of_its_own(tag: str, stays: bool) -> None:
    """Linkers, grounds and other scenes stay outside of it."""
    edges = f"""
1.1 1.2 P
1.2 0.1 Terminal
1.1 1.3 A
1.3 0.2 Terminal
1.1 1.4 {tag}
1.4 0.3 Terminal
"""
    root = normalize_passage(passage("bark dogs really", edges)).root
    (scene,) = [link.child for link in root.children if link.first == "H" and link.child.id[1] > 4]
    assert {link.first for link in scene.children} == ({"P", "A"} if stays else {"P", "A", "D"})
    outside = [link.first for link in root.children if link.child is not scene]
    assert outside == ([tag] if stays else [])


def test_a_second_category_makes_no_unit_of_scenes() -> None:
    """Where the authors' toolkit never ends: a participant that is a scene as well."""
    edges = """
1.1 1.2 H
1.2 1.3 P
1.3 0.1 Terminal
1.2 1.4 A
1.4 0.2 Terminal
"""
    found = passage("bark dogs", edges)
    (link,) = found.units[1, 2].with_category("A")
    link.categories[:] = ["A", "H"]
    units = normalize_passage(found).units
    assert {unit for layer, unit in units if layer == 1} == {1, 2, 3, 4}


# What version 1.3.11 of the toolkit counts.


def test_a_participant_that_is_a_scene_as_well_stays() -> None:
    """The toolkit makes a scene above it, and takes that away again, but looks no further."""
    edges = "1.1 1.2 D\n1.2 1.3 A|H\n1.3 1.4 H\n1.4 0.1 Terminal\n1.3 1.5 L\n1.5 0.2 Terminal"
    units = normalize_passage(passage("dogs and", edges)).units
    assert [unit for layer, unit in units if layer == 1] == [1, 2, 3, 4, 5]


def test_punctuation_before_the_first_word_goes_where_the_toolkit_puts_it() -> None:
    """It looks for the word before from the end of the passage on."""
    words, mark = ". x", "\n1.2 0.2 Terminal\n1.2 1.9 U\n1.9 0.1 Terminal"
    scores = Ucca().score(passage(words, "1.1 1.2 C" + mark), passage(words, "1.1 1.2 H" + mark))
    assert counts(scores, "labeled", "primary") == [1, 0, 0]
    assert counts(scores, "unlabeled", "primary") == [1, 0, 0]


def test_a_scene_may_be_the_second_category() -> None:
    words = "a b c d"
    gold = """
    1.1 1.2 D
    1.2 1.3 L|H
    1.2 1.4 S
    1.2 1.5 D
    1.3 0.1 Terminal
    1.4 0.2 Terminal
    1.5 0.3 Terminal
    1.5 0.4 Terminal
    """
    system = "1.1 1.2 H\n" + "\n".join(f"1.2 0.{i} Terminal" for i in range(1, 5))
    scores = Ucca().score(passage(words, system), passage(words, gold))
    assert counts(scores, "labeled", "primary") == [5, 1, 0]
    assert counts(scores, "unlabeled", "primary") == [5, 1, 1]


def test_a_function_that_is_also_remote_loses_the_edge_that_comes_first() -> None:
    """The unit without other children gives its place to its centre, which it had remotely."""
    edges = """
    1.1 1.2 F
    1.1 1.3 S remote
    1.2 1.3 C
    1.3 0.1 Terminal
    1.1 1.4 H
    1.4 0.2 Terminal
    """
    found = passage("well dogs", edges)
    scores = Ucca().score(found, found)
    assert counts(scores, "labeled", "primary") == [2, 2, 2]
    assert counts(scores, "labeled", "remote") == [0, 0, 0]


def test_the_page_marks_the_category_that_differs() -> None:
    """Normalising takes "the" out of the unit, which then covers what its centre covers."""
    edges = (
        "1.1 1.2 H\n1.2 1.3 P\n1.3 0.1 Terminal\n1.2 1.4 A\n"
        "1.4 1.5 F\n1.5 0.2 Terminal\n1.4 1.6 C\n1.6 0.3 Terminal"
    )
    gold = passage("join the board", edges)
    system = passage("join the board", edges.replace("1.4 A", "1.4 G"))
    metric = Ucca()
    explanation = metric.explain(system, gold)
    assert {"words": [3], "system": "G", "gold": "A"} in explanation["units"]
    shown = metric.shown(system, gold, explanation)
    texts = [content.text for content in (*shown.golds, shown.system)]  # type: ignore[union-attr]
    assert texts[0] == "[H [P join] [A [F the] [C board]]]"
    (_, _, *ends) = shown.layers["units"]
    assert [texts[0][ends[0] : ends[1]], texts[1][ends[2] : ends[3]]] == ["A", "G"]
