"""The names that others import, and what importing costs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import engine
import pricing


def test_every_public_name_resolves():
    for name in engine.__all__:
        assert getattr(engine, name) is not None
    assert set(engine.__all__) == set(engine._HOMES)
    for package in (engine, pricing):
        assert set(package.__all__) <= set(dir(package)), "a prompt completes them"


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = engine.no_such_name


def test_importing_engine_loads_nothing_heavy():
    program = (
        "import sys, engine, engine.types\n"
        "heavy = {'numpy', 'tiktoken', 'numba', 'regex', 'tokenizers', 'engine.encoding.encoding'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2])


def test_opening_and_counting_needs_no_optional_library():
    program = (
        "import sys, engine\n"
        "assert engine.get_encoding('gpt2').count('hello world') == 2\n"
        "heavy = {'numba', 'tokenizers', 'sentencepiece', 'requests', 'PySide6'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    nothing_compiled = os.environ | {"TOKENLOUPE_KERNEL_CACHE": ""}
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[2], env=nothing_compiled)
