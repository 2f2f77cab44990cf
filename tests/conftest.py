"""Fixtures for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says nothing on a machine that does other things too.
settings.register_profile("karat", deadline=None)
settings.load_profile("karat")

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and recorded figures, which a user's clone does not have."""
    if not (SHARED / "golden").is_dir():
        pytest.skip("the shared data folder is not there")
    return SHARED
