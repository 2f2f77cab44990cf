"""Flags made from options."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import click
import pytest

from karat.cli.common.flags import flag, flags, given
from karat.core.metric import Metric
from karat.core.options import Range, declared
from karat.errors import OptionError


class Thing(Metric[str, str]):
    name = "thing"
    kind = "text"
    columns = ("items",)

    use_stemmer: Annotated[bool, "stem the words"] = True
    size: Annotated[int, Range(1), "how many"] = 3
    way: Literal["up", 1] = "up"
    words: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    share: float | None = None
    steps: tuple[Literal["one", "two"], ...] = ("one", "two")
    parts: tuple[Literal["one", "two"], ...] = ()


OPTIONS = declared(Thing)


def parsed(*args: str) -> dict[str, Any]:
    """What a command with all flags hands to the class."""
    command = click.Command("thing", params=list(flags([OPTIONS], set())))
    context = command.make_context("thing", list(args))
    return given(context.params, OPTIONS)


CASES: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--use-stemmer"], {"use_stemmer": True}),
    (["--no-use-stemmer"], {"use_stemmer": False}),
    (["--size", "5"], {"size": 5}),
    (["--way", "1"], {"way": 1}),
    (["--way", "up"], {"way": "up"}),
    (["--words", "a", "--words", "b"], {"words": ("a", "b")}),
    (["--sizes", "1", "--sizes", "2"], {"sizes": (1, 2)}),
    (["--steps", "two"], {"steps": ("two",)}),
    (["--steps", "none"], {"steps": ()}),
    (["--share", "0.5"], {"share": 0.5}),
]


@pytest.mark.parametrize(("args", "expected"), CASES)
def test_flags_give_what_the_class_takes(args: list[str], expected: dict[str, Any]) -> None:
    values = parsed(*args)
    assert values == expected
    assert Thing(**values).options == {**Thing().options, **expected}


@pytest.mark.parametrize("args", [["--size", "x"], ["--way", "down"], ["--share", "x"]])
def test_wrong_values(args: list[str]) -> None:
    with pytest.raises(click.BadParameter):
        parsed(*args)


def test_help_has_the_sentence_and_the_default() -> None:
    assert flag(OPTIONS["size"]).help == "how many  [default: 3; x>=1]"
    assert flag(OPTIONS["use_stemmer"]).help == "stem the words  [default: yes]"
    assert flag(OPTIONS["share"]).help == ""


def test_a_name_that_is_taken_is_left_out() -> None:
    assert [option.name for option in flags([OPTIONS, OPTIONS], {"size"})] == [
        "use_stemmer", "way", "words", "sizes", "share", "steps", "parts",
    ]  # fmt: skip


@pytest.mark.parametrize("args", [["--steps", "three"], ["--parts", "none"]])
def test_a_wrong_member_of_a_list_is_refused_with_the_choices(args: list[str]) -> None:
    with pytest.raises(click.BadParameter, match="'one', 'two'"):
        parsed(*args)


def test_none_stands_alone() -> None:
    with pytest.raises(OptionError, match="--steps none stands alone, got 'none', 'one'"):
        parsed("--steps", "none", "--steps", "one")
