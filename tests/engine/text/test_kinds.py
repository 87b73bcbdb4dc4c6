"""What kind of text a piece is, and how much of a text is of which kind."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import engine
from engine.text.kinds import KINDS, PIECE_UTF16, PIECES, kind_of, kinds_of, sample_of, sample_of_texts

ROOT = Path(engine.__file__).parent.parent
PROSE = "The cost of a prompt is the number of its tokens, and that is known before it is sent. "
CODE = "def add(a, b):\n    total = a + b\n    return total\n\n\n"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("english", "The cost of a prompt is the number of its tokens, and that is known before it is sent."),
        ("latin", "Die Kosten einer Anfrage sind bekannt, bevor sie gesendet wird; das ist der Sinn dieses Programms."),
        ("latin", "Le coût d'une requête est connu avant son envoi, c'est tout l'intérêt de ce programme modeste."),
        ("chinese", "提示的费用取决于它的标记数量，发送之前就可以知道。这正是这个程序的用途。"),
        (
            "japanese",
            "プロンプトの費用はトークンの数で決まり、送信する前に分かります。",
        ),
        ("korean", "프롬프트의 비용은 토큰 수에 따라 결정되며 보내기 전에 알 수 있습니다. 이것이 목적입니다."),
        ("cyrillic", "Стоимость запроса зависит от числа токенов и известна до отправки."),
        ("arabic", "تعتمد تكلفة الطلب على عدد الرموز وهي معروفة قبل الإرسال إلى النموذج."),
        ("devanagari", "अनुरोध की लागत टोकन की संख्या पर निर्भर करती है और भेजने से पहले ज्ञात होती है।"),
        ("json", '{"model": "a", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 5}'),
        ("json", '[\n  {"a": 1},\n  {"a": 2}\n]'),
        ("code", "def add(a, b):\n    total = a + b\n    return total\n\nprint(add(1, 2))\n"),
        ("code", '#include <stdio.h>\nint main(void) {\n    puts("hi");\n    return 0;\n}\n'),
        ("code", "const add = (a, b) => {\n  return a + b;\n};\n"),
        ("structured", "models:\n  opus:\n    input: 5\n    output: 25\n    checked: 2026-11-21\n    tags: [a, b]\n"),
        ("structured", "# what it costs\n[prices]\ninput=5\noutput=25\ncurrency=USD\n"),
        ("structured", "name,input,output,cached\nopus,5,25,0.5\nsonnet,3,15,0.3\nhaiku,1,5,0.1\n"),
        ("structured", "2026-11-22 10:01:02 INFO started\n2026-11-22 10:01:03 INFO read 3 files\n" * 3),
        ("structured", "Name: tokens\nVersion: 1.0\nLicence: MIT\nSummary: how many tokens a text has\n"),
        (
            "english",
            "# The cost\n\nThe cost is known:\n- of the prompt and\n- of its answer.\nNote: it is low.\n",
        ),
        ("other", ""),
        ("other", "12 345 — 678"),
        ("other", "Το κόστος ενός αιτήματος εξαρτάται από τον αριθμό των συμβόλων του."),
        ("other", "The half of this is English words, 这一半是中文的文字没有英文单词也没有其他的东西在里面"),
    ],
)
def test_kinds_of_text(kind: str, text: str) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "QmFzZTY0IGlzIG5vdCBwcm9zZSwgYW5kIG5vYm9keSBtZWFzdXJlZCBpdHMgcmF0aW8u" * 9,
        "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89" * 9,
    ],
)
def test_what_has_no_words_is_no_prose(text: str) -> None:
    assert kind_of(text) == "other"


@pytest.mark.parametrize(
    "text",
    [
        'and the "end" of it, "as" they say, is "near"; but "why" is "it" that "nobody" knows of "this"?',
        'print("a", "b")\nprint("c", file="d")\n',
    ],
)
def test_quotes_alone_make_no_json(text: str) -> None:
    assert kind_of(text) != "json"


def test_the_middle_of_json_is_json() -> None:
    text = '"name": "Opus", "price": {"input": 5, "output": 25}, "tags": ["a", "b"]}, {"name": "So'
    assert kind_of(text) == "json"


def main(path: Path) -> str:
    """The kind of most of a file."""
    return kinds_of(sample_of_texts([path.read_text(encoding="utf-8")]).pieces).bytes_by_kind[0][0]


def test_kinds_of_real_files() -> None:
    assert main(ROOT / "pricing" / "estimation.py") == "code"
    assert main(ROOT / "pricing" / "data" / "bundled.json") == "json"
    assert main(ROOT / "pricing" / "data" / "anthropic.yaml") == "structured"
    assert main(ROOT / "pricing" / "data" / "counting.yaml") == "structured"
    assert main(ROOT / "CONTRIBUTING.md") == "english"


@given(st.text(max_size=200))
def test_every_text_has_a_kind(text: str) -> None:
    assert kind_of(text) in KINDS


def test_a_text_of_two_kinds_is_told_to_be_of_both() -> None:
    prose, code = PROSE * 40, CODE * 40
    kinds = kinds_of([prose, code, "é" * 30])
    assert kinds.bytes_by_kind == (("english", len(prose)), ("code", len(code)), ("other", 60))
    assert kinds.ascii_bytes == len(prose) + len(code)
    assert kinds_of([]).bytes_by_kind == ()


@given(st.lists(st.text(st.characters(), max_size=50), max_size=5))
def test_the_kinds_hold_every_byte(pieces: list[str]) -> None:
    kinds = kinds_of(pieces)
    total = sum(len(piece.encode("utf-8", "surrogatepass")) for piece in pieces)
    assert sum(size for _, size in kinds.bytes_by_kind) == total
    assert 0 <= kinds.ascii_bytes <= total


class TestSamples:
    @pytest.mark.parametrize("length", [0, 1, PIECE_UTF16, PIECE_UTF16 + 1, PIECES * PIECE_UTF16])
    def test_short_texts_are_taken_whole(self, length: int) -> None:
        text = (CODE * length)[:length]
        sample = sample_of_texts([text])
        assert sample.whole
        assert "".join(sample.pieces) == text

    @pytest.mark.parametrize("length", [PIECES * PIECE_UTF16 + 1, 123_457, 10**6])
    def test_long_texts_are_sampled_evenly_from_first_to_last(self, length: int) -> None:
        spans: list[tuple[int, int]] = []
        sample = sample_of(length, lambda start, end: spans.append((start, end)) or "")
        assert not sample.whole
        assert (len(spans), spans[0][0], spans[-1][1]) == (PIECES, 0, length)
        steps = {later[0] - earlier[0] for earlier, later in pairwise(spans)}
        assert max(steps) - min(steps) <= 1
        assert {end - start for start, end in spans} == {PIECE_UTF16}

    def test_several_texts_are_sampled_as_one(self) -> None:
        texts = [PROSE * 300, "прочее 😀 \ud800" * 900, CODE * 400]
        assert sample_of_texts(texts) == sample_of_texts(["".join(texts)])
        assert sample_of_texts([]).pieces == ()

    @given(st.text(st.characters(), max_size=200))
    def test_the_window_takes_the_same(self, text: str) -> None:
        edited = engine.EditedText(engine.get_encoding("r50k_base"))
        edited.reset(text)
        assert sample_of(edited.statistics.utf16_units, edited.text_between) == sample_of_texts([text])
