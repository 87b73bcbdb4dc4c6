"""A line of text of which some stretches are marked: as gone, or as new. No Qt."""

from __future__ import annotations

from typing import NamedTuple

REMOVED, ADDED = "removed", "added"


class Run(NamedTuple):
    """Some of a line, as it is shown. ``mark``: ``REMOVED``, ``ADDED``, or nothing."""

    text: str
    mark: str = ""


Runs = tuple[Run, ...]


def plain_text(runs: Runs) -> str:
    """The line for those who cannot see it: what is gone in brackets with a minus, what is new with a plus."""
    signs = {REMOVED: "[−{}]", ADDED: "[+{}]"}
    return "".join(signs.get(run.mark, "{}").format(run.text) for run in runs)


def text_without(runs: Runs, mark: str) -> str:
    """The line without what is marked so: that before, or that after."""
    return "".join(run.text for run in runs if run.mark != mark)
