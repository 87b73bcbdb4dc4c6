"""Starting a module of the engine in a process of its own, from a checkout as from a frozen program."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path


def child_command(module: str, option: str, arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The command that runs ``module`` with these arguments, and its environment. ``option``: of the program, for where
    it is frozen and has no interpreter beside it: makes it do what the module does."""
    if getattr(sys, "frozen", False):
        return [sys.executable, option, *arguments], dict(os.environ)
    # Found where this module was found, whatever folder the program was started in, and nothing else there is.
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    return [sys.executable, "-P", "-m", module, *arguments], environment
