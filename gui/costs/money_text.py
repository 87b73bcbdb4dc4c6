"""Formatting of counts, money, shares and dates for the cost table, in the user's locale.

Money stays a ``Decimal`` up to the last digit of the text. A range is printed with no more digits than tell its ends
apart: they are rounded to two significant digits, and to more only if that would move an end by a considerable fraction
of the range's width. So 17,234 to 20,111 reads ``17,000–20,000`` and $0.0412 to $0.0478 reads ``$0.041–0.048``; the
exact ends are in the explanation of a cost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import bidirectional

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QDate, QLocale

from gui.core.figures import MAX_PLACES, MIN_PLACES, amount_runs, usd_text
from gui.look.quantities import date_format

if TYPE_CHECKING:
    from gui.costs.cost_service import Money
    from pricing.scenarios import Turn


AGEING_DAYS = 30
"""Age in days from which prices are called ageing: in a month, some prices of any long list change."""
OLD_DAYS = 90
"""Age in days from which prices are called old: in a quarter, most vendors release a model or change a price."""

MIN_DAYS = {1: 0, 7: 14, 30: 63, 365: 730}
"""Age in days from which a unit of so many days is used."""

SIGNS = {"exact": "", "counted": "", "formula": "~", "assumed": "~", "reconstructed": "≈", "estimated": "≈"}
"""Sign before a number that is not exact, by count quality, best first."""

LABELS = {
    "exact": QT_TRANSLATE_NOOP("CostText", "exact"),
    "formula": QT_TRANSLATE_NOOP("CostText", "formula"),
    "assumed": QT_TRANSLATE_NOOP("CostText", "assumed"),
    "reconstructed": QT_TRANSLATE_NOOP("CostText", "reconstructed"),
    "estimated": QT_TRANSLATE_NOOP("CostText", "estimated"),
    "counted": QT_TRANSLATE_NOOP("CostText", "counted by the vendor"),
}

MAX_MOVED = Decimal("0.2")
"""Maximum fraction of a range's width by which rounding may move an end."""
AMOUNT_DIGITS = 3
"""Significant digits of an amount without a range."""
MAX_PER_CENT = 9_999
"""Largest percentage that is printed in full; above it, ``>9,999%``."""

LRM = "\u200e"
"""Left-to-right mark, which is invisible."""
_NUMBERS = re.compile(r"\d[\d.,]*")
_WHOLE = re.compile(".+")
_DECIMAL_DIGITS = "0123456789"
_WIDE = Context(prec=100)
"""Context with more digits than any price times any count has."""


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("CostText", text)


class Currency(NamedTuple):
    """Currency of the amounts shown: its code, and the price of one unit in US dollars."""

    code: str = "USD"
    usd: Decimal = Decimal(1)

    @property
    def is_dollar(self) -> bool:
        """True if amounts need no conversion."""
        return self.code == "USD"

    @property
    def sign(self) -> str:
        """Sign before an amount: "$" or the currency code, since no other sign is unambiguous to all readers."""
        return "$" if self.is_dollar else f"{self.code}\u00a0"


