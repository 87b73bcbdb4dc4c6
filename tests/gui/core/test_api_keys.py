from __future__ import annotations

import random
import string

import pytest

from gui.core import api_keys
from gui.core.api_keys import CHUNK_CHARACTERS, MAX_FOUND, find_keys, keys_in_text
from gui.core.text_chunks import ChunkedText

WORD = string.ascii_letters + string.digits
rng = random.Random(7)


def signs(count: int, alphabet: str = WORD) -> str:
    return "".join(rng.choices(alphabet, k=count))


# Put together here, so that nothing in this file has the form of a key.
KEYS = [
    ("Anthropic", "sk-ant-" + "api03-" + signs(93) + "AA"),
    ("OpenAI", "sk-" + signs(20) + "T3Blbk" + "FJ" + signs(20)),
    ("OpenAI", "sk-proj-" + signs(74) + "T3Blbk" + "FJ" + signs(74)),
    ("OpenRouter", "sk-or-" + "v1-" + signs(64, "0123456789abcdef")),
    ("Google", "AI" + "za" + signs(35)),
    ("AWS", "AK" + "IA" + signs(16, string.ascii_uppercase + "234567")),
    ("GitHub", "gh" + "p_" + signs(36)),
    ("GitHub", "github_" + "pat_" + signs(22) + "_" + signs(59)),
    ("Hugging Face", "h" + "f_" + signs(34, string.ascii_letters)),
    ("Groq", "gs" + "k_" + signs(52)),
    ("xAI", "xa" + "i-" + signs(80)),
    ("Slack", "xo" + "xb-" + signs(12, "0123456789") + "-" + signs(24)),
    ("Stripe", "sk_" + "live_" + signs(24)),
    ("PEM", "-----BEGIN " + "RSA PRIVATE KEY-----"),
    ("PEM", "-----BEGIN " + "PRIVATE KEY-----"),
]


@pytest.mark.parametrize(("issuer", "key"), KEYS)
@pytest.mark.parametrize("around", ["{}", "key={}\n", '"{}",', "Bearer {} ", "é{}。"])
def test_a_key_is_found_where_it_stands(issuer: str, key: str, around: str):
    text = "first line\n" + around.format(key)
    (found,) = find_keys(text)
    assert (found.issuer, found.line) == (issuer, 2)
    assert text[found.char_start : found.char_end] == key


@pytest.mark.parametrize(("_issuer", "key"), [pair for pair in KEYS if pair[0] != "PEM"])
def test_what_is_too_short_or_inside_a_word_is_none(_issuer: str, key: str):
    assert find_keys(key[: len(key) // 2]) == ()
    assert find_keys("x" + key) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sk-learn and sk-image are libraries",
        "set OPENAI_API_KEY=sk-... first",
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "AKIA is a prefix; hf_hub_download is a function",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ],
)
def test_what_only_looks_a_little_like_one_is_none(text: str):
    assert find_keys(text) == ()


def test_many_keys_on_many_lines():
    text = "\n".join(key for _issuer, key in KEYS)
    assert [(found.issuer, found.line) for found in find_keys(text)] == [
        (issuer, number) for number, (issuer, _key) in enumerate(KEYS, 1)
    ]
    assert len(find_keys((KEYS[4][1] + "\n") * 200)) == MAX_FOUND


@pytest.mark.parametrize("stretch", range(1, 120, 7))
def test_a_key_is_found_wherever_the_search_pauses(monkeypatch: pytest.MonkeyPatch, stretch: int):
    monkeypatch.setattr(api_keys, "CHUNK_CHARACTERS", stretch)
    text = " ".join(key for _issuer, key in KEYS)
    assert [found.issuer for found in find_keys(text)] == [issuer for issuer, _key in KEYS]


@pytest.mark.parametrize("piece", ["sk-", "sk-ant-api03-", "AKIA", "a", "xoxb-1", "-----BEGIN A A A ", "sk-aT3BlbkFJ"])
def test_hostile_texts_come_to_an_end(piece: str):
    """A search that is not linear would not end in the time a test may take."""
    find_keys(piece * (2_000_000 // len(piece)))


@pytest.mark.parametrize("size", [1, 7, 64, 900, 5_000])
def test_a_text_in_chunks_has_the_keys_of_the_whole_text(size: int):
    lines = [line for _, key in KEYS for line in (f"key={key}", "x" + key, signs(60, WORD + " "))] * 3
    text = "\n".join(rng.sample(lines, len(lines)))
    chunks = ChunkedText(tuple(text[start : start + size].encode() for start in range(0, len(text), size)))
    expected = tuple(f"{key.issuer} (line {key.line})" for key in find_keys(text))
    assert len(expected) > len(KEYS)
    assert keys_in_text(chunks) == keys_in_text(text) == expected


@pytest.mark.parametrize("whole", [True, False])
def test_the_search_lets_a_job_yield_between_parts_of_a_text(whole):
    text = "nothing to find here, " * 50_000
    waits: list[None] = []
    keys_in_text(text if whole else ChunkedText((text,)), lambda: waits.append(None))
    assert len(waits) >= len(text) // CHUNK_CHARACTERS
