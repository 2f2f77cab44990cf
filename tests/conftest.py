"""Fixtures for all tests."""

from __future__ import annotations

import shutil
import signal
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from commands import PROGRAM, Karat, run_karat
from drawn import drawn
from karat.errors import MissingExtra
from karat.text.external.meteor import find_jar

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"

# What a shell starts in the background ignores interrupts, and so would the commands under test.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Times vary on shared machines, and a result must not depend on them; nor may it depend on
# chance whether a change passes. New cases are searched with --hypothesis-profile=explore.
for name, same_cases in ("karat", True), ("explore", False):
    settings.register_profile(
        name,
        deadline=None,
        max_examples=drawn(100),
        derandomize=same_cases,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("karat")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and recorded figures, which a user's clone does not have."""
    if not (SHARED / "golden").is_dir():
        pytest.skip("the shared data folder is not there")
    return SHARED


@pytest.fixture(scope="session")
def meteor_jar() -> str:
    """The original engine of METEOR, where it can run; scripts/setup brings it."""
    if shutil.which("java") is None:
        pytest.skip("java is not there")
    try:
        return str(find_jar())
    except MissingExtra:
        pytest.skip("meteor-1.5.jar is not there")


@pytest.fixture(scope="session")
def program() -> str:
    """The installed command."""
    return PROGRAM


@pytest.fixture
def karat(tmp_path: Path) -> Karat:
    """Runs the command in `tmp_path`; input and output are text."""
    return partial(run_karat, cwd=tmp_path)
