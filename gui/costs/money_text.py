"""Counts, money, shares and days as the cost table shows them, in the user's locale.

Money stays a ``Decimal`` up to the last digit of the text. A range is printed with no more digits than tell its ends
apart: they are rounded to two significant digits, to more only where that would move an end by a good part of the
range's width. So 17,234 to 20,111 reads ``17,000–20,000`` and $0.0412 to $0.0478 reads ``$0.041–0.048``; the exact ends
are in the explanation of a cost.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import bidirectional

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QDate, QLocale

from gui.core.figures import usd_text

if TYPE_CHECKING:
    from gui.costs.priced_model import Money
    from pricing.scenarios import Turn


AGEING_DAYS = 30
"""From this age on prices are called ageing: a month, in which some of any long list change."""
OLD_DAYS = 90
"""From this age on prices are called old: a quarter, in which most vendors bring out a model or change a price."""

SIGNS = {"exact": "", "counted": "", "formula": "~", "assumed": "~", "reconstructed": "≈", "estimated": "≈"}
"""What stands before a number that is not exact, by label, best first."""

LABELS = {
    "exact": QT_TRANSLATE_NOOP("CostText", "exact"),
    "formula": QT_TRANSLATE_NOOP("CostText", "formula"),
    "assumed": QT_TRANSLATE_NOOP("CostText", "assumed"),
    "reconstructed": QT_TRANSLATE_NOOP("CostText", "reconstructed"),
    "estimated": QT_TRANSLATE_NOOP("CostText", "estimated"),
    "counted": QT_TRANSLATE_NOOP("CostText", "counted by the vendor"),
}

MOST_MOVED = Decimal("0.2")
"""The part of a range's width by which rounding may move an end of it."""
AMOUNT_DIGITS = 3
"""Significant digits of an amount without a range."""
MOST_PER_CENT = 9_999
"""Larger shares are not worth their digits: ``>9,999%``."""

LRM = "\u200e"
"""The left-to-right mark, which is not seen."""
_NUMBERS = re.compile(r"\d[\d.,]*")
_WHOLE = re.compile(".+")
_DECIMAL_DIGITS = "0123456789"
_WIDE = Context(prec=100)
"""More digits than any price times any count has."""


def tr(text: str) -> str:
    """Translate in the context of this module."""
    return QCoreApplication.translate("CostText", text)


class Currency(NamedTuple):
    """What amounts are shown in: its code, and what one unit of it costs in US dollars."""

    code: str = "USD"
    usd: Decimal = Decimal(1)

    @property
    def is_dollar(self) -> bool:
        """Whether amounts are shown as they are kept."""
        return self.code == "USD"

    @property
    def sign(self) -> str:
        """What stands before an amount: no currency but the dollar has a sign that all readers know it by."""
        return "$" if self.is_dollar else f"{self.code}\u00a0"


class CostText:
    """Writes the figures of the cost table for one locale, money in one currency."""

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
        """Numbers written as in C (``1,234.5``), with the locale's digits and separators."""
        return self._in_order(text, _NUMBERS).translate(self._signs)

    def label(self, label: str | None) -> str:
        """A count's label with its sign: ``≈ estimated``."""
        if label is None:
            return tr("not counted")
        sign = SIGNS.get(label, "")
        word = tr(LABELS[label]) if label in LABELS else label
        return f"{sign} {word}".strip()

    def tokens(self, label: str | None, tokens: int | None, low: int | None, high: int | None) -> str:
        """A count or its range: ``12,345``, ``~ 12,345``, ``≈ 17,000–20,000``, ``n/a``."""
        if tokens is None:
            return self.unknown()
        if low is None or high is None or low == high:
            return self._signed(label, self.localised(f"{tokens:,}"))
        return self._signed(label, self.localised("–".join(range_digits(Decimal(low), Decimal(high), finest=0))))

    def usd(self, label: str | None, usd: Decimal | None, low: Decimal | None, high: Decimal | None) -> str:
        """An amount or its range: ``$0.0041``, ``≈ $0.041–0.048``, ``n/a``.

        A range whose ends are alike in the digits of an amount reads as one: the sign before it says what it is.
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

    def amount(self, usd: Decimal | None) -> str:
        """An amount without a range: ``$0.00045``."""
        return self.unknown() if usd is None else self.shown_amount(self.converted(usd))

    def shown_amount(self, amount: Decimal) -> str:
        """An amount that is in the currency shown already."""
        return self.localised(usd_text(amount)).replace("$", self.currency.sign)

    def axis_mark(self, value: float) -> str:
        """A mark of an axis. Drawing works in floats; twelve digits hide what they lack."""
        return self.shown_amount(Decimal(f"{value:.12g}"))

    def converted(self, usd: Decimal) -> Decimal:
        """US dollars in the currency shown: for the eye, with more digits than it sees, but not exact."""
        return usd if self.currency.is_dollar else _WIDE.divide(usd, self.currency.usd)

    def percent(self, low: Decimal, high: Decimal) -> str:
        """A share from 0 to 1 as per cent, with one decimal at most: ``8.6–10.0%``, ``<0.1%``, ``>9,999%``."""
        low, high = low * 100, high * 100
        if Decimal(0) < high < Decimal("0.1"):
            return tr("<{share}%").format(share=self.localised("0.1"))
        if low > MOST_PER_CENT:
            return tr(">{share}%").format(share=self.localised(f"{MOST_PER_CENT:,}"))
        if low == high:
            text = f"{low:,.1f}" if low < 100 else f"{low:,.0f}"
            return tr("{share}%").format(share=self.localised(text.removesuffix(".0")))
        ends = range_digits(low, high, finest=-1)
        if not ends[0].strip("0.,"):
            return tr("<{share}%").format(share=self.localised(ends[1]))
        return tr("{share}%").format(share=self.localised("–".join(dict.fromkeys(ends))))

    def ratio(self, low: Decimal, high: Decimal) -> str:
        """A ratio: ``×1.25``, ``×1.1–1.4``."""
        if low == high:
            return "×" + self.localised(significant(low, 3))
        return "×" + self.localised("–".join(range_digits(low, high)))

    def day(self, day: date | None) -> str:
        """A date in the locale's short form with the whole year, empty for None."""
        if day is None:
            return ""
        return self._in_order(self.locale.toString(QDate(day.year, day.month, day.day), self._date_format), _WHOLE)

    def age(self, checked: date | None, today: date) -> str:
        """How long ago prices were checked, with a word where that is too long: ``20 days ago, ageing``."""
        if checked is None:
            return tr("never checked")
        days = (today - checked).days
        if days <= 0:
            return tr("today")
        text = tr("{days} days ago").format(days=self.localised(f"{days:,}")) if days > 1 else tr("yesterday")
        tone = age_tone(checked, today)
        if tone == "error":
            return tr("{age}, old").format(age=text)
        return tr("{age}, ageing").format(age=text) if tone == "warning" else text

    def unknown(self) -> str:
        """What stands for a figure that is not known."""
        return tr("n/a")

    def _in_order(self, text: str, numbers: re.Pattern[str]) -> str:
        """Keep numbers in the order in which they are written: Arabic digits turn what stands between two of them."""
        return numbers.sub(f"{LRM}\\g<0>{LRM}", text) if self._arabic else text

    def _signed(self, label: str | None, text: str) -> str:
        sign = SIGNS.get(label or "", "")
        return f"{sign} {text}" if sign else text


