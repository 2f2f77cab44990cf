"""Signatures: ``parse(repr(metric)) == metric``, for every metric and all its options."""

from __future__ import annotations

import typing
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.metric import Metric
from karat.core.options import Option, declared
from karat.core.plugins import METRICS, rows
from karat.core.registry import metric_class, parse
from karat.core.signature import join, split
from karat.errors import KaratError, OptionError
from karat.version import VERSION

BUILT_IN = [name for name, row in rows(METRICS).items() if row.package == "karat"]


def _values(option: Option) -> st.SearchStrategy[Any]:
    """Values that an option allows."""
    return st.one_of([_of(part, option) for part in _parts(option.type)])


def _parts(kind: Any) -> tuple[Any, ...]:
    import types

    union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    return typing.get_args(kind) if union else (kind,)


def _of(kind: Any, option: Option) -> st.SearchStrategy[Any]:
    if kind is type(None):
        return st.none()
    if typing.get_origin(kind) is Literal:
        return st.sampled_from(typing.get_args(kind))
    if typing.get_origin(kind) is tuple:
        return st.lists(_of(typing.get_args(kind)[0], option), max_size=3).map(tuple)
    low = option.range.low if option.range else None
    high = option.range.high if option.range else None
    low, high = (None if end in (float("-inf"), float("inf")) else end for end in (low, high))
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(low and int(low), high and int(high))
    if kind is float:
        return st.floats(low, high, allow_nan=False, allow_infinity=False)
    if typing.get_origin(kind) is dict:  # settings by path
        return st.dictionaries(
            st.sampled_from(["", "/a", "/b/*"]),
            st.fixed_dictionaries({"weight": st.integers(0, 3)}),
            max_size=2,
        )
    assert kind is str, kind
    return st.text(max_size=8)


@pytest.mark.parametrize("name", BUILT_IN)
@given(st.data())
def test_every_metric_comes_back_from_its_repr(name: str, data: st.DataObject) -> None:
    cls = metric_class(name)
    options = {
        key: data.draw(_values(option), key)
        for key, option in declared(cls).items()
        if option.required or data.draw(st.booleans())
    }
    try:
        metric = cls(**options)
    except KaratError:
        return  # options that exclude each other
    again = parse(repr(metric))
    assert again == metric
    assert hash(again) == hash(metric)
    assert repr(again) == repr(metric)
    bare = Metric.signature(metric)
    assert bare == f"{metric!r}|karat:{VERSION}"
    assert parse(bare) == metric


@given(
    st.from_regex(r"\A[A-Za-z][\w+-]{0,9}\Z"),
    st.dictionaries(
        st.from_regex(r"\A[a-z_][a-z_0-9]{0,6}\Z").filter(lambda name: not _keyword(name)),
        st.one_of(
            st.text(),
            st.integers(),
            st.booleans(),
            st.none(),
            st.floats(allow_nan=False, allow_infinity=False),
            st.tuples(st.text(), st.integers()),
        ),
    ),
    st.sampled_from(["", "|karat:1.0.0", "|karat:1.0|x:'y|z"]),
)
def test_splitting_undoes_joining(name: str, options: dict[str, Any], tail: str) -> None:
    assert split(join(name, options) + tail) == (name, options)


def _keyword(name: str) -> bool:
    import keyword

    return keyword.iskeyword(name)


SPLITS = [
    ("exact", ("exact", {})),
    (" exact ", ("exact", {})),
    ("exact()", ("exact", {})),
    ("edit-distance(a=1)", ("edit-distance", {"a": 1})),
    ("m(a='|', b=\"'\")|x", ("m", {"a": "|", "b": "'"})),
    ("m(a='\\\\')|x", ("m", {"a": "\\"})),
    ("m(a=-1.5, b=(1, 2), c=None)", ("m", {"a": -1.5, "b": (1, 2), "c": None})),
    ("m(\n a=1\n)", ("m", {"a": 1})),
]


@pytest.mark.parametrize(("text", "expected"), SPLITS)
def test_split(text: str, expected: tuple[str, dict[str, Any]]) -> None:
    assert split(text) == expected


MALFORMED = [
    "",
    "|",
    "1a",
    "m(",
    "m)",
    "m(1)",
    "m(a)",
    "m(a=b)",
    "m(a=1, a=2)",
    "m(**{'a': 1})",
    "m(a=1)(b=2)",
    "m().x",
    "m(a=open('x'))",
    "m(a=__import__('os'))",
    "m(a=1) or m()",
    "m(a='",
    "m(a=\0)",
    "m(a=" + "(" * 5000 + ")" * 5000 + ")",
    "m(a=" + "-" * 5000 + "1)",
    "m(a=" + "9" * 5000 + ")",
]


@pytest.mark.parametrize("text", MALFORMED, ids=range(len(MALFORMED)))
def test_what_is_not_a_metric(text: str) -> None:
    with pytest.raises(OptionError) as caught:
        split(text)
    assert caught.value.code == "K304"
    assert len(caught.value.headline) < 150


def test_numbers_that_are_equal_make_equal_metrics() -> None:
    one = parse("bleu(smooth_method='add-k', smooth_value=1)")
    other = parse("bleu(smooth_method='add-k', smooth_value=1.0)")
    assert one == other
    assert hash(one) == hash(other)


def test_only_what_was_changed_is_in_the_repr() -> None:
    assert repr(parse("exact(ignore_case=False)")) == "exact()"
    assert repr(parse("exact(ignore_case=True)")) == "exact(ignore_case=True)"


def test_metrics_of_different_classes_differ() -> None:
    assert parse("exact(ignore_case=True)") != parse("edit-distance(ignore_case=True)")
    assert parse("exact") != "exact()"
