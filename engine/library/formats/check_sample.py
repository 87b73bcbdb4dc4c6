"""Texts on which a tokenizer from a file is tried: several scripts, white space, emoji, code, and runs of one thing.

Written for this; none of them is from anywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

_LANGUAGES = (
    "The quick brown fox jumps over 13 lazy dogs. It's what they've said; we'll see, won't we?\n",
    "DON'T SHOUT: The cafés' naïve façade cost €1,234.50 (about $1.3k) — “quoted”, ‘single’ … done.\n",
    "Grüße aus Köln: Straße, Fußgängerübergang, Donaudampfschifffahrtsgesellschaft.\n",
    "Où êtes-vous allés l'été dernier ? Ça coûte 3 000 €. ¿Qué pasó, señor? ¡Años!\n",
    "Быстрая коричневая лиса перепрыгивает через ленивую собаку. ИЗ НИХ ТРИ.\n",
    "Η γρήγορη αλεπού πηδά πάνω από τον τεμπέλη σκύλο.\n",
    "الثعلب البني السريع يقفز فوق الكلب الكسول. العدد ١٢٣٤٥.\n",
    "השועל החום המהיר קופץ מעל הכלב העצלן.\n",
    "तेज़ भूरी लोमड़ी आलसी कुत्ते के ऊपर कूदती है। संख्या १२३।\n",
    "สุนัขจิ้งจอกสีน้ำตาลกระโดดข้ามสุนัขขี้เกียจ\n",
    "敏捷的棕色狐狸跳过了懒狗。价格是１２３元（含税）。\n",
    "素早い茶色の狐がのろまな犬を飛び越える。カタカナとひらがな、漢字。\n",
    "빠른 갈색 여우가 게으른 개를 뛰어넘는다. 12345원입니다.\n",
    "Con cáo nâu nhanh nhẹn nhảy qua con chó lười biếng. Tiếng Việt.\n",
)
_CODE = (
    'def fib(n: int) -> int:\n    """Doc."""\n    return n if n < 2 else fib(n - 1) + fib(n - 2)  # TODO: cache\n\n',
    '#include <stdio.h>\nint main(void) {\n\tprintf("%d\\n", 0x7f & ~1);\n\treturn 0;\n}\n',
    '{"a": [1, 2.5e-3, null, true], "b": {"c": "d\\n", "url": "https://example.org/?q=a%20b&x=1#y"}}\n',
    "SELECT COUNT(*) FROM `t` WHERE id != 3 AND name LIKE '%x%';\r\nINSERT INTO t VALUES (1);\r\n",
    "<div class=\"a-b_c\">&nbsp;</div>\n<!-- comment -->\n$x += @y['key']->z ?? [];\n",
    "3f2504e0-4f89-11d3-9a0c-0305e82c3301 QWxhZGRpbjpvcGVuIHNlc2FtZQ== 192.168.0.1 v1.2.3-rc.4\n",
)
_ODD = (
    "  two  three   \n\n\n\t\ttabs \t mixed\r\n\r\n  \u00a0nbsp\u2003em\u200bzero\u3000wide\n   ",
    "👩\u200d🚀👨\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈 👍🏽 🇩🇪🇯🇵 ☃️ 🙂🙂🙂\n",
    "e\u0301 n\u0303 A\u030a ﬁ ﬂ ² ½ Ａ Å ſ ß İ ı ǅ \u0378 \ue000 𝒳𝓎 𠮷 \U0010ffff\n",
    "\x00\x01\x1b[31m\x7f\x85\u2028\u2029\ufeff\ufffd\n",
    "▁ ▁▁a <unk> <s> </s> <0x0A> ##ing Ġthe </w> [UNK]\n",
    "1 12 123 1234 12345 3.14159 1e10 ١٢٣ ⅷ ①②③\n",
    "!!! ??? ... --- === ### $$$ %%% &&& *** ((( ))) /// \\\\\\ ''' \"\"\" ~~~ ^^^ |||\n",
)
_VERSIONS = (
    # Characters that versions of Unicode differ on, each beside marks that it may change places with.
    "".join(
        f"a{mark}\u0323 q\u0301{mark}\u0315 x\u0345{mark} "
        for mark in map(chr, (0x7FD, *range(0x898, 0x8A0), *range(0x8CA, 0x8D4), 0x9FE, 0xC3C, *range(0x1ABF, 0x1ACF)))
    ),
    "".join(f"a{mark}\u0323 a\u0315{mark} e{mark}\u0301 " for mark in map(chr, range(0x1DF6, 0x1DFB))),
    "\u0995\u09fe\u09bc \u0c15\u0c3c\u0c4d \U00011938 \U00011935\U00011930 \u32ff \u07fd\u07f2 "
    "\U00010efd\u0301 \ua7cb\n",
)
_RUNS = (
    "a" * 300,
    "a" * 300 + "!",  # expressions that never come to an end do so here
    "ab" * 150 + "!",
    " " * 300 + "x",
    "\n" * 200,
    "7" * 200,
    "7" * 200 + "x",
    "é" * 200,
    "漢" * 200,
    "!" * 300,
    "aA" * 100,
)

TEXTS: tuple[str, ...] = (
    *_LANGUAGES,
    *_CODE,
    *_ODD,
    *_VERSIONS,
    *_RUNS,
    "".join(_LANGUAGES),
    "".join(_CODE + _ODD),
    "x",
    " ",
    "\n",
    "",
)

TOKENS_TAKEN = 3_000
"""Of a vocabulary, for texts of its own words."""

_A_LINE = 40

SPECIALS_PAIRED = 48
"""Up to this many special tokens, all pairs are tried; of more, each is tried with the next one only."""


def texts_for(tokens: Sequence[bytes]) -> tuple[str, ...]:
    """The texts for a tokenizer with these tokens: some of them, spread over all ids, are texts as well."""
    step = max(1, len(tokens) // TOKENS_TAKEN)
    words = [token.decode("utf-8", "ignore") for token in tokens[::step]]
    lines = ("".join(words[start : start + _A_LINE]) for start in range(0, len(words), _A_LINE))
    return (*TEXTS, *lines)


def special_texts_for(specials: Iterable[str]) -> tuple[str, ...]:
    """Return texts of special tokens: each alone, then pairs, with all pairs of one first token in one text."""
    in_order = sorted(specials)  # those that begin alike are neighbours
    if len(in_order) <= SPECIALS_PAIRED:
        pairs = ["".join(first + second for second in in_order) for first in in_order]
    else:
        pairs = [first + second for first, second in itertools.pairwise(in_order)]
    return (*in_order, *pairs)
