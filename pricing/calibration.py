"""Calibrated count rules: from measured kinds of text, the user's own bills, or a reconstruction.

The figures, with what was measured and by whom, are in ``pricing/data/bands.json``.

Conventions of usage differ: OpenAI and Gemini include cached tokens in the prompt, Anthropic lists them separately.
OpenAI includes hidden reasoning in the output, Gemini lists it separately.

The ratio is all billed tokens divided by all counted tokens. The relative width of the range starts at the width
measured for such texts. It shrinks with the square root of the number of samples, like the error of a mean, but never
below the narrowest spread measured for one kind of text, because the next text is another one. The range always
contains every ratio seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal, get_args

from pricing.bundled import load_bundled
from pricing.estimation import MAX_TOKENS
from pricing.types import CountRule, Model, PricingError

Kind = Literal[
    "code",
    "json",
    "structured",
    "english",
    "latin",
    "chinese",
    "japanese",
    "korean",
    "cyrillic",
    "arabic",
    "devanagari",
    "other",
]
"""``structured``: keys and values, table rows, logs. ``latin``: prose in Latin letters other than English. ``other``:
another script, a mixture, or too little text to tell."""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""The kinds of ``engine.text.kinds``. Repeated here because neither package imports the other; a test compares them."""

MAIN_SHARE = Decimal("0.6")
"""Minimum share of a kind for a text to count as this kind."""

_NEARLY_ALL = Decimal("0.95")
_DIGITS = Context(prec=12)
_WORDS: dict[Kind, str] = {
    "code": "code",
    "json": "JSON",
    "structured": "structured text",
    "english": "English prose",
    "latin": "other prose in Latin script",
    "chinese": "Chinese",
    "japanese": "Japanese",
    "korean": "Korean",
    "cyrillic": "Cyrillic",
    "arabic": "Arabic",
    "devanagari": "Devanagari",
    "other": "text of an unmeasured kind",
}


@dataclass(frozen=True, slots=True)
class TextMix:
    """Bytes of a text by kind, largest first, and the number of ASCII bytes.

    ``samples``: number of evenly spaced samples by which a longer text was classified; 0 if all of it was.
    """

    bytes_by_kind: tuple[tuple[Kind, int], ...]
    ascii_bytes: int
    samples: int = 0

    @classmethod
    def only(cls, kind: Kind) -> TextMix:
        """Return the mix of a text that is declared to be of one kind."""
        return cls(((kind, 1),), 0)

    @property
    def shares(self) -> tuple[tuple[Kind, Decimal], ...]:
        """Share of each kind, 0 to 1, largest first. Empty for an empty text."""
        total = Decimal(sum(size for _, size in self.bytes_by_kind))
        return tuple((kind, _DIGITS.divide(Decimal(size), total)) for kind, size in self.bytes_by_kind if size)

    @property
    def main(self) -> Kind:
        """Kind of most of the text, or ``other`` if there is none."""
        return next((kind for kind, share in self.shares if share >= MAIN_SHARE), "other")

    @property
    def words(self) -> str:
        """Description such as ``mostly code (72 %), 98 % ASCII, by 40 evenly spread samples of the text``."""
        shares = self.shares
        if not shares:
            return "no text"
        if shares[0][1] >= _NEARLY_ALL:
            words = _WORDS[shares[0][0]]
        elif self.main != "other":
            words = f"mostly {_WORDS[self.main]} ({_percent(shares[0][1])})"
        else:
            words = "a mixture of " + ", ".join(f"{_WORDS[kind]} ({_percent(share)})" for kind, share in shares[:3])
        if self.ascii_bytes:
            total = Decimal(sum(size for _, size in self.bytes_by_kind))
            words += f", {_percent(_DIGITS.divide(Decimal(self.ascii_bytes), total))} ASCII"
        return words + (f", by {self.samples} evenly spread samples of the text" if self.samples else "")


def _percent(share: Decimal) -> str:
    return f"{(share * 100).quantize(Decimal(1), ROUND_HALF_EVEN)} %"


_STEP = Decimal("0.01")


