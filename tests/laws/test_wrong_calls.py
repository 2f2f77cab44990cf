"""Wrong calls from Python are errors of karat with a code, never a figure or a bare exception."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import karat
from karat.errors import KaratError, OptionError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "graphs"
SYSTEMS, GOLDS = ["the cat sat", "a dog runs"], ["the cat sat", "a dog ran"]


def run() -> Any:
    return karat.evaluate("bleu", SYSTEMS, GOLDS)


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "another policy": (lambda: karat.evaluate("bleu", SYSTEMS, GOLDS, on_error="zero"), "K302"),  # type: ignore[arg-type]
    "another pairing": (lambda: karat.evaluate("bleu", SYSTEMS, GOLDS, pair="ids"), "K302"),  # type: ignore[arg-type]
    "a level in percent": (lambda: run().confidence(95), r"K302.*got 95"),
    "an interval of no score": (
        lambda: run().confidence()["blue"],
        "K306: there is no score 'blue'; did you mean 'bleu'",
    ),
    "a score of no metric": (lambda: float(run().scores()["blue"]), "K306"),
    "compared with a text": (lambda: run().compare("x"), "K316"),
    "a page of nothing": (lambda: karat.report([], "x.html"), "K322"),
    "ids of some": (lambda: karat.evaluate("bleu", SYSTEMS, GOLDS, id=["a"]), "1 value of 'id'"),
    "no metric": (lambda: karat.evaluate(None, SYSTEMS, GOLDS), "K304"),  # type: ignore[arg-type]
    "swapped": (lambda: karat.evaluate(SYSTEMS, GOLDS, "bleu"), "K304"),  # type: ignore[arg-type]
    "a generator that is used up": (
        lambda: karat.evaluate("bleu", iter([]), GOLDS),
        "K202: gold has 2 items, the system has 0",
    ),
    "both used up": (lambda: karat.evaluate("bleu", iter([]), iter([])), "K203"),
    "an item that is missing": (lambda: karat.evaluate("bleu", ["a", None], GOLDS), "K146"),
    "a number for a text": (lambda: karat.evaluate("bleu", ["a", 3], GOLDS), "K146"),
    "bytes for a text": (lambda: karat.evaluate("bleu", ["a", b"x"], GOLDS), "K146"),
    "not a number": (lambda: karat.evaluate("bleu", ["a", float("nan")], GOLDS), "K146"),
    "a reference that is missing": (lambda: karat.evaluate("bleu", SYSTEMS, ["a", None]), "K146"),
    "no reference": (lambda: karat.evaluate("bleu", SYSTEMS, [[], ["a"]]), "K211"),
    "references first": (lambda: karat.evaluate("bleu", SYSTEMS, [GOLDS]), "K202"),
    "ids in another case": (
        lambda: karat.evaluate("bleu", {"a": "x"}, {"A": "x"}),
        "ids are case-sensitive",
    ),
    "doubled ids": (lambda: karat.evaluate("bleu", SYSTEMS, GOLDS, id=["a", "a"]), "K204"),
    "a score of nothing": (lambda: karat.parse("bleu").score(None, "a"), "K317"),
    "a graph that is cut": (lambda: karat.parse("smatch").score("(w / want", "(a / b)"), "K124"),
    "a text for a graph": (lambda: karat.parse("smatch").score("hello", "(a / b)"), "K124"),
    "no run": (lambda: karat.load("nothing.run"), "K101"),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_calls(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, message = CALLS[name]
    with pytest.raises(KaratError, match=message):
        call()
    assert list(tmp_path.iterdir()) == []


# -- any value for any argument --------------------------------------------------------------------


class Given(NamedTuple):
    """A call that works, whose arguments are replaced one by one; options are added to it."""

    call: Callable[..., Any]
    arguments: dict[str, Any]
    options: str = ""


ODD: tuple[Any, ...] = (
    None, -1, 2.5, float("nan"), True, "x", "", "\0", "\ud800", b"x", [], [1], [None], {}, {1: 2},
    {"x"}, object(), iter(()), np.arange(2), Path("nothing"), Path(), 10**30,
    1j,
)  # fmt: skip
READING = "format gold_format format_options pair on_error jobs"
STATISTICS = "level seed cluster"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("calls")
    for name, lines in (("s.txt", SYSTEMS), ("t.txt", GOLDS[::-1]), ("g.txt", GOLDS)):
        (folder / name).write_text("\n".join(lines) + "\n")
    for name in ("system", "gold"):
        shutil.copy(EXAMPLES / f"pairing.{name}.mrp", folder / f"{name}.mrp")
    return folder


def given(name: str) -> Given:
    """The call of this name, in a folder with the files."""
    graphs = "system.mrp", "gold.mrp"
    texts = {"metric": "bleu", "data": "s.txt", "golds": "g.txt"}
    exact = karat.parse("exact")
    own: dict[str, Callable[[], Given]] = {
        "evaluate": lambda: Given(
            karat.evaluate,
            texts,
            f"system gold id by name {READING} executor progress facets certify certificates "
            "resume log",
        ),
        "evaluate lists": lambda: Given(
            karat.evaluate,
            {**texts, "data": SYSTEMS, "golds": GOLDS},
            f"system gold id by name {READING} facets",
        ),
        "evaluate graphs": lambda: Given(
            karat.evaluate, {"metric": "mrp", "data": graphs[0], "golds": graphs[1]}, "jobs facets"
        ),
        "compare": lambda: Given(
            lambda a, b, c, **options: karat.compare(a, b, c, **options),
            {"a": "bleu", "b": ["s.txt", "t.txt"], "c": "g.txt"},
            f"score test trials alpha {STATISTICS}",
        ),
        "report": lambda: Given(
            karat.report,
            {"runs": run(), "path": "page.html"},
            f"by resamples method resampling judgements page_size {STATISTICS}",
        ),
        "repair": lambda: Given(
            karat.repair,
            {"evaluation": karat.evaluate("mrp", *graphs)},
            "classes by score average rank top confidence resamples seed",
        ),
        "audit": lambda: Given(
            karat.audit,
            {"metric": "mrp", "systems": list(graphs), "gold": "gold.mrp"},
            f"prior verdicts {READING}",
        ),
        "mbr": lambda: Given(
            karat.mbr,
            {"metric": "chrf", "systems": ["s.txt", "t.txt", "g.txt"], "gold": "g.txt"},
            "weights judge score format gold_format format_options on_error jobs seed",
        ),
        "trace": lambda: Given(
            karat.trace,
            {"figures": "accuracy 0.5", "system": "s.txt", "gold": "g.txt"},
            f"unit rounding by seed {READING}",
        ),
        "reward": lambda: Given(karat.reward, {"metric": "bleu"}, "score floor"),
        "rewards": lambda: Given(
            lambda a, b: karat.reward("exact")(a, b), {"a": SYSTEMS, "b": GOLDS}
        ),
        "parse": lambda: Given(karat.parse, {"text": "bleu"}),
        "metric_class": lambda: Given(karat.metric_class, {"name": "bleu"}),
        "read": lambda: Given(karat.read, {"path": "gold.mrp"}, "format on_error n id"),
        "write": lambda: Given(
            karat.write, {"values": karat.read("gold.mrp"), "path": "out.mrp"}, "format"
        ),
        "write texts": lambda: Given(
            karat.write, {"values": SYSTEMS, "path": "out", "format": "txt"}
        ),
        "load": lambda: Given(karat.load, {"path": "gold.mrp"}),
        "verify": lambda: Given(karat.verify, {"path": "gold.mrp"}, "jobs"),
        "Source": lambda: Given(karat.Source, {"path": "s.txt"}),
        "measure_pairs": lambda: Given(
            karat.measure_pairs, {"metric": exact, "pairs": [("a", "a")]}, "jobs executor facets"
        ),
        "score": lambda: Given(exact.score, {"system": "a", "gold": "a"}),
        "score graphs": lambda: Given(
            karat.parse("smatch").score, {"system": "(a / b)", "gold": "(a / b)"}
        ),
        "score_all": lambda: Given(exact.score_all, {"systems": SYSTEMS, "golds": GOLDS}),
        "score_batch": lambda: Given(
            exact.score_batch, {"systems": SYSTEMS, "golds": GOLDS}, "score"
        ),
        "score_multi": lambda: Given(exact.score_multi, {"systems": SYSTEMS, "gold": "a"}),
        "options": lambda: Given(karat.metric_class("bleu"), {}, "tokenize smooth_method size"),
        "by": lambda: Given(run().by, {"field": "x"}),
        "confidence": lambda: Given(
            run().confidence, {}, f"resamples method resampling {STATISTICS}"
        ),
        "compare runs": lambda: Given(
            run().compare, {"other": run()}, f"test trials {STATISTICS}"
        ),
        "power": lambda: Given(run().power, {"other": run(), "sizes": [5]}, "score cluster"),
        "save": lambda: Given(run().save, {"path": "a.run"}),
        "taken": lambda: Given(run().taken, {"items": [0]}, "metric"),
        "a run": lambda: Given(
            karat.Evaluation,
            {"metric": run().metric, "ids": run().ids, "counts": run().counts},
            "groups",
        ),
        "ranking": lambda: Given(
            karat.Ranking, {"evaluations": [run(), run()]}, f"score alpha test trials {STATISTICS}"
        ),
    }  # fmt: skip
    return own[name]()


NAMES = (
    "evaluate", "evaluate lists", "evaluate graphs", "compare", "report", "repair", "audit", "mbr",
    "trace", "reward", "rewards", "parse", "metric_class", "read", "write", "write texts", "load",
    "verify", "Source", "measure_pairs", "score", "score graphs", "score_all", "score_batch",
    "score_multi", "options", "by", "confidence", "compare runs", "power", "save", "taken", "a run",
    "ranking",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_any_value_for_any_argument(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is given, the call works or says in one line what is wrong with it."""
    monkeypatch.chdir(folder)
    call, arguments, options = given(name)
    for each in [*arguments, *options.split()]:
        for odd in ODD:
            told = ""
            try:
                call(**{**arguments, each: odd})
            except KaratError as error:
                told = error.headline
            except Exception as error:
                raise AssertionError(f"{name}: {each}={odd!r}") from error
            assert "\n" not in told


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("jobs", "x", "``jobs`` must be int or 'auto', got 'x'"),
        ("jobs", 2.0, "``jobs`` must be int or 'auto', got 2.0"),
        ("format", 5, "``format`` must be str or None, got 5"),
        ("facets", "case", "``facets`` must be a list of str, got 'case'"),
        ("facets", [1], "``facets`` must be a list of str, got a list"),
        ("certify", "no", "``certify`` must be bool, got 'no'"),
        ("format_options", ["n"], "``format_options`` must be a mapping or None, got a list"),
        ("progress", 5, "``progress`` must be a function or None, got 5"),
        ("data", 5, "system"),
        ("metric", type(karat.parse("bleu")), "this is its class: call it, Bleu()"),
        ("metric", 5, "a metric is a name or a Metric, got 5"),
    ],
)
def test_what_is_said_of_an_argument(argument: str, value: object, message: str) -> None:
    arguments: dict[str, Any] = {"metric": "bleu", "data": SYSTEMS, "golds": GOLDS}
    with pytest.raises(OptionError) as caught:
        karat.evaluate(**{**arguments, argument: value})
    assert message in str(caught.value)


def test_texts_are_no_lists() -> None:
    """Each character would be an item."""
    for call in (karat.parse("exact").score_all, karat.reward("exact")):
        with pytest.raises(OptionError, match="a list"):
            call("the cat", "the dog")
    with pytest.raises(OptionError, match="a list"):
        karat.write("the cat", "out.txt", "txt")


def test_numbers_of_numpy_are_numbers() -> None:
    found = karat.evaluate("bleu", SYSTEMS, GOLDS, jobs=np.int64(1), certify=np.bool_(False))
    found.confidence(np.float32(0.9), resamples=np.int32(50))
