"""No two modules need each other, not even inside functions; packages offer what they name."""

from __future__ import annotations

import ast
import importlib
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import karat

ROOT = Path(karat.__file__).parent.parent


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {_name(path): path for path in (ROOT / "karat").rglob("*.py")}


def imports(name: str) -> set[str]:
    """The modules of karat that a module imports, but for its types only."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and node not in for_types:
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node not in for_types:
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {each if each in MODULES else node.module for each in whole}
    return (found & MODULES.keys()) - {name}


def test_there_is_no_circle_of_imports() -> None:
    try:
        TopologicalSorter({name: imports(name) for name in MODULES}).prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None


PACKAGES = [name for name, path in MODULES.items() if path.name == "__init__.py"]


@pytest.mark.parametrize("name", PACKAGES)
def test_what_a_package_offers_is_there_and_listed(name: str) -> None:
    """Names of `__all__` can be had, and completion in a shell knows them."""
    package = importlib.import_module(name)
    for offered in getattr(package, "__all__", ()):
        assert offered in dir(package), f"{name}.{offered}"
        assert getattr(package, offered) is not None


def test_type_checkers_know_the_names_that_karat_offers() -> None:
    """Each from where it is loaded when it is asked for."""
    tree = ast.parse(MODULES["karat"].read_text(encoding="utf-8"))
    (known,) = (node for node in tree.body if isinstance(node, ast.If) and not node.orelse
                and isinstance(node.test, ast.Name))  # fmt: skip
    told = {
        alias.asname: node.module
        for node in known.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    loaded = {
        name: f"karat.{module}"
        for module, names in karat._NAMES.items()  # type: ignore[attr-defined]
        for name in names.split()
    }
    assert told == {**loaded, "report": "karat.report"}
    assert set(karat.__all__) == {*told, "__version__"}


@pytest.mark.parametrize("folder", ["benchmarks", "examples", "website"])
def test_scripts_import_what_is_there(folder: str) -> None:
    """They are not type-checked, and not all of them are run by tests."""
    missing = []
    for path in (Path(__file__).resolve().parents[2] / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or (node.module or "").split(".")[0] != "karat":
                continue
            assert node.module is not None
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                is_there = whole in MODULES or (
                    (node.module in MODULES or node.module == "karat._native")
                    and hasattr(importlib.import_module(node.module), alias.name)
                )
                if not is_there:
                    missing.append(f"{path.name}:{node.lineno}: {whole}")
    assert not missing
