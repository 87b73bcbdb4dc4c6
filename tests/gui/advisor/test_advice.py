"""What is found is about the tokens that the encoding makes of the text, where they are in it."""

from __future__ import annotations

import pytest

import engine
from gui.core.text_chunks import ChunkedText
from gui.prompt.savings.service import LINES, AdviceRequest, look
from gui.runtime.jobs import Ticket

SAMPLE = "The finance office of Ångström: résumé, naïve. " * 4
LINES_OF_TEXT = ["Ångström ", "<|endoftext|> the OFFICE\n", "résumé, 한 ", "\ud800 naïve\n"]
SETTINGS = {
    "as it is": {},
    "plain": {"normalization": "NFKD", "lowercase": True, "strip_accents": True},
    "marks": {"alphabet": "characters+</w>", "pattern": "whitespace"},
}


@pytest.mark.parametrize("special_as_tokens", [False, True])
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_lines_are_ranked_by_the_tokens_that_begin_in_them(name: str, special_as_tokens: bool) -> None:
    encoding = engine.train(SAMPLE, 400, name, special_tokens=["<|endoftext|>"], **SETTINGS[name])
    text = "".join(LINES_OF_TEXT) * 3
    request = AdviceRequest(1, ChunkedText((text.encode("utf-8", "surrogatepass"),)), name, special_as_tokens)
    findings = look(lambda _: encoding, request, Ticket(lambda *_: None))
    ranked = findings.rankings[LINES]
    assert len(ranked) == 6
    assert sum(part.tokens for part in ranked) == len(encoding.token_ids(text, special_as_tokens=special_as_tokens))
