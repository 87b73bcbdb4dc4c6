"""Formatting of numbers, sizes, times, rates and ranges in the user's locale."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale

if TYPE_CHECKING:
    from engine.training.types import TrainingProgress

STAGES = {
    "preparing": QT_TRANSLATE_NOOP("TrainingText", "Preparing"),
    "compiling": QT_TRANSLATE_NOOP("TrainingText", "Compiling the trainer for this computer (once, about a minute)"),
    "looking": QT_TRANSLATE_NOOP("TrainingText", "Scanning files"),
    "counting": QT_TRANSLATE_NOOP("TrainingText", "Reading and splitting the texts"),
    "merging": QT_TRANSLATE_NOOP("TrainingText", "Merging"),
    "keeping": QT_TRANSLATE_NOOP("TrainingText", "Saving the tokenizer"),
    "done": QT_TRANSLATE_NOOP("TrainingText", "Done"),
}
"""Titles of the stages of a run, by ``engine.training.types.Stage`` and some names of the window's own."""

STAGE_SHARES = {"looking": (0.0, 0.02), "counting": (0.02, 0.5), "merging": (0.5, 1.0), "done": (1.0, 1.0)}
"""Span of each stage on one bar from 0 to 1. A bar that restarts at each stage would not show how much is left."""

REASONS = {
    "hidden": QT_TRANSLATE_NOOP("TrainingText", "Hidden"),
    "ignored": QT_TRANSLATE_NOOP("TrainingText", "Ignored by .gitignore"),
    "excluded": QT_TRANSLATE_NOOP("TrainingText", "Excluded by your patterns"),
    "binary": QT_TRANSLATE_NOOP("TrainingText", "Not text"),
    "empty": QT_TRANSLATE_NOOP("TrainingText", "Empty"),
    "unreadable": QT_TRANSLATE_NOOP("TrainingText", "Cannot be read"),
    "loop": QT_TRANSLATE_NOOP("TrainingText", "Link loop"),
    "special": QT_TRANSLATE_NOOP("TrainingText", "Not a regular file"),
    "vanished": QT_TRANSLATE_NOOP("TrainingText", "Deleted during the scan"),
    "changed": QT_TRANSLATE_NOOP("TrainingText", "Changed during the scan"),
    "not UTF-8": QT_TRANSLATE_NOOP("TrainingText", "Text, but not in UTF-8"),
    "sampled out": QT_TRANSLATE_NOOP("TrainingText", "Not in the sample"),
}
"""Reasons why a file is not in a corpus, by the names of ``engine.training.types.SkippedFile``."""

_SIZES = ((1_000_000_000, "{size} GB"), (1_000_000, "{size} MB"), (1_000, "{size} KB"))
_MINUTE, _HOUR = 60, 3600


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("TrainingText", text)


def stage_text(stage: str) -> str:
    """Return the title of a stage."""
    return tr(STAGES.get(stage, stage))


def overall_fraction(progress: TrainingProgress) -> float:
    """Return the progress of a run over all stages, from 0 to 1. Used by every progress bar."""
    first, last = STAGE_SHARES.get(progress.stage, (0.0, 0.0))
    return first + (last - first) * max(0.0, min(1.0, progress.fraction))


class TrainingText:
    """Formatter for the figures of the training page in one locale."""

    def __init__(self, locale: QLocale) -> None:
        self.locale = locale

    def number(self, number: int) -> str:
        """Format an integer with group separators."""
        return figure(self.locale, number)

    def decimal(self, number: float, digits: int = 2) -> str:
        """Format a number with this many decimals."""
        return self.locale.toString(float(number), "f", digits)

    def per_cent(self, fraction: float) -> str:
        """Format a fraction as a whole percentage, rounded down, so that 100% means complete."""
        return tr("{number}%").format(number=self.number(int(max(0.0, min(1.0, fraction)) * 100)))

    def size(self, size_bytes: float) -> str:
        """Format bytes in the largest decimal unit (KB, MB, GB) that gives at least 1."""
        for unit, text in _SIZES:
            if size_bytes >= unit:
                amount = size_bytes / unit
                return text.format(size=self.decimal(amount, 1 if amount < 100 else 0))
        if round(size_bytes) == 1:
            return tr("1 byte")
        return tr("{number} bytes").format(number=self.number(round(size_bytes)))

    def duration(self, seconds: float) -> str:
        """Format a duration: ``0.4 s``, ``35 s``, ``2 min 5 s``, ``1 h 12 min``."""
        if seconds < 0.05:
            return tr("less than 0.1 s")
        if seconds < 10:
            return tr("{seconds} s").format(seconds=self.decimal(seconds, 1))
        whole = round(seconds)
        if whole < _MINUTE:
            return tr("{seconds} s").format(seconds=whole)
        if whole < _HOUR:
            return tr("{minutes} min {seconds} s").format(minutes=whole // _MINUTE, seconds=whole % _MINUTE)
        hours, rest = divmod(whole, _HOUR)
        return tr("{hours} h {minutes} min").format(hours=self.number(hours), minutes=rest // _MINUTE)

    def left(self, seconds: float) -> str:
        """Format a remaining time, no more precisely than a forecast is."""
        if seconds < 1:
            return tr("under 1 s left")
        few = tr("{seconds} s").format(seconds=round(seconds))
        return tr("about {time} left").format(time=self.duration(seconds) if seconds >= 10 else few)

    def ends(self, low: float, high: float, write: Callable[[float], str]) -> str:
        """Format the range of a forecast; a single value if both ends read the same."""
        first, last = write(low), write(high)
        return first if first == last else tr("{low} to {high}").format(low=first, high=last)

    def about(self, number: float) -> str:
        """Format a forecast integer, rounded to two significant digits."""
        whole = round(number)
        digits = len(str(abs(whole)))
        return self.number(round(whole, min(0, 2 - digits)))

    def stage(self, stage: str) -> str:
        """Return the title of a stage."""
        return stage_text(stage)

    def reason(self, reason: str) -> str:
        """Return why files were skipped, in words."""
        return tr(REASONS.get(reason, reason))


# --- whole numbers ----------------------------------------------------------------------------------------------------


def figure(locale: QLocale, number: int) -> str:
    """Format ``number`` with the locale's separators. The C locale has none, so commas are used."""
    if locale.language() == QLocale.Language.C:
        return f"{number:,}"
    return locale.toString(number)


def date_format(locale: QLocale) -> str:
    """Return the format of dates: the locale's short one with a four-digit year; ISO 8601 without a locale."""
    if locale.name() == "C":
        return "yyyy-MM-dd"
    short = locale.dateFormat(QLocale.FormatType.ShortFormat)
    return short if "yyyy" in short else short.replace("yy", "yyyy")


def moment_format(locale: QLocale) -> str:
    """Return the format of a date with its time, in hours and minutes."""
    return f"{date_format(locale)} HH:mm"