# --- measured kinds of text -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Band:
    """Tokens per token of the rule's own encoding. ``assumed``: only ``ratio`` was measured, the spread is that of
    other texts. ``measured``: date and author of the measurement, in words."""

    low: Decimal
    ratio: Decimal
    high: Decimal
    assumed: bool
    measured: str


@cache
def load_bands() -> dict[str, dict[str, Band]]:
    """Return the measured bands by rule (its name in ``counting.yaml``) and kind of text, read once."""
    document = json.loads(files("pricing").joinpath("data", "bands.json").read_text(encoding="utf-8"))
    spread = Decimal(document["spread"]["low"]), Decimal(document["spread"]["high"])
    measured = {name: f"measured by {raw['checked']}: {raw['name']}" for name, raw in document["sources"].items()}
    return {
        family: {kind: _band(raw, spread, measured[raw["source"]]) for kind, raw in kinds.items()}
        for family, kinds in document["families"].items()
    }


def _band(raw: dict[str, Any], spread: tuple[Decimal, Decimal], measured: str) -> Band:
    ratio = Decimal(raw["ratio"])
    if "low" in raw:
        return Band(Decimal(raw["low"]), ratio, Decimal(raw["high"]), False, measured)
    low, high = ((ratio * factor).quantize(_STEP, ROUND_HALF_EVEN) for factor in spread)
    return Band(low, ratio, high, True, measured)


def family_of(rule: CountRule) -> str | None:
    """Return the name of this built-in counting rule, or None for a rule of the user."""
    return next((name for name, known in load_bundled().rules.items() if known == rule), None)


def band_for(rule: CountRule, mix: TextMix) -> CountRule:
    """Return the rule for a text with these kinds, or ``rule`` itself if nothing was measured for any of them.

    Ratio and ends are the means over the kinds, weighted by bytes: all kinds have about the same number of bytes per
    token, some four. The ends assume that the errors of all kinds have the same sign. For a kind without figures, those
    of the rule are used.
    """
    known = load_bands().get(family_of(rule) or "", {})
    found = [(known.get(kind), share) for kind, share in mix.shares]
    bands = [band for band, _ in found if band is not None]
    if not bands:
        return rule
    whole = Band(rule.low, rule.ratio, rule.high, False, "")
    low = sum((share * (band or whole).low for band, share in found), Decimal(0)).quantize(_STEP, ROUND_FLOOR)
    ratio = sum((share * (band or whole).ratio for band, share in found), Decimal(0)).quantize(_STEP, ROUND_HALF_EVEN)
    high = sum((share * (band or whole).high for band, share in found), Decimal(0)).quantize(_STEP, ROUND_CEILING)
    spread = "; the spread is assumed" if any(band.assumed for band in bands) else ""
    note = f"{mix.words}: {low} to {high} times {rule.tokenizer}{spread}; {bands[0].measured}"
    return CountRule(rule.tokenizer, "estimated", ratio, low, high, note)


# --- usage of a call --------------------------------------------------------------------------------------------------

MAX_CHARACTERS = 5_000_000
_CONTAINERS = ("usage", "usageMetadata", "usage_metadata", "response", "message", "body")


class UsageError(PricingError, ValueError):
    """Text that contains no usage, or impossible usage. The message is a plain sentence."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token usage of one call.

    ``input_tokens`` is the whole prompt. Of it, ``cached_tokens`` were read from the cache, and ``cache_write_tokens``
    and ``cache_write_1h_tokens`` were written to it. ``reasoning_tokens`` are added to ``output_tokens``. ``api`` names
    the format of the source: ``OpenAI chat``, ``OpenAI responses``, ``Anthropic``, ``Gemini``.
    """

    api: str
    model: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    cache_write_1h_tokens: int = 0
    reasoning_tokens: int = 0


def parse_usage(text: str) -> Usage:
    """Parse the usage in a pasted response: the whole response, its usage object, or the line ``"usage": {...}``.

    Raises UsageError.
    """
    document = _json(text)
    found = _find(document, "")
    if found is None:
        raise UsageError("no usage found: paste a provider's response, or its 'usage' part")
    raw, model = found
    usage = _read(raw, model)
    parts = usage.cached_tokens + usage.cache_write_tokens + usage.cache_write_1h_tokens
    if parts > usage.input_tokens:
        raise UsageError(f"{parts:,} cached tokens are more than the {usage.input_tokens:,} of the prompt")
    return usage


