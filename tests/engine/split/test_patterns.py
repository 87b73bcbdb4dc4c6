"""The table of split patterns: what the rest of the program reads there."""

from __future__ import annotations

from collections import Counter

import engine
from engine.library.bundled_encodings import ENTRIES
from engine.library.formats import gguf, spelling
from engine.split.patterns import GPT2, KNOWN_SPLITS, NAMED_SPLITS, PATTERNS
from gui.tokenizers.library.service import PATTERN_NAMES
from gui.tokenizers.train.form import PATTERNS as TRAINING_PATTERNS

WITHOUT_PATTERNS = {"whitespace", "sentencepiece", "none"}


def test_names_are_there_once():
    names = [known.name for known in PATTERNS]
    trained = [known.trained_as for known in PATTERNS if known.trained_as]
    theirs = [name for known in PATTERNS for name in known.gguf]
    for listed in (names, trained, theirs):
        assert [name for name, times in Counter(listed).items() if times > 1] == []


def test_training_and_its_dialogs_offer_what_the_table_does():
    trained = {known.trained_as for known in PATTERNS} - {""}
    assert set(NAMED_SPLITS) == trained | WITHOUT_PATTERNS
    assert set(PATTERN_NAMES) == trained
    assert {choice.value for choice in TRAINING_PATTERNS} == trained | WITHOUT_PATTERNS
    assert all(known.description for known in PATTERNS if known.trained_as)


def test_every_spelling_leads_back_to_the_pattern():
    for known in PATTERNS:
        for text in (known.expression, *known.also):
            assert KNOWN_SPLITS.get(text) == known.scan
        assert spelling.expression_of(spelling.stages_of(known.expression)) == known.expression or not known.stages
        assert all(gguf.SPLITS[name] == known.expression for name in known.gguf)
        assert not known.minbpe or spelling.BY_MINBPE[known.minbpe] == known.expression
    assert spelling.stages_of(GPT2.expression) == {"use_regex": True} | spelling._BYTES


def test_bundled_encodings_name_patterns_of_the_table():
    apart = {"gemma", "gemma3"}
    assert {entry.pattern.name for entry in ENTRIES} - apart <= {known.name for known in PATTERNS}
    assert engine.get_encoding("o200k_base")._pat_str in KNOWN_SPLITS
