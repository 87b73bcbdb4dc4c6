"""Cuts inside of pretokens, where no token crosses, change no id."""

from __future__ import annotations

import random

import pytest

from engine.kernels._jit import COMPILED
from engine.kernels.cache_folder import current_folder
from engine.library import catalog
from engine.runtime.tiktoken_core import build_core
from engine.split import scanners
from engine.split.scanners import Scanner
from engine.vocabulary.tables import crossings_in
from tests.engine.kernels.odd_texts import odd_text
from tests.engine.kernels.scanning import SPLITS, all_ends, padded
from tests.thoroughness import mostly_deep

pytestmark = pytest.mark.skipif(not COMPILED, reason="cuts are only found by compiled kernels")

SEED = 99
ENCODINGS = {
    "cl100k_base": "cl100k",
    "o200k_base": "o200k",
    "qwen": "qwen",
    "qwen3_5": "qwen3_5",
    "kimi": "kimi",
    "deepseek": "deepseek",
}
SCRIPTS = (
    "漢字日本国人大中一是不了在有",
    "ひらがなカタカナー",
    "กขคงจำไก่ทุกคน",
    "한국어안녕하세요",
    "हिन्दीनमस्ते",
    "ខ្មែរ",
)
NEVER_MADE = ("俱乐部", "各种各样的", "全心全意", "全心全意为人民", "毛泽东", "สังหาริมทรัพย์")
"""Tokens of qwen3_5 that merging never makes."""


def flowing_text(rng: random.Random) -> str:
    """Scripts without spaces, now and then something else."""
    parts = []
    for _ in range(rng.randrange(1, 8)):
        letters = rng.choice(SCRIPTS)
        parts.append("".join(rng.choice(letters) for _ in range(rng.choice((1, 4, 20, 60)))))
        if rng.random() < 0.2:
            parts.append(rng.choice(NEVER_MADE))
        if rng.random() < 0.4:
            parts.append(odd_text(rng, longest=5))
    return "".join(parts)


@pytest.fixture(scope="module", params=mostly_deep(ENCODINGS, 2))
def case(request):
    """Scanner without and with cuts, and tiktoken with the vocabulary."""
    split, pattern = SPLITS[ENCODINGS[request.param]]
    encoding = catalog.get_encoding(request.param)
    ranks = encoding._mergeable_ranks
    crossings = crossings_in(encoding.open_native(current_folder()).tables)
    return scanners.plain_scanner(split), Scanner(split, crossings), build_core(ranks, {}, pattern)


def test_parts_encode_to_the_ids_of_the_whole(case):
    plain, cutting, core = case
    rng = random.Random(SEED)
    cut_further = 0
    for _ in range(600):
        content = flowing_text(rng).encode()
        text = padded(content, rng)
        whole = all_ends(plain, text, len(content))
        parts = all_ends(cutting, text, len(content), rng.choice((64, 300)))
        assert set(whole) <= set(parts)
        cut_further += len(parts) - len(whole)
        start = 0
        at = 0
        for end in whole:
            ids = []
            while at < len(parts) and parts[at] <= end:
                first = parts[at - 1] if at else 0
                ids += core.encode_single_piece(content[first : parts[at]])
                at += 1
            assert ids == core.encode_single_piece(content[start:end]), content[start:end]
            start = end
    assert cut_further > 1000


@pytest.mark.deep
def test_every_cut_is_between_characters_and_crossed_by_no_token(case):
    """The rule itself, by brute force: no token of the vocabulary has the bytes on both sides of a cut."""
    plain, cutting, core = case
    tokens = set(core.token_byte_values())
    longest = 40
    rng = random.Random(SEED + 1)
    for _ in range(60):
        content = flowing_text(rng).encode()
        text = padded(content)
        for cut in set(all_ends(cutting, text, len(content))) - set(all_ends(plain, text, len(content))):
            assert content[cut] & 0xC0 != 0x80
            for start in range(max(0, cut - longest), cut):
                for end in range(cut + 1, min(len(content), cut + longest) + 1):
                    assert content[start:end] not in tokens, (content, cut)