def _json(text: str) -> object:
    if len(text) > MAX_CHARACTERS:
        raise UsageError(f"this is too long for a provider's response ({len(text):,} characters)")
    cleaned = text.rstrip().rstrip(",")
    # Do not strip the start, so that error positions match the pasted text.
    is_part = cleaned.lstrip().startswith('"')
    try:
        return json.loads("{" + cleaned + "}" if is_part else cleaned)
    except json.JSONDecodeError as error:
        column = error.colno - (is_part and error.lineno == 1)
        raise UsageError(f"this is not JSON: {error.msg} in line {error.lineno}, column {column}") from error
    except (RecursionError, ValueError) as error:
        raise UsageError("this is nested too deeply for a response, or has too long a number") from error


def _find(node: object, model: str, depth: int = 0) -> tuple[Mapping[str, Any], str] | None:
    """Return the object with the counts and the model named on the path to it, or None."""
    if not isinstance(node, dict) or depth > 5:
        return None
    named = node.get("model") or node.get("modelVersion") or node.get("model_version") or model
    model = named if isinstance(named, str) else model
    if any(key in node for key in ("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_token_count")):
        return node, model
    return next((found for key in _CONTAINERS if (found := _find(node.get(key), model, depth + 1))), None)


def _read(raw: Mapping[str, Any], model: str) -> Usage:
    if "prompt_tokens" in raw:
        return _openai(raw, model, "OpenAI chat", "prompt", "completion")
    if "promptTokenCount" in raw or "prompt_token_count" in raw:
        return _gemini(raw, model)
    if "input_tokens_details" in raw or "total_tokens" in raw:
        return _openai(raw, model, "OpenAI responses", "input", "output")
    return _anthropic(raw, model)


def _openai(raw: Mapping[str, Any], model: str, api: str, prompt: str, answer: str) -> Usage:
    output = _tokens(raw, f"{answer}_tokens")
    reasoning = _tokens(_table(raw, f"{answer}_tokens_details"), "reasoning_tokens")
    if reasoning > output:
        raise UsageError(f"{reasoning:,} tokens of reasoning are more than the {output:,} of the output")
    return Usage(
        api,
        model,
        _tokens(raw, f"{prompt}_tokens"),
        output - reasoning,
        cached_tokens=_tokens(_table(raw, f"{prompt}_tokens_details"), "cached_tokens"),
        reasoning_tokens=reasoning,
    )


def _anthropic(raw: Mapping[str, Any], model: str) -> Usage:
    cached = _tokens(raw, "cache_read_input_tokens")
    written = _tokens(raw, "cache_creation_input_tokens")
    hour = _tokens(_table(raw, "cache_creation"), "ephemeral_1h_input_tokens")
    if hour > written:
        raise UsageError(f"{hour:,} tokens written for an hour are more than the {written:,} written to the cache")
    output = _tokens(raw, "output_tokens")
    thinking = _tokens(_table(raw, "output_tokens_details"), "thinking_tokens")
    if thinking > output:
        raise UsageError(f"{thinking:,} tokens of thinking are more than the {output:,} of the output")
    return Usage(
        "Anthropic",
        model,
        _tokens(raw, "input_tokens") + cached + written,
        output - thinking,
        cached_tokens=cached,
        cache_write_tokens=written - hour,
        cache_write_1h_tokens=hour,
        reasoning_tokens=thinking,
    )


def _gemini(raw: Mapping[str, Any], model: str) -> Usage:
    def count(camel: str) -> int:
        snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in camel)
        return _tokens(raw, camel if camel in raw else snake)

    return Usage(
        "Gemini",
        model,
        count("promptTokenCount") + count("toolUsePromptTokenCount"),
        count("candidatesTokenCount"),
        cached_tokens=count("cachedContentTokenCount"),
        reasoning_tokens=count("thoughtsTokenCount"),
    )


