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


def make_large_tree(root: Path, files: int) -> dict[str, str]:
    """So many files and links in some hundred folders: texts in all encodings, empty ones and links to texts, and every
    tenth is no text. Those, each with the reason for which it is left out, by its path in the folder."""
    troubles: dict[str, str] = {}
    linked = root / "linked.txt"
    root.mkdir()
    linked.write_text(TEXT, encoding="utf-8")
    (root / ".gitignore").write_text("*.log\n")
    troubles[".gitignore"] = "hidden"
    for number in range(files):
        folder = root / f"part{number // 1000}" / f"group{number // 50 % 20}"
        if number % 50 == 0:
            folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"text{number}.txt"
        text = TEXT * (number % 5) + str(number)
        if number % 10 == 0:
            path, reason = _make_trouble(root, path, number // 10 % 7, text)
            troubles[str(path.relative_to(root))] = reason
        elif number % 50 == 1:
            path.write_bytes(text.encode("utf-16"))
        elif number % 50 == 2:
            path.write_bytes(b"")
        elif number % 50 == 3:
            path.write_bytes(text.encode("utf-8-sig"))
        elif number % 50 == 4:
            path.symlink_to(linked)
        else:
            path.write_bytes(text.encode())
    return troubles


def _make_trouble(root: Path, path: Path, kind: int, text: str) -> tuple[Path, str]:
    """One of seven things that are no text. What it is, and the reason."""
    if kind == 0:
        path.write_bytes(text.encode() + b"\0\x01")
        return path, "binary"
    if kind == 1:
        path.write_bytes(text.encode() + b"\xff")
        return path, "not UTF-8"
    if kind == 2:
        path.symlink_to(root / "missing")
        return path, "unreadable"
    if kind == 3:
        os.mkfifo(path)
        return path, "special"
    if kind == 4:
        path.symlink_to(root, target_is_directory=True)
        return path, "loop"
    if kind == 5:
        path.symlink_to(path)
        return path, "loop"
    path = path.with_suffix(".log")
    path.write_bytes(text.encode())
    return path, "ignored"
