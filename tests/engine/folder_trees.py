"""Folders with everything in them that goes wrong with files."""

from __future__ import annotations

import os
from pathlib import Path

TEXT = "Tokenization is the first step in any LLM pipeline. Überraschung!\n"


def make_tree(root: Path, files: int) -> None:
    """So many small texts in folders of folders, all different, none of them alone in its folder."""
    for number in range(files):
        folder = root / f"part{number % 7}" / f"group{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"text{number}.txt").write_text(TEXT * (number % 5) + str(number), encoding="utf-8")


def add_troubles(root: Path) -> dict[str, str]:
    """What is no text, each with the reason for which it is left out, by its path in the folder. An unreadable file is
    among them where the system keeps anything from whoever runs this."""
    (root / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (root / "latin.txt").write_bytes("naïve".encode("latin-1"))
    (root / ".hidden").write_text("not seen")
    (root / ".gitignore").write_text("*.log\n")
    (root / "noise.log").write_text("not counted")
    troubles = {"picture.png": "binary", "latin.txt": "not UTF-8", ".hidden": "hidden", ".gitignore": "hidden"}
    troubles["noise.log"] = "ignored"
    (root / ".git").mkdir()
    troubles[".git"] = "hidden"
    if os.name == "posix":
        (root / "around").symlink_to(root, target_is_directory=True)
        (root / "nowhere").symlink_to(root / "missing")
        (root / "itself").symlink_to(root / "itself")
        os.mkfifo(root / "pipe")
        troubles |= {"around": "loop", "nowhere": "unreadable", "itself": "loop", "pipe": "special"}
    locked = root / "locked.txt"
    locked.write_text("secret")
    locked.chmod(0)
    if not os.access(locked, os.R_OK):
        troubles["locked.txt"] = "unreadable"
    return troubles