def age_tone(checked: date | None, today: date) -> str:
    """``""`` for fresh prices, ``warning`` for ageing ones, ``error`` for old ones and those never checked."""
    if checked is None:
        return "error"
    days = (today - checked).days
    if days >= OLD_DAYS:
        return "error"
    return "warning" if days >= AGEING_DAYS else ""


def range_digits(low: Decimal, high: Decimal, finest: int | None = None, most: int | None = None) -> tuple[str, str]:
    """Both ends of a range, 0 or more, in C notation: rounded to as few digits as tell them apart, two at least.

    ``finest`` is the least power of ten to write. Where that is too coarse the low end is rounded down and the high end
    up: the text must not promise a narrower range than there is. ``most`` is the greatest number of significant digits;
    with it both ends may read alike. Ends that are equal are written in full.
    """
    if low == high:
        return format(low, ",f"), format(high, ",f")
    width = high - low
    # An end is moved by half a unit at most: a tenth of the width with this one, so it always does.
    sure = (width / 5).adjusted()
    if most is not None:
        sure = max(sure, high.adjusted() - most + 1)
    coarsest = high.adjusted() - 1
    if low > 0:
        coarsest = min(coarsest, low.adjusted())
    for power in range(coarsest, sure - 1, -1):
        ends = _rounded(low, power, ROUND_HALF_EVEN), _rounded(high, power, ROUND_HALF_EVEN)
        if abs(ends[0] - low) <= MOST_MOVED * width and abs(ends[1] - high) <= MOST_MOVED * width:
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
        # Not nought where it is not, however small next to the high end.
        first = significant(low, 1)
    return first, format(ends[1], f",.{places}f")


def date_format(locale: QLocale) -> str:
    """How days are written: as the locale does in short, but with the whole year; without a locale as ISO 8601 does."""
    if locale.name() == "C":
        return "yyyy-MM-dd"
    short = locale.dateFormat(QLocale.FormatType.ShortFormat)
    return short if "yyyy" in short else short.replace("yy", "yyyy")


def _rounded(value: Decimal, power: int, rounding: str) -> Decimal:
    """``value`` as a multiple of ten to the ``power``, without a division, which would not be exact."""
    return value.scaleb(-power, _WIDE).to_integral_value(rounding).scaleb(power, _WIDE)


def significant(value: Decimal, digits: int) -> str:
    """``value`` with so many significant digits, whole numbers in full: ``1.25``, ``0.0123``, ``1,234``."""
    if value == 0:
        return "0"
    places = max(0, digits - 1 - value.adjusted())
    return format(value, f",.{places}f")


MINUS = "−"


def money_text(text: CostText, money: Money, *, plus: bool = False) -> str:
    """``$0.0041``, ``≈ $0.041–0.048``, ``−$2.00``; with ``plus`` what is more than nothing has its sign, too."""
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


def total_text(turn: Turn, text: CostText) -> str:
    """What a conversation has cost up to a turn, a range where its tokens are one."""
    return text.usd(turn.estimate.usd_label, turn.total_usd, turn.total_usd_low, turn.total_usd_high)
