from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from tests.engine.strategies import texts_with_surrogates
from tests.gui.advisor.searching import after

LONG = "This sentence is long enough to be worth leaving out when it comes again."
OTHER = "Another sentence of the same sort, long enough as well, that differs."
BLOB = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAf" * 3
UUID = "123e4567-e89b-12d3-a456-426614174000"
UUID_BEGINNING_SO = "123e4567-0000-12d3-a456-426614174000"
UUID_ELSE = "00000000-e89b-12d3-a456-426614174000"
CHANGED = [
    ("json", '{\n  "a": [1, 2],\r\n\t"b": {}\n}\n', '{"a":[1,2],"b":{}}\n'),
    ("json", "Look:\n  [ 1.0, 1e400, -0 ]\nend", "Look:\n  [1.0,1e400,-0]\nend"),
    ("json", f'{{"a": {"9" * 6000}, "a": 1}}', f'{{"a":{"9" * 6000},"a":1}}'),
    ("json", '```json\n{ "a": "b  c" }\n```', '```json\n{"a":"b  c"}\n```'),
    ("json", '{ "a": 1 }\r\n{ "a": 2 }\r\n', '{"a":1}\r\n{"a":2}\r\n'),
    ("json", "[ " * 5000 + "1" + "] " * 5000, "[" * 5000 + "1" + "]" * 5000 + " "),
    ("json", '[oh]\n{ "a": 1 }', '[oh]\n{"a":1}'),
    ("nfc", "re\u0301sume\u0301 A\u030a \u212b", "r\xe9sum\xe9 \xc5 \xc5"),
    ("nfc", "\u1112\u1161\u11ab", "\ud55c"),
    ("look_alikes", "ﬁnd ＡＢ１", "find AB1"),
    ("typographic", "“a”—‘b’…\xa0c", "\"a\"-'b'... c"),
    ("invisible", "a\u200bb\ufeffc\xadd", "abcd"),
    ("trailing", "a \nb\t\r\nc  ", "a\nb\r\nc"),
    ("trailing", "a  \n\nb", "a\n\nb"),
    ("blank_lines", "a\n\n\n \nb", "a\n\nb"),
    ("blank_lines", "a\r\n\r\n\r\nb", "a\r\n\r\nb"),
    ("indentation", "```js\nif (a) {\n    b()\n}\n```", "```js\nif (a) {\nb()\n}\n```"),
    ("table", "| a    | b |\n|------|:-------:|\n|  c   | d |\n", "| a | b |\n|---|:---:|\n| c | d |\n"),
    ("comments", "a\n<!-- b\n c -->\nd <!-- e --> f", "a\nd  f"),
    ("base64", f"data:image/png;base64,{BLOB})", "data:image/png;base64,[90 bytes of base64 left out])"),
    ("names", f"{UUID} and {UUID.upper()}", "123e4567 and 123E4567"),
    ("names", f"{'0a' * 32}.", "0a0a0a0a."),
    ("repeated", f"{LONG}\n\n{OTHER}\n\n{LONG}\n\nend", f"{LONG}\n\n{OTHER}\n\nend"),
    ("repeated_lines", "Answer briefly.\na\nAnswer briefly.\r\nb", "Answer briefly.\na\nb"),
    ("json_csv", '[{"a": 1, "b": "x"},\n {"b": "y, z", "a": 2.50}]', 'a,b\n1,x\n2.50,"y, z"'),
    ("json_csv", '```json\n[{"a": null}, {"a": true}]\n```', '```csv\na\n""\ntrue\n```'),
    ("json_csv", '{"a": 1}\n{"a": 2}\n\n{"a": 3}', 'a\n1\n2\n\n{"a": 3}'),
    ("capitals", "YOU MUST NEVER DO THIS. It is IMPORTANT, I SAY", "You must never do this. It is important, I say"),
    ("capitals", "# READ THIS FIRST\nthe JSON", "# Read this first\nthe JSON"),
    ("repeated", f"a\n{LONG}\nb\n{LONG}\r\nc", f"a\n{LONG}\nb\nc"),
]
LEFT = [
    ("json", '{"a":1}'),  # nothing to take
    ("json", 'text = "{ \\"a\\": 1 }"'),  # inside of a string
    ("json", '{ "a": "b  :  c" '),  # not ended
    ("json", "{ 'a': 1 }"),
    ("json", '{ "a": 01 }'),
    ("json", '{ "a": NaN }'),
    ("json", "[ 1, ]"),
    ("json", '{ "a": 1 } // and more'),
    ("json", '```python\n{ "a": 1 }\n```'),
    ("json", '"{ a"'),
    ("json", "[ ]"),
    ("json", '[ "a\nb" ]'),
    ("json_csv", '[{"a": 1}, {"b": 1}]'),
    ("json_csv", '[{"a": 1}, {"a": [1]}]'),
    ("json_csv", '[{"a": 1, "a": 2}, {"a": 1}]'),
    ("json_csv", '[{"a": 1}]'),
    ("json_csv", "[1, 2]"),
    ("capitals", "the USA, UK and `MUST NOT FAIL EVER`"),
    ("capitals", "```\nSELECT NAME FROM TABLE\n```"),
    ("capitals", "MAX_SIZE OF_ALL THINGS_HERE"),
    ("repeated_lines", "- a bullet here\n- a bullet here\nName of it:\nName of it:\nword\nword"),
    ("nfc", "r\xe9sum\xe9, plain"),
    ("nfc", "x\u0301 q\u0323\u0307"),  # there is no such character
    ("nfc", "a" + "\u0301" * 100),  # no writing
    ("look_alikes", "²½™，（find）"),
    ("look_alikes", "```\nﬁ\n```"),
    ("typographic", "\"a\" - 'b'..."),
    ("typographic", "```\n“a”\n```"),
    ("invisible", "👨\u200d👩 می\u200cخواهم"),
    ("invisible", "```\n\u200b\n```"),
    ("trailing", "a\nb"),
    ("trailing", "a  \nb"),  # a line break in Markdown
    ("trailing", "```\na \n```"),
    ("blank_lines", "a\n\nb"),
    ("blank_lines", "```\na\n\n\n\nb\n```"),
    ("indentation", "- a\n    - b"),
    ("indentation", "```python\nif a:\n    b()\n```"),
    ("indentation", "```\n    b\n```"),
    ("table", "a    | b"),  # no row of dashes
    ("table", "| a | b |\n|---|---|\n| c | d |"),
    ("table", "```\n| a    | b |\n|------|---|\n```"),
    ("table", "a\n-----\nb"),  # a heading
    ("comments", "a <!-- b"),
    ("comments", "```html\n<!-- b -->\n```"),
    ("base64", "iVBORw0KGgo"),
    ("base64", "a" * 500),
    ("base64", "/usr/lib/python3/dist-packages/numpy/core/include/numpy"),
    ("names", f"{UUID} {UUID_BEGINNING_SO}"),  # eight digits would not tell them apart
    ("names", "deadbeef x" + "0" * 40),
    ("repeated", f"{LONG}\n\n{OTHER}"),
    ("repeated", "Yes.\n\nYes.\n\nYes."),
    ("repeated", f'["{LONG}",\n"{LONG}",\n"{LONG}",\n1]'),  # JSON would be another
    ("repeated", f"```\n{LONG}\n\n{LONG}\n```"),
]


@pytest.mark.parametrize(("name", "text", "wanted"), CHANGED)
def test_what_is_found_is_edited(name: str, text: str, wanted: str):
    assert after(name, text) == wanted


@pytest.mark.parametrize(("name", "text"), LEFT)
def test_what_must_stay_stays(name: str, text: str):
    assert after(name, text) == text


def test_a_uuid_is_shortened_beside_others_that_begin_otherwise():
    assert after("names", f"{UUID} {UUID_BEGINNING_SO} {UUID_ELSE}") == f"{UUID} {UUID_BEGINNING_SO} 00000000"


@given(texts_with_surrogates())
def test_composing_gives_what_unicode_says(text: str):
    composed = after("nfc", text)
    assert composed == unicodedata.normalize("NFC", text)
    assert after("nfc", composed) == composed
