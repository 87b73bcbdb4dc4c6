"""Validation of training settings, and the plan derived from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from engine.encoding.preprocessing_encoding import MARKED_WORDS, Preparation
from engine.errors import EngineError, TrainingError
from engine.library.formats.opening import check_writable
from engine.library.formats.tokenizer_data import TokenizerData
from engine.split.patterns import NAMED_SPLITS, TrainingSplit, split_named
from engine.split.pretokenization import pretokenizer
from engine.text.normalization import normalizer
from engine.text.sentencepiece import Metaspace
from engine.training.types import TrainingSettings, has_signs

ALPHABETS = ("bytes", "characters", "characters+</w>")
TIE_ORDERS = ("bytes", "huggingface")


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Plan of a run. ``split``: how texts are split. ``preparation``: changes to texts before the split.
    ``expression``: split pattern for counting and of the encoding."""

    settings: TrainingSettings
    split: TrainingSplit
    preparation: Preparation
    expression: str

    @property
    def writes_characters(self) -> bool:
        """True if merging starts from characters rather than bytes."""
        return self.settings.alphabet != "bytes"

    @property
    def byte_fallback(self) -> bool:
        """True if characters outside the vocabulary are encoded as bytes (``engine.text.sentencepiece``)."""
        return self.writes_characters and self.preparation.signs is not None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Losses in decoded texts, in a sentence or two each."""
        return self.preparation.warnings


def plan_for(settings: TrainingSettings) -> TrainingPlan:
    """Validate settings and return the plan. Raises TrainingError."""
    _check_choices(settings)
    _check_numbers(settings)
    _check_specials(settings.special_tokens)
    split = split_named(settings.pattern)
    try:
        normalize = normalizer(settings.normalization, settings.lowercase, settings.strip_accents)
        if settings.pattern not in NAMED_SPLITS:
            pretokenizer(split.expression)
    except EngineError as error:
        raise TrainingError(str(error)) from error
    marked = settings.alphabet == "characters+</w>"
    preparation = Preparation(normalize, split.expression if marked else None, signs_for(settings))
    return TrainingPlan(settings, split, preparation, MARKED_WORDS if marked else split.expression)


def check_can_be_saved(settings: TrainingSettings, path: Path | str) -> None:
    """Raise FormatError if the tokenizer of these settings could not be saved at ``path``, as far as this does not
    depend on what is learned. Raises TrainingError if the settings are invalid."""
    plan = plan_for(settings)
    data = TokenizerData(
        plan.expression,
        {bytes([value]): value for value in range(256)},
        {text: 256 + number for number, text in enumerate(settings.special_tokens)},
        normalization=plan.preparation.steps,
        byte_fallback=plan.byte_fallback,
    )
    check_writable(data, path)


def check_takes_bytes(plan: TrainingPlan) -> None:
    """Raise TrainingError if the settings are for texts only, so that bytes that are not UTF-8 cannot be trained on."""
    if plan.writes_characters:
        raise TrainingError(f"For bytes, the alphabet must be bytes; {plan.settings.alphabet!r} is for texts.")
    if plan.preparation.steps:
        what = "the pattern sentencepiece" if plan.preparation.signs is not None else "normalization"
        raise TrainingError(f"Bytes are used unchanged: {what} is for texts.")


def signs_for(settings: TrainingSettings) -> Metaspace | None:
    """Return how spaces are written with these settings, or None if they are kept as spaces."""
    return Metaspace(settings.dummy_prefix) if has_signs(settings) else None


def most_merges(settings: TrainingSettings, symbols: int) -> int:
    """Return the number of merges that fit in the vocabulary beside its alphabet. Raises TrainingError."""
    merges = settings.vocab_size - symbols - len(settings.special_tokens)
    if merges < 0:
        specials = len(settings.special_tokens)
        what = f"the {symbols:,} {'bytes' if symbols == 256 else 'bytes and characters of this corpus'}"
        raise TrainingError(
            f"A vocabulary of {settings.vocab_size:,} is too small for {what}"
            + (f" and {specials} special tokens" if specials else "")
            + f": it must have at least {symbols + specials:,} entries."
        )
    return merges


def _check_choices(settings: TrainingSettings) -> None:
    if settings.alphabet not in ALPHABETS:
        raise TrainingError(f"Unknown alphabet {settings.alphabet!r}. Available: {', '.join(ALPHABETS)}.")
    if settings.tie_order not in TIE_ORDERS:
        raise TrainingError(f"Unknown tie order {settings.tie_order!r}. Available: {', '.join(TIE_ORDERS)}.")


def _check_numbers(settings: TrainingSettings) -> None:
    if not isinstance(settings.vocab_size, int):
        raise TrainingError(f"A vocabulary has a whole number of entries; vocab_size is {settings.vocab_size!r}.")
    if settings.min_count < 1:
        raise TrainingError(f"Pairs must occur at least once to be merged; min_count is {settings.min_count}.")
    if settings.max_token_bytes is not None and settings.max_token_bytes < 1:
        raise TrainingError(f"Tokens have at least one byte; max_token_bytes is {settings.max_token_bytes}.")
    if settings.max_space_run is not None and settings.max_space_run < 1:
        raise TrainingError(
            f"Runs of whitespace have at least one character; max_space_run is {settings.max_space_run}."
        )
    most_merges(settings, 256)  # every alphabet contains the bytes


def _check_specials(special_tokens: tuple[str, ...]) -> None:
    for text in special_tokens:
        if not text:
            raise TrainingError("A special token must have a text.")
        if special_tokens.count(text) > 1:
            raise TrainingError(f"The special token {text!r} is given twice.")
