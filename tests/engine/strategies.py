"""Texts that tokenizers get wrong."""

from __future__ import annotations

from hypothesis import strategies as st

NASTY = (
    *" \n\r\t\v\f!\"'/\\1aZ.,;:<>[](){}_-|",
    "  ",
    "\r\n",
    "\n\n",
    "'s",
    "'LL",
    "'ſ",
    "ſ",
    "\u212a",  # Kelvin sign: matches k without regard to case
    "é",
    "e\u0301",
    "ß",
    "ǅ",
    "ʰ",
    "ª",
    "²",
    "Ⅷ",
    "〇",
    "٣",
    "𝟎",
    "字",
    "一",
    "龥",
    "龦",  # just outside DeepSeek's Han range
    "の",
    "ア",
    "・",
    "゠",
    "ー",
    "゛",
    "\u3099",
    "\u3040",  # unassigned, inside the kana range
    "、",
    "。",
    "，",
    "（",
    "한",
    "ก",
    "\u0e33",
    "न",
    "\u093e",
    "א",
    "ع",
    "😀",
    "👨\u200d👩\u200d👧",
    "𝒳",
    "\u200b",
    "\u200d",
    "\u200d\u200d",
    "\u2060",
    "\ufeff",
    "\ufffd",
    "\x00",
    "\x1c",
    "\x85",
    "\x91",
    "\u05f5",
    "\u0378",
    "\ue000",
    "\U000e0001",
    "\U000f0000",
    "\U0010ffff",
    "\xa0",
    "\u1680",
    "\u180e",
    "\u2003",
    "\u2028",
    "\u3000",
    "$",
    "€",
    "+",
    "word",
    " the",
    "Hello",
    "don't",
    "1234567",
    "<|endoftext|>",
    "<|endofprompt|>",
    "<|im_start|>",
    "<|end",
    "oftext|>",
    "<｜User｜>",
    "｜DSML｜",
    "<think>",
    "[INST]",
    "</s>",
)
SURROGATES = ("\ud83d", "\ude00", "\ud800", "\udfff")

code_points = st.characters(exclude_categories=["Cs"])


def texts(max_pieces: int = 30) -> st.SearchStrategy[str]:
    """Texts without surrogates: hostile pieces, and any code points between them."""
    piece = st.one_of(st.sampled_from(NASTY), st.sampled_from(NASTY), code_points, st.text(code_points, max_size=5))
    return st.lists(piece, max_size=max_pieces).map("".join)


def texts_with_surrogates(max_pieces: int = 30) -> st.SearchStrategy[str]:
    """As ``texts``, with lone and paired surrogates as characters of their own."""
    piece = st.one_of(st.sampled_from(NASTY), st.sampled_from((*NASTY, *SURROGATES)), st.characters())
    return st.lists(piece, max_size=max_pieces).map("".join)
