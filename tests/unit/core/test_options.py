"""Options: declared as fields, checked, fixed, and named when wrong."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest

from karat.core.metric import Metric
from karat.core.options import Range, declared
from karat.core.registry import parse
from karat.errors import OptionError


class Thing(Metric[str, str]):
    name = "thing"
    kind = "text"
    columns = ("items",)

    needed: Annotated[int, Range(1, 9), "what it needs"]
    flag: bool = False
    share: Annotated[float, Range(0, 1)] = 0.5
    most: Annotated[int | None, Range(high=10), "at most"] = None
    way: Literal["up", "down", 1] = "up"
    words: tuple[str, ...] = ()
    sizes: Annotated[tuple[int, ...], Range(1)] = ()
    text: str = ""


def test_fields_are_the_declaration() -> None:
    options = declared(Thing)
    assert list(options) == [
        "needed", "flag", "share", "most", "way", "words", "sizes", "text",
    ]  # fmt: skip
    assert options["needed"].required
    assert not options["flag"].required
    assert options["needed"].help == "what it needs"
    assert options["needed"].range == Range(1, 9)
    assert options["way"].choices == ("up", "down", 1)


@pytest.mark.parametrize(
    ("name", "scalar", "is_list"),
    [
        ("needed", int, False),
        ("flag", bool, False),
        ("share", float, False),
        ("most", int, False),
        ("words", str, True),
        ("sizes", int, True),
        ("text", str, False),
    ],
)
def test_what_a_string_is_converted_to(name: str, scalar: type, is_list: bool) -> None:
    option = declared(Thing)[name]
    assert option.scalar is scalar
    assert option.is_list is is_list


GOOD: list[dict[str, Any]] = [
    {},
    {"needed": 9},
    {"share": 0},
    {"share": 1.0},
    {"most": None},
    {"most": -5},
    {"way": 1},
    {"words": ("a", "b")},
    {"sizes": (1, 2)},
]


@pytest.mark.parametrize("options", GOOD)
def test_allowed_values(options: dict[str, Any]) -> None:
    metric = Thing(**{"needed": 1, **options})
    assert metric.options == {**Thing(needed=1).options, **options}


NAN, INF = float("nan"), float("inf")
BAD: list[tuple[dict[str, Any], str]] = [
    ({"needed": 0}, "option 'needed' of thing must be int from 1 to 9, got 0"),
    ({"needed": True}, "option 'needed' of thing must be int from 1 to 9, got True"),
    ({"needed": 1.0}, "option 'needed' of thing must be int from 1 to 9, got 1.0"),
    ({"flag": 1}, "option 'flag' of thing must be bool, got 1"),
    ({"share": 1.5}, "option 'share' of thing must be float from 0 to 1, got 1.5"),
    ({"share": NAN}, "option 'share' of thing must be float from 0 to 1, got nan"),
    ({"share": "0.5"}, "option 'share' of thing must be float from 0 to 1, got '0.5'"),
    ({"most": 11}, "option 'most' of thing must be int or None at most 10, got 11"),
    ({"way": "left"}, "option 'way' of thing must be one of 'up', 'down', 1, got 'left'"),
    ({"way": True}, "option 'way' of thing must be one of 'up', 'down', 1, got True"),
    ({"words": "ab"}, "option 'words' of thing must be a tuple of str, got 'ab'"),
    ({"words": ("a", 1)}, "option 'words' of thing must be a tuple of str, got ('a', 1)"),
    ({"sizes": (2, 0)}, "option 'sizes' of thing must be a tuple of int at least 1, got (2, 0)"),
    ({"text": None}, "option 'text' of thing must be str, got None"),
    ({"flagg": True}, "thing has no option 'flagg'; did you mean 'flag'?"),
    ({"text": 1 << 20000}, "option 'text' of thing must be str, got a very large number"),
    (
        {"needed": "x" * 100},
        f"option 'needed' of thing must be int from 1 to 9, got '{'x' * 76}...",
    ),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_wrong_values(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        Thing(**{"needed": 1, **options})
    assert caught.value.message == message


@pytest.mark.parametrize("value", [NAN, INF, -INF])
def test_numbers_that_cannot_be_written_down(value: float) -> None:
    from karat.text.metrics.bleu import Bleu

    with pytest.raises(OptionError, match="K302"):
        Bleu(smooth_value=value)


def test_a_required_option() -> None:
    with pytest.raises(OptionError) as caught:
        Thing()  # type: ignore[call-arg]
    assert caught.value.headline == (
        "OptionError K303: thing needs the option 'needed' (what it needs)"
    )


def test_a_constructor_is_refused_with_a_way_out() -> None:
    with pytest.raises(TypeError, match="Old has a constructor: declare its options as fields"):

        class Old(Metric[str, str]):
            name = "old"

            def __init__(self, *, size: int = 1) -> None:
                self.size = size


def test_a_value_cannot_be_changed() -> None:
    thing = Thing(needed=2)
    with pytest.raises(AttributeError, match="option 'needed' of thing cannot be changed"):
        thing.needed = 3  # type: ignore[misc]


def test_inherited_options_come_after_own_ones_and_may_be_declared_anew() -> None:
    class Base(Metric[str, str]):
        name = "base"

        size: Annotated[int, "how many"] = 1
        seed: Annotated[int, "of chance"] = 0

    class Derived(Base):
        name = "derived"

        fold: Annotated[bool, "ignore case"] = False
        seed: Annotated[int, Range(0), "of chance"] = 7

    assert list(declared(Derived)) == ["fold", "seed", "size"]
    assert declared(Derived)["seed"].range == Range(0)
    assert repr(Derived(size=2, seed=7)) == "derived(size=2)"
    assert Derived(size=2) == Derived(size=2, seed=7) != Derived(size=3)


def test_a_class_without_fields_has_no_options() -> None:
    class Bare(Metric[str, str]):
        name = "bare"

    assert declared(Bare) == {}
    assert repr(Bare()) == "bare()"
    with pytest.raises(OptionError, match="bare has no option 'size'"):
        Bare(size=1)


def test_options_have_names() -> None:
    with pytest.raises(OptionError, match=r"K301: .* write thing\(option=1\)"):
        Thing(1)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("allowed", "text"),
    [
        (Range(1), "at least 1"),
        (Range(high=0.5), "at most 0.5"),
        (Range(0, 16), "from 0 to 16"),
    ],
)
def test_ranges_in_words(allowed: Range, text: str) -> None:
    assert str(allowed) == text


def test_a_list_of_choices_is_refused_with_the_choices() -> None:
    with pytest.raises(OptionError) as caught:
        parse("sdp(normalize=('none',))")
    assert str(caught.value).startswith(
        "OptionError K302: option 'normalize' of sdp must be a tuple of any of 'anchors', 'case', "
        "'edges', 'attributes', got ('none',)"
    )
