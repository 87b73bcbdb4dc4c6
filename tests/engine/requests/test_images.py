"""What images count, and their sizes from the beginnings of their files."""

from __future__ import annotations

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.requests.images import (
    HEADER_BYTES,
    RULES,
    count_image,
    image_size,
    rule_for_model,
    size_in_base64,
    size_in_data_url,
    size_of_file,
)
from engine.requests.types import Image

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"\x08\x02\0\0\0"
GIF = b"GIF89a" + struct.pack("<HH", 320, 200) + b"\0\0\0"
JPEG = (
    b"\xff\xd8"
    + b"\xff\xe1" + struct.pack(">H", 2000) + bytes(1998)  # a thumbnail and what the camera says
    + b"\xff\xff\xc4" + struct.pack(">H", 4) + b"\0\0"  # filling before a marker; a table that is no frame
    + b"\xff\xc2" + struct.pack(">HBHH", 17, 8, 768, 1024)
)  # fmt: skip
WEBP_LOSSY = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 300, 150)
WEBP_LOSSLESS = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", (400 - 1) | (200 - 1) << 14)
WEBP_EXTENDED = (
    b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + (5000 - 1).to_bytes(3, "little") + (70_000 - 1).to_bytes(3, "little")
)
FILES = {
    "png": (PNG, (640, 480)),
    "gif": (GIF, (320, 200)),
    "jpeg": (JPEG, (1024, 768)),
    "lossy": (WEBP_LOSSY, (300, 150)),
    "lossless": (WEBP_LOSSLESS, (400, 200)),
    "extended": (WEBP_EXTENDED, (5000, 70_000)),
}


@pytest.mark.parametrize(
    ("rule", "width", "height", "detail", "tokens"),
    [
        ("gpt-4o", 1024, 1024, "high", 765),  # four tiles after the short side became 768
        ("gpt-4o", 2048, 4096, "high", 1105),  # 768 by 1536: six tiles
        ("gpt-4o", 4096, 8192, "low", 85),
        ("gpt-4o", 512, 512, "auto", 255),
        ("gpt-4o", 1, 1, "auto", 255),
        ("gpt-4o-mini", 1024, 1024, "high", 25501),
        ("gpt-5", 1024, 1024, "high", 630),
        ("o1", 1024, 1024, "high", 675),
        ("gpt-5.2", 1024, 1024, "high", 1024),
        ("gpt-5.2", 1800, 2400, "high", 1452),  # shrunk to 33 by 44 patches
        ("gpt-4.1-mini", 1024, 1024, "high", 1659),
        ("gpt-4.1-mini", 1800, 2400, "high", 2353),
        ("gpt-6", 4000, 3000, "auto", 14100),
        ("claude", 256, 256, "auto", 100),
        ("claude-area", 256, 256, "auto", 88),
        ("claude", 1000, 1000, "auto", 1296),
        ("gemini-2", 384, 384, "auto", 258),
        ("gemini-2", 385, 384, "auto", 4 * 258),
        ("gemini-2", 960, 540, "auto", 1548),  # Google's own example
        ("gemini-2", 540, 960, "auto", 1548),
        ("gemini-2", 1000, 500, "auto", 8 * 258),
        ("gemini-2", 700, 700, "auto", 4 * 258),
        ("gemini-2", 1000, 800, "auto", 4 * 258),
        ("gemini-2", 1500, 1000, "auto", 6 * 258),
        ("gemini-2", 1000, 100, "auto", 4 * 258),  # tiles have at least 256 pixels
        ("gemini-2", 3000, 2000, "auto", 12 * 258),  # and at most 768
        ("gemini-3", 10, 10, "auto", 1120),
        ("gemini-3", 4000, 4000, "low", 280),
    ],
)
def test_tokens_of_an_image(rule, width, height, detail, tokens):
    assert count_image(Image(width, height, detail), rule).tokens == tokens


@given(
    rule=st.sampled_from(sorted(RULES)),
    width=st.integers(-5, 10**9),
    height=st.integers(-5, 10**9),
    detail=st.sampled_from(["auto", "low", "high", "strange"]),
)
def test_any_size_counts_something(rule, width, height, detail):
    counted = count_image(Image(width, height, detail), rule)
    assert counted.tokens > 0
    if not (0 < width <= 10**6 and 0 < height <= 10**6):
        assert counted.grade == "estimate"


@given(width=st.integers(1, 20_000), height=st.integers(1, 20_000))
def test_a_budget_of_patches_is_kept(width, height):
    for rule, most in (("gpt-5.2", 1536), ("gpt-5.4", 2500), ("claude", 1568), ("claude-opus-4.7", 4784)):
        assert count_image(Image(width, height), rule).tokens <= most


def test_how_far_the_count_of_an_image_is_trusted():
    assert count_image(Image(100, 100), "claude").grade == "formula"
    assert count_image(Image(4000, 3000), "claude").grade == "estimate"
    assert count_image(Image(100, 100), "gpt-5.5").grade == "estimate"
    assert count_image(Image(0, 0), "gpt-4o").grade == "estimate"


@pytest.mark.parametrize(
    ("model", "rule"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("openai/gpt-4o-mini", "gpt-4o-mini"),
        ("gpt-5.4-mini", "gpt-5.4-mini"),
        ("anthropic/claude-opus-4-7", "claude-opus-4.7"),
        ("claude-sonnet-4-5", "claude"),
        ("claude-sonnet-5-20260901", "claude-opus-4.7"),
        ("gemini-3-pro-preview", "gemini-3"),
        ("qwen3", None),
        ("", None),
    ],
)
def test_the_rule_of_a_model(model, rule):
    assert rule_for_model(model) == rule


@pytest.mark.parametrize("name", FILES)
def test_the_size_of_a_file(name, tmp_path):
    data, size = FILES[name]
    assert image_size(data) == size
    path = tmp_path / "image"
    path.write_bytes(data + bytes(100))
    assert size_of_file(path) == size
    url = f"data:image/{name};base64," + base64.b64encode(data + bytes(HEADER_BYTES)).decode()
    assert size_in_data_url(url) == size
    assert size_in_data_url("https://example.org/a.png") is None


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_ends_early_has_no_size(name):
    data, size = FILES[name]
    for end in range(len(data)):
        assert image_size(data[:end]) in (None, size)


@given(data=st.binary(max_size=60), name=st.sampled_from(sorted(FILES)), at=st.integers(0, 40))
def test_a_damaged_file_has_some_size_or_none(data, name, at):
    whole = FILES[name][0]
    for damaged in (data, whole[:at] + data + whole[at:], whole[:at] + data):
        size = image_size(damaged)
        assert size is None or min(size) > 0
    size_in_base64(data.decode("latin-1"))
