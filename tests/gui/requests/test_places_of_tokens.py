"""The tokens of a rendered request are where they belong in the text that is shown, in any encoding."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine
from engine.requests.templates import TEMPLATES
from engine.requests.types import Image, Message
from gui.prompt.chat import service as request_count
from gui.prompt.chat.service import RequestDraft, count_draft
from tests.thoroughness import mostly_deep

SAMPLE = "The finance office of Ångström: résumé, Ｆull ﬁnance, naïve ²! 한국어 " * 4
SETTINGS = {
    "as it is": {},
    "plain": {"normalization": "NFKD", "lowercase": True, "strip_accents": True},
    "marks": {"alphabet": "characters+</w>", "pattern": "whitespace"},
    "signs": {"pattern": "sentencepiece", "alphabet": "characters", "normalization": "NFKC"},
}
encodings = {name: engine.train(SAMPLE, 420, name, **options) for name, options in SETTINGS.items()}

texts = st.text(st.sampled_from("ab  é²ﬁ\u0301한😀\r\n\ud800\u2029"), max_size=25)
messages = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant"]),
    texts,
    st.just(""),
    st.just(()) | st.just((Image(100, 50),)),
)


@pytest.mark.parametrize("shown", [7, 1_000_000])
@pytest.mark.parametrize("name", mostly_deep(sorted(SETTINGS), 2))
@settings(deadline=None)
@given(talk=st.lists(messages, max_size=4), key=st.sampled_from(sorted(TEMPLATES)))
def test_tokens_tile_the_text(shown: int, name: str, talk: list[Message], key: str) -> None:
    draft = RequestDraft(1, tuple(talk), "", key, None, name, "", "")
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(request_count, "MAX_SHOWN", shown)
        reply = count_draft(encodings.__getitem__, draft)
    if reply.problem:
        return
    assert reply.patch is not None
    assert reply.tally is not None
    ends = reply.patch.utf16_ends.tolist()
    assert len(ends) == len(reply.patch.ids) == len(reply.patch.continues)
    assert ends == sorted(ends)
    assert (ends[-1] if ends else 0) == len(reply.text.encode("utf-16-le")) // 2
    assert len(reply.message_tokens) == len(talk)
    assert sum(reply.message_tokens) <= reply.tally.tokens
