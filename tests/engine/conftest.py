"""Fixtures of the engine's tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.encoding.encoding import Encoding
from engine.library.bundled_encodings import DATA_DIR, Catalog


@pytest.fixture(scope="session")
def vocabularies(shared_dir: Path) -> Path:
    """The folder of the raw vocabulary files."""
    return shared_dir / "vocabularies"


@pytest.fixture(scope="session")
def with_kernels(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Encoding]:
    """Gives bundled encodings, other objects than those of ``engine.get_encoding``, that encode with our kernels."""
    folder = tmp_path_factory.mktemp("tables")
    catalog = Catalog(DATA_DIR)

    def get(name: str) -> Encoding:
        encoding = catalog.get(name)
        assert encoding.use_kernels(folder)
        return encoding

    return get
