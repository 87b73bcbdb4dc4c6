"""Fixtures of the engine's tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def vocabularies(shared_dir: Path) -> Path:
    """The folder of the raw vocabulary files."""
    return shared_dir / "vocabularies"