def _table(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, dict) else {}


def _tokens(raw: Mapping[str, Any], key: str) -> int:
    value = raw.get(key)
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_TOKENS:
        raise UsageError(f"{key} is not a number of tokens (got {str(value)[:40]})")
    return value


# --- samples of the user ----------------------------------------------------------------------------------------------

MIN_TOKENS = 50
"""Minimum tokens of a sample. In shorter texts the overhead of a request weighs too much."""

MIN_SPREAD = Decimal("0.04")
"""Narrowest spread measured for one kind: JSON, 1.42 to 1.53 times o200k_base around 1.49 in nine of ten documents."""

_MIN_RATIO, _MAX_RATIO = Decimal("0.2"), Decimal(10)
_RATIO_STEP = Decimal("0.0001")


class CalibrationError(PricingError, ValueError):
    """A sample that cannot be used. The message is a plain sentence."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One billed text: ``counted`` tokens in the encoding ``tokenizer``, ``billed`` tokens by the provider.

    ``framing`` tokens, such as those of roles and tools, are already subtracted from ``billed``.
    """

    model_id: str
    kind: Kind
    tokenizer: str
    counted: int
    billed: int
    day: date
    framing: int = 0

    @property
    def ratio(self) -> Decimal:
        """Billed tokens per counted token."""
        return _DIGITS.divide(Decimal(self.billed), Decimal(self.counted))


def make_sample(model: Model, kind: Kind, counted: int, usage: Usage, day: date, framing: int = 0) -> Sample:
    """Return a sample from a text's count in the encoding of the model's rule, and the usage billed for it.

    Raises CalibrationError if the two cannot belong together.
    """
    if model.count.tokenizer is None:
        raise CalibrationError(f"{model.id} is not counted, so there is nothing to compare with")
    billed = usage.input_tokens - framing
    if counted < MIN_TOKENS or billed < MIN_TOKENS:
        raise CalibrationError(f"the sample is too short: at least {MIN_TOKENS} tokens are needed")
    sample = Sample(model.id, kind, model.count.tokenizer, counted, billed, day, framing)
    if not _MIN_RATIO <= sample.ratio <= _MAX_RATIO:
        raise CalibrationError(
            f"{billed:,} billed tokens do not belong to a text of {counted:,}: is it the usage of another request?"
        )
    return sample


def rule_for(model: Model, mix: TextMix, samples: Iterable[Sample] = ()) -> CountRule:
    """Return the count rule of a model for a text with these kinds. Uses the user's own samples of the text's main kind
    if there are any, else the measurements of such texts, else the model's rule. Exact counts stay exact.
    """
    rule = model.count
    if rule.label in {"exact", "counted", "reconstructed"}:
        return rule
    own = [sample for sample in samples if _is_of(sample, model, mix.main)]
    if rule.label == "assumed" and not own:
        return rule
    band = band_for(rule, mix)
    return fitted(band, own) if own else band


def fitted(prior: CountRule, samples: Sequence[Sample]) -> CountRule:
    """Return the rule fitted to samples of one model and kind, starting from ``prior``; without samples, ``prior``."""
    if not samples:
        return prior
    counted, billed = sum(sample.counted for sample in samples), sum(sample.billed for sample in samples)
    ratio = _DIGITS.divide(Decimal(billed), Decimal(counted)).quantize(_RATIO_STEP, ROUND_HALF_EVEN)
    shrink = _DIGITS.divide(Decimal(1), _DIGITS.sqrt(Decimal(len(samples) + 1)))
    below = max(MIN_SPREAD, (1 - _DIGITS.divide(prior.low, prior.ratio)) * shrink)
    above = max(MIN_SPREAD, (_DIGITS.divide(prior.high, prior.ratio) - 1) * shrink)
    seen = [sample.ratio for sample in samples]
    low = min(ratio * (1 - below), *seen).quantize(_RATIO_STEP, ROUND_FLOOR)
    high = max(ratio * (1 + above), *seen).quantize(_RATIO_STEP, ROUND_CEILING)
    texts = "one text" if len(samples) == 1 else f"{len(samples)} texts"
    note = f"your own ratio to {prior.tokenizer}, from {texts} you were billed for"
    return replace(prior, label="estimated", ratio=ratio, low=max(low, _RATIO_STEP), high=high, note=note)