class CostText:
    """Formatter of the cost table's figures for one locale, with money in one currency."""

    def __init__(self, locale: QLocale, currency: Currency | None = None) -> None:
        self.locale = locale
        self.currency = currency or Currency()
        signs = {",": locale.groupSeparator(), ".": locale.decimalPoint()}
        zero = locale.zeroDigit()
        if len(zero) == 1 and zero != "0":
            signs |= {digit: chr(ord(zero) + value) for value, digit in enumerate(_DECIMAL_DIGITS)}
        self._signs = str.maketrans(signs)
        self._date_format = date_format(locale)
        self._arabic = all(bidirectional(sign) == "AN" for sign in zero)

    def localised(self, text: str) -> str:
        """Return a text with its numbers (in C format, ``1,234.5``) in the locale's digits and separators."""
        return self._in_order(text, _NUMBERS).translate(self._signs)

    def number(self, number: int) -> str:
        """Return a whole number with separators: ``12,345``."""
        return self.localised(f"{number:,}")

    def label(self, label: str | None) -> str:
        """Return a count quality with its sign: ``≈ estimated``."""
        if label is None:
            return tr("not counted")
        sign = SIGNS.get(label, "")
        word = tr(LABELS[label]) if label in LABELS else label
        return f"{sign} {word}".strip()

    def tokens(self, label: str | None, tokens: int | None, low: int | None, high: int | None) -> str:
        """Return a count or its range: ``12,345``, ``~ 12,345``, ``≈ 17,000–20,000``, ``n/a``."""
        if tokens is None:
            return self.unknown()
        if low is None or high is None or low == high:
            return self._signed(label, self.number(tokens))
        return self._signed(label, self.localised("–".join(range_digits(Decimal(low), Decimal(high), finest=0))))

    def usd(self, label: str | None, usd: Decimal | None, low: Decimal | None, high: Decimal | None) -> str:
        """Return an amount or its range: ``$0.0041``, ``≈ $0.041–0.048``, ``n/a``.

        A range whose ends are equal in the digits of an amount is shown as one amount; its sign shows the quality.
        """
        if usd is None:
            return self.unknown()
        ends = ("", "")
        if low is not None and high is not None:
            ends = range_digits(self.converted(low), self.converted(high), most=AMOUNT_DIGITS)
        if ends[0] == ends[1]:
            return self._signed(label, self.amount(usd))
        # Money has two decimals or none.
        return self._signed(
            label,
            self.currency.sign + self.localised("–".join(end + "0" if end[-2:-1] == "." else end for end in ends)),
        )

    def aligned_usd(self, label: str | None, ends: tuple[Decimal, Decimal], places: int) -> str:
        """Return an amount or its range with this many decimals, as all of its column: ``≈ $0.00869–886``."""
        low, high = map(self.converted, ends)
        runs = amount_runs(low, high, places, self.currency.sign, self.localised)
        return self._signed(label, "".join(run.text for run in runs))

    def amount(self, usd: Decimal | None) -> str:
        """Return an amount without a range: ``$0.00045``."""
        return self.unknown() if usd is None else self.shown_amount(self.converted(usd))

    def shown_amount(self, amount: Decimal) -> str:
        """Format an amount that is already in the currency shown."""
        return self.localised(usd_text(amount)).replace("$", self.currency.sign)

    def axis_mark(self, value: float) -> str:
        """Return the text of an axis mark. Drawing works in floats; twelve digits hide their rounding errors."""
        return self.shown_amount(Decimal(f"{value:.12g}"))

    def converted(self, usd: Decimal) -> Decimal:
        """Convert US dollars to the currency shown, with more digits than are displayed, but not exactly."""
        return usd if self.currency.is_dollar else _WIDE.divide(usd, self.currency.usd)

    def percent(self, low: Decimal, high: Decimal) -> str:
        """Return a share from 0 to 1 as a percentage, at most one decimal: ``8.6–10.0%``, ``<0.1%``, ``>9,999%``."""
        low, high = low * 100, high * 100
        if Decimal(0) < high < Decimal("0.1"):
            return tr("<{share}%").format(share=self.localised("0.1"))
        if low > MAX_PER_CENT:
            return tr(">{share}%").format(share=self.number(MAX_PER_CENT))
        if low == high:
            text = f"{low:,.1f}" if low < 100 else f"{low:,.0f}"
            return tr("{share}%").format(share=self.localised(text.removesuffix(".0")))
        ends = range_digits(low, high, finest=-1)
        if not ends[0].strip("0.,"):
            return tr("<{share}%").format(share=self.localised(ends[1]))
        return tr("{share}%").format(share=self.localised("–".join(dict.fromkeys(ends))))

    def ratio(self, low: Decimal, high: Decimal) -> str:
        """Return a ratio: ``×1.25``, ``×1.1–1.4``."""
        if low == high:
            return "×" + self.localised(significant(low, 3))
        return "×" + self.localised("–".join(range_digits(low, high)))

    def day(self, day: date | None) -> str:
        """Return a date in the locale's short format with a four-digit year; "" for None."""
        if day is None:
            return ""
        return self._in_order(self.locale.toString(QDate(day.year, day.month, day.day), self._date_format), _WHOLE)

    def age(self, checked: date | None, today: date) -> str:
        """Return how long ago prices were checked, with a remark if that is too long: ``20 days ago, ageing``."""
        if checked is None:
            return tr("never checked")
        days = (today - checked).days
        if days <= 0:
            return tr("today")
        text = tr("{days} days ago").format(days=self.number(days)) if days > 1 else tr("yesterday")
        tone = age_tone(checked, today)
        if tone == "error":
            return tr("{age}, old").format(age=text)
        return tr("{age}, ageing").format(age=text) if tone == "warning" else text

    def short_age(self, checked: date | None, today: date) -> str:
        """Return the age of prices in the largest unit that is used: ``yesterday``, ``8 days``, ``5 weeks``."""
        if checked is None:
            return tr("unknown")
        days = (today - checked).days
        if days <= 1:
            return tr("today") if days <= 0 else tr("yesterday")
        words = {1: tr("{n} days"), 7: tr("{n} weeks"), 30: tr("{n} months"), 365: tr("{n} years")}
        unit = next(unit for unit in reversed(words) if days >= MIN_DAYS[unit])
        return words[unit].format(n=self.number(days // unit))

    def unknown(self) -> str:
        """Return the text for an unknown figure."""
        return tr("n/a")

    def _in_order(self, text: str, numbers: re.Pattern[str]) -> str:
        """Keep numbers in their order: Arabic digits would reverse the characters between two of them."""
        return numbers.sub(f"{LRM}\\g<0>{LRM}", text) if self._arabic else text

    def _signed(self, label: str | None, text: str) -> str:
        sign = SIGNS.get(label or "", "")
        return f"{sign} {text}" if sign else text


def age_tone(checked: date | None, today: date) -> str:
    """Return ``""`` for fresh prices, ``warning`` for ageing ones, ``error`` for old ones and those never checked."""
    if checked is None:
        return "error"
    days = (today - checked).days
    if days >= OLD_DAYS:
        return "error"
    return "warning" if days >= AGEING_DAYS else ""


def range_digits(low: Decimal, high: Decimal, finest: int | None = None, most: int | None = None) -> tuple[str, str]:
    """Format both ends of a range, 0 or more, in C format: rounded to the fewest digits that tell them apart, at least
    two.

    ``finest`` is the smallest power of ten to write. If that is too coarse, the low end is rounded down and the high
    end up, so that the text never promises a narrower range. ``most`` is the maximum number of significant digits; with
    it both ends may read alike. Equal ends are written in full.
    """
    if low == high:
        return format(low, ",f"), format(high, ",f")
    width = high - low
    # Rounding moves an end by at most half a unit: here a tenth of the width, so this power always works.
    sure = (width / 5).adjusted()
    if most is not None:
        sure = max(sure, high.adjusted() - most + 1)
    coarsest = high.adjusted() - 1
    if low > 0:
        coarsest = min(coarsest, low.adjusted())
    for power in range(coarsest, sure - 1, -1):
        ends = _rounded(low, power, ROUND_HALF_EVEN), _rounded(high, power, ROUND_HALF_EVEN)
        if abs(ends[0] - low) <= MAX_MOVED * width and abs(ends[1] - high) <= MAX_MOVED * width:
            break
    else:
        power = sure
        ends = _rounded(low, power, ROUND_HALF_EVEN), _rounded(high, power, ROUND_HALF_EVEN)
    if finest is not None and power < finest:
        power = finest
        ends = _rounded(low, power, ROUND_FLOOR), _rounded(high, power, ROUND_CEILING)
    places = max(0, -power)
    first = format(ends[0], f",.{places}f")
    if not ends[0] and finest is None:
        # An end that is not zero is not shown as zero, however small it is next to the high end.
        first = significant(low, 1)
    return first, format(ends[1], f",.{places}f")


def _rounded(value: Decimal, power: int, rounding: str) -> Decimal:
    """Round ``value`` to a multiple of ten to the ``power``, without a division, which would not be exact."""
    return value.scaleb(-power, _WIDE).to_integral_value(rounding).scaleb(power, _WIDE)


def significant(value: Decimal, digits: int) -> str:
    """Format ``value`` with ``digits`` significant digits, whole numbers in full: ``1.25``, ``0.0123``, ``1,234``."""
    if value == 0:
        return "0"
    places = max(0, digits - 1 - value.adjusted())
    return format(value, f",.{places}f")


MINUS = "−"


def money_text(text: CostText, money: Money, *, plus: bool = False) -> str:
    """Format money: ``$0.0041``, ``≈ $0.041–0.048``, ``−$2.00``; ``plus`` adds the sign to positive amounts."""
    usd, low, high = money.usd, money.low, money.high
    if usd is None:
        return text.unknown()
    if low is not None and high is not None and low < 0 < high:
        return f"{_signed(text, low, plus=plus)} – {_signed(text, high, plus=plus)}"
    if low is not None and high is not None and usd < 0:
        low, high = -high, -low
    words = text.usd(money.label, abs(usd), low, high)
    sign = MINUS if usd < 0 else "+" if plus and usd > 0 else ""
    approximate = SIGNS.get(money.label or "", "")
    if approximate and words.startswith(approximate):
        return f"{approximate} {sign}{words.removeprefix(approximate).lstrip()}"
    return sign + words


def _signed(text: CostText, usd: Decimal, *, plus: bool) -> str:
    return (MINUS if usd < 0 else "+" if plus and usd else "") + text.amount(abs(usd))


def total_text(turn: Turn, text: CostText, places: int | None = None) -> str:
    """Return the cost of a conversation up to a turn, with its range if its tokens are a range.

    ``places``: number of decimals of its column; None for a text that stands alone.
    """
    label, usd, low, high = turn.estimate.usd_label, turn.total_usd, turn.total_usd_low, turn.total_usd_high
    if usd is None or places is None:
        return text.usd(label, usd, low, high)
    return text.aligned_usd(label, (usd if low is None else low, usd if high is None else high), places)


def total_places(turns: Iterable[Turn], text: CostText) -> int:
    """Return the number of decimals of a column of totals: three digits of the smallest, at least whole cents."""
    smallest = min((text.converted(turn.total_usd) for turn in turns if turn.total_usd), default=Decimal(1))
    return min(max(MIN_PLACES, AMOUNT_DIGITS - 1 - smallest.adjusted()), MAX_PLACES)
