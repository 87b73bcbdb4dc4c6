"""Split patterns are known by their text."""

from __future__ import annotations

import pytest

from engine.library.bundled_encodings import ENTRIES
from engine.split import patterns, scanners
from engine.split.patterns import KNOWN_SPLITS
from engine.split.pretokenization import pretokenizer
from engine.split.scanners import Scanner
from tests.engine.kernels.scanning import ends_of

TEXT = (
    "Hello, World's  don'tX  \n\n x 1234567 漢字ABC 漢字Abc ソフト・ハード!\n/\n/x \u0301a \x01\x02b !abcé \n "
    "〇1〇\u2e80a.\u2e80漢's \n "
)


BUNDLED = [known for known in patterns.PATTERNS if known in {entry.pattern for entry in ENTRIES} | {patterns.LLAMA3}]


@pytest.mark.parametrize("pattern", BUNDLED, ids=lambda pattern: pattern.name)
def test_every_bundled_pattern_is_known(pattern):
    assert pattern.expression in KNOWN_SPLITS


@pytest.mark.parametrize("expression", KNOWN_SPLITS)
def test_known_patterns_cut_as_their_text_says(expression):
    spans = pretokenizer(expression).byte_spans(TEXT)
    assert spans[0, 0] == 0
    assert ends_of(Scanner(KNOWN_SPLITS[expression]), TEXT) == spans[:, 1].tolist()
    assert ends_of(scanners.plain_scanner(KNOWN_SPLITS[expression]), TEXT) == spans[:, 1].tolist()


def test_splits_differ():
    assert len({tuple(ends_of(Scanner(split), TEXT)) for split in KNOWN_SPLITS.values()}) == len(
        set(KNOWN_SPLITS.values())
    )
