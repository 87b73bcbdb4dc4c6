"""The user's price file as text: reading it for the editor, writing it, telling what changed in it. The work of lanes.

The editor holds text with line feeds and without a mark at its beginning. What the file has instead is kept apart and
given back when it is written, line by line where the file mixes line ends.
"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from gui.editor.offsets import document_text
from gui.editor.text_mirror import TextMirror
from gui.versioned_document import regular_bytes

if TYPE_CHECKING:
    from gui.jobs import Ticket
    from pricing.types import Problem

MOST_CHARACTERS = 400_000
"""Longer files are not edited here: hundreds of times what ninety models take."""
MOST_COMPARED_LINES = 5_000
"""Longer texts are not compared line by line, which takes the square of their length."""

_MARK = "\ufeff"
_LINE = re.compile(r"[^\r\n]*(\r\n|\r|\n|$)")

EXACTLY = "exactly"
TOO_LONG = "too long"
ODD_CHARACTERS = "odd characters"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Splice:
    """The smallest replacement that makes one text of another: UTF-16 offset, units removed there, text put there."""

    start_utf16: int
    removed_utf16: int
    inserted: str


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two texts: how many lines came and went, and all of it as a unified diff (empty where the
    texts are too long to be compared)."""

    added: int
    removed: int
    lines: str


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """``against``: the text in the editor, with its revision; None before there is one."""

    path: Path
    against: str | None = None
    revision: int = -1


@dataclass(frozen=True, slots=True)
class FileText:
    """A price file as it was read. ``text`` is for the editor, ``stored`` as it stands on the disk.

    ``digest`` is the SHA-256 of the bytes, empty where there is no file. ``held`` says whether the editor can hold the
    text: ``EXACTLY``, or why it cannot. ``problem`` says what is wrong with an unreadable file.
    ``splice`` and ``difference`` lead from the text of the request to this one, where it had one.
    """

    text: str
    stored: str
    digest: str
    held: str = EXACTLY
    problem: Problem | None = None
    splice: Splice | None = None
    difference: Difference | None = None

    @property
    def exists(self) -> bool:
        """Whether there is a file."""
        return bool(self.digest)


@dataclass(frozen=True, slots=True)
class SaveRequest:
    """``stored`` and ``digest`` are those of the file that the text was made from; another is not written over."""

    path: Path
    text: str
    stored: str
    digest: str
    revision: int


@dataclass(frozen=True, slots=True)
class Saved:
    """The file as written. ``outside`` is the file as somebody else has written it meanwhile; then nothing was."""

    file: FileText | None = None
    outside: FileText | None = None


def read_price_text(request: ReadRequest, _ticket: Ticket | None = None) -> FileText:
    """Read the price file for the editor. Raises OSError where it exists and cannot be read."""
    try:
        raw = regular_bytes(request.path)
    except FileNotFoundError:
        return FileText("", "", "")
    file = _file_text(request.path, raw)
    if request.against is None or file.held != EXACTLY or file.text == request.against:
        return file
    return FileText(
        file.text,
        file.stored,
        file.digest,
        splice=splice(request.against, file.text),
        difference=difference(request.against, file.text),
    )


def save_price_text(request: SaveRequest, _ticket: Ticket | None = None) -> Saved:
    """Write the price file, the one before beside it with the ending ``.bak``. Raises OSError; then nothing changed."""
    from engine.half_written import only_here
    from gui.services.file_writing import write_atomic

    stored = stored_text(request.text, request.stored)
    raw = stored.encode("utf-8", "surrogatepass")
    folder = Path(os.path.realpath(request.path)).parent  # that of ``change_atomic``, which the command line uses
    with only_here(folder):  # of two that save at once, the second sees what the first one wrote
        outside = read_price_text(ReadRequest(request.path, request.text))
        if outside.digest != request.digest:
            return Saved(outside=outside)
        write_atomic(request.path, raw, keep_backup=True)
    return Saved(FileText(request.text, stored, sha256(raw).hexdigest()))


def stored_text(text: str, before: str) -> str:
    """``text`` with the line ends, and the mark at the beginning, that ``before`` has on the disk.

    A new line takes the line end that is the most common one there; a line that stays keeps its own.
    """
    old = [(match.group()[: match.start(1) - match.start()], match.group(1)) for match in _LINE.finditer(before)]
    ends = [end for _, end in old if end]
    usual = max(set(ends), key=ends.count) if ends else "\n"
    mark = _MARK if before.startswith(_MARK) else ""
    if len(set(ends)) < 2:
        return mark + text.replace("\n", usual)
    lines = text.split("\n")
    new_ends = [usual] * len(lines)
    old_lines = [line.removeprefix(_MARK) for line, _ in old]
    for block in difflib.SequenceMatcher(None, old_lines, lines, autojunk=False).get_matching_blocks():
        for step in range(block.size):
            new_ends[block.b + step] = old[block.a + step][1] or usual
    return mark + "".join(line + end for line, end in zip(lines[:-1], new_ends, strict=False)) + lines[-1]


def splice(before: str, after: str) -> Splice:
    """The smallest replacement that makes ``after`` of ``before``."""
    mirror = TextMirror(before)
    start, removed, inserted = mirror.replace(0, len(mirror), after.encode("utf-16-le", "replace"))
    return Splice(start, removed, inserted)


def difference(before: str, after: str) -> Difference:
    """What differs, line by line."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > MOST_COMPARED_LINES:
        return Difference(0, 0, "")
    lines = list(difflib.unified_diff(old, new, lineterm="", n=1))[2:]
    added = sum(line.startswith("+") for line in lines)
    return Difference(added, sum(line.startswith("-") for line in lines), "\n".join(lines))


def _file_text(path: Path, raw: bytes) -> FileText:
    from pricing.load import MAX_BYTES, read_price_file

    digest = sha256(raw).hexdigest()
    try:
        stored = raw.decode("utf-8")
    except UnicodeDecodeError:
        stored = None
    if stored is None or len(raw) > MAX_BYTES:
        problems = read_price_file(path).problems
        return FileText("", "", digest, UNREADABLE, problems[0] if problems else None)
    if len(stored) > MOST_CHARACTERS:
        return FileText("", stored, digest, TOO_LONG)
    text = document_text(stored.removeprefix(_MARK))
    held = EXACTLY if stored_text(text, stored) == stored else ODD_CHARACTERS
    return FileText(text, stored, digest, held)
