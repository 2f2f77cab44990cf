"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import karat

MODULES = [info.name for info in pkgutil.walk_packages(karat.__path__, "karat.")]


@pytest.mark.parametrize("name", [name for name in MODULES if name != "karat._native"])
def test_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0
