"""What the vocabulary browser is told of the engine without asking it."""

from __future__ import annotations

from engine.text.character_classes import SCRIPT_NAMES
from engine.vocabulary.entries import KINDS as ENGINE_KINDS
from engine.vocabulary.entry_diagnostics import FINDINGS as ENGINE_FINDINGS
from gui.tokenizers.vocabulary.table import FINDING_HINTS, FINDINGS, KINDS, SCRIPTS


def test_names_are_those_of_the_engine():
    assert SCRIPTS == SCRIPT_NAMES
    assert tuple(FINDINGS) == tuple(FINDING_HINTS) == ENGINE_FINDINGS
    assert tuple(KINDS) == ENGINE_KINDS