def _is_of(sample: Sample, model: Model, kind: Kind) -> bool:
    return (sample.model_id, sample.kind, sample.tokenizer) == (model.id, kind, model.count.tokenizer)


# --- samples as JSON --------------------------------------------------------------------------------------------------

_SAMPLES = "samples"


def changed_samples(document: dict[str, Any], added: Iterable[Sample], gone: Iterable[Sample]) -> None:
    """Change a JSON object that contains samples or is empty. Other content stays. Raises CalibrationError like
    ``samples_of``."""
    if document:
        samples_of(document)
    saved = list(document.get(_SAMPLES, ()))
    for sample in gone:
        if _plain(sample) in saved:
            saved.remove(_plain(sample))
    document[_SAMPLES] = [*saved, *map(_plain, added)]


def samples_of(document: Mapping[str, Any]) -> tuple[Sample, ...]:
    """Return the samples in a JSON object. Raises CalibrationError for any other object and for damaged samples.

    Samples of unknown kinds, as from later versions of the program, are skipped.
    """
    saved = document.get(_SAMPLES)
    if not isinstance(saved, list) or not all(isinstance(one, dict) for one in saved):
        raise CalibrationError("this is not a calibration file")
    return tuple(_sample(number, raw) for number, raw in enumerate(saved, 1) if raw.get("kind") in KINDS)


def _plain(sample: Sample) -> dict[str, Any]:
    """Return a sample as JSON data."""
    return asdict(sample) | {"day": sample.day.isoformat()}


def _sample(number: int, raw: Mapping[str, Any]) -> Sample:
    try:
        counts = {name: raw[name] for name in ("counted", "billed", "framing")}
        texts = {name: raw[name] for name in ("model_id", "tokenizer")}
        day = date.fromisoformat(raw["day"])
    except KeyError as error:
        raise CalibrationError(f"sample {number} of the saved calibration is damaged: {error} is missing") from error
    except (TypeError, ValueError) as error:  # the message may quote a day of any length
        raise CalibrationError(f"sample {number} of the saved calibration is damaged: 'day' is not a date") from error
    if not all(isinstance(text, str) and text for text in texts.values()):
        raise CalibrationError(f"sample {number} of the saved calibration has no model or no tokenizer")
    if not all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts.values()):
        raise CalibrationError(f"sample {number} of the saved calibration has invalid token counts")
    if not counts["counted"] or not counts["billed"]:
        raise CalibrationError(f"sample {number} of the saved calibration has a token count of 0")
    return Sample(kind=raw["kind"], day=day, **counts, **texts)


# --- reconstruction ---------------------------------------------------------------------------------------------------

_VERSIONS: Mapping[str, str] = MappingProxyType({"claude-until-4.6": "3.0", "claude-from-4.7": "4.8"})


def version_of(rule: CountRule) -> str | None:
    """Return the version of ctok that counts like the models of this built-in rule, or None if there is none."""
    return _VERSIONS.get(family_of(rule) or "")


def reconstructed(rule: CountRule, pairs: Sequence[tuple[int, int]], whole: bool) -> CountRule:
    """Return the rule that results from counts of a text.

    ``pairs``: tokens by the reconstruction and by the rule's own encoding, all above 0, of the whole text (``whole``)
    or of samples of it. With samples, the range spans their ratios. Returns ``rule`` itself without pairs.
    """
    if not pairs:
        return rule
    ratio = Decimal(sum(found for found, _ in pairs)) / Decimal(sum(known for _, known in pairs))
    ratios = [Decimal(found) / Decimal(known) for found, known in pairs]
    counted = "the whole text" if whole else f"{len(pairs)} evenly spread samples of the text"
    note = f"{counted} counted with ctok, a third party's reconstruction of Claude's tokenizers"
    low, high = min(ratio, *ratios), max(ratio, *ratios)
    return replace(rule, label="reconstructed", ratio=ratio, low=low, high=high, note=note)
