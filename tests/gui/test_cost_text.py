from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QLocale

from gui.costs.money_text import AGEING_DAYS, LRM, MAX_MOVED, OLD_DAYS, CostText, age_tone, range_digits, significant

D = Decimal
TODAY = date(2026, 11, 21)
ENGLISH = CostText(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
GERMAN = CostText(QLocale(QLocale.Language.German, QLocale.Country.Germany))


def test_exact_counts_are_printed_in_full():
    assert ENGLISH.tokens("exact", 12345, 12345, 12345) == "12,345"
    assert ENGLISH.tokens("assumed", 12345, 12345, 12345) == "~ 12,345"


def test_estimated_counts_show_no_more_digits_than_the_range_carries():
    assert ENGLISH.tokens("estimated", 18600, 17234, 20111) == "≈ 17,000–20,000"
    assert ENGLISH.tokens("estimated", 5, 4, 6) == "≈ 4–6"


def test_amounts_carry_the_label_and_the_range():
    assert ENGLISH.usd("estimated", D("0.0445"), D("0.0412"), D("0.0478")) == "≈ $0.041–0.048"
    assert ENGLISH.usd("exact", D("0.00045"), D("0.00045"), D("0.00045")) == "$0.00045"


def test_unknown_is_never_nought():
    assert ENGLISH.usd("exact", None, None, None) == "n/a"
    assert ENGLISH.tokens(None, None, None, None) == "n/a"
    assert ENGLISH.usd("exact", D(0), D(0), D(0)) == "$0"


def test_numbers_follow_the_locale():
    assert GERMAN.tokens("exact", 1234567, 1234567, 1234567) == "1.234.567"
    assert GERMAN.usd("estimated", D("1234.5"), D("1200"), D("1300")) == "≈ $1.200–1.300"
    assert GERMAN.usd("exact", D("0.045"), D("0.045"), D("0.045")) == "$0,045"
    arabic = CostText(QLocale(QLocale.Language.Arabic, QLocale.Country.Egypt))
    assert "٤" in arabic.tokens("exact", 4, 4, 4)


def test_ranges_with_arabic_digits_stay_in_order():
    """Between two numbers of Arabic digits a dash is turned with them: 4–6 would be seen as 6–4."""
    arabic = CostText(QLocale(QLocale.Language.Arabic, QLocale.Country.Egypt))
    assert arabic.tokens("estimated", 5, 4, 6) == f"≈ {LRM}٤{LRM}–{LRM}٦{LRM}"
    assert LRM not in GERMAN.tokens("estimated", 5, 4, 6)
    persian = CostText(QLocale(QLocale.Language.Persian, QLocale.Country.Iran))
    assert LRM not in persian.tokens("estimated", 5, 4, 6), "the digits of Persian are not turned"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ("0", "0", "0%"),
        ("0.0004", "0.0004", "<0.1%"),
        ("0.0004", "0.0006", "<0.1%"),
        ("0.0004", "0.0016", "<0.2%"),
        ("0.0316", "0.0316", "3.2%"),
        ("0.086", "0.1005", "8.6–10.0%"),
        ("1.12", "1.12", "112%"),
        ("12.3456", "12.3456", "1,235%"),
        ("12.3456", "23.4567", "1,200–2,300%"),
        ("0.9994", "1.0004", "99.9–100.1%"),
        ("1234.56", "2345.67", ">9,999%"),
    ],
)
def test_shares_have_one_decimal_at_most(low, high, text):
    assert ENGLISH.percent(D(low), D(high)) == text


def test_ratios():
    assert ENGLISH.ratio(D("1.25"), D("1.25")) == "×1.25"
    assert ENGLISH.ratio(D("1.11"), D("1.42")) == "×1.1–1.4"
    assert ENGLISH.ratio(D("1.1"), D("3.4")) == "×1.1–3.4"


def test_age_in_words_with_a_word_for_too_old():
    def age(days: int) -> str:
        return ENGLISH.age(TODAY - timedelta(days), TODAY)

    assert age(0) == "today"
    assert age(1) == "yesterday"
    assert age(AGEING_DAYS - 1) == f"{AGEING_DAYS - 1} days ago"
    assert age(AGEING_DAYS) == f"{AGEING_DAYS} days ago, ageing"
    assert age(OLD_DAYS) == f"{OLD_DAYS} days ago, old"
    assert ENGLISH.age(None, TODAY) == "never checked"
    assert [age_tone(TODAY - timedelta(days), TODAY) for days in (0, AGEING_DAYS, OLD_DAYS)] == ["", "warning", "error"]
    assert age_tone(None, TODAY) == "error"


def test_short_ages_are_in_the_largest_unit():
    ages = ((-1, "today"), (0, "today"), (1, "yesterday"), (2, "2 days"), (13, "13 days"), (14, "2 weeks"))
    ages += ((62, "8 weeks"), (63, "2 months"), (729, "24 months"), (730, "2 years"), (4_000, "10 years"))
    for days, words in ages:
        assert ENGLISH.short_age(TODAY - timedelta(days), TODAY) == words
    assert ENGLISH.short_age(None, TODAY) == "unknown"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        ("0.0000227", "0.0000253", "$0.000023–0.000025"),
        ("0.272", "0.305", "$0.27–0.30"),
        ("0.164", "0.197", "$0.16–0.20"),
        ("1449", "1551", "$1,450–1,550"),
        ("2.52", "3.47", "$2.50–3.50"),
        ("19.5", "20.5", "$19.50–20.50"),
        ("0", "0.3", "$0–0.30"),
        ("0", "0", "$0"),
        ("0.00002000", "0.00002004", "$0.00002"),
        ("0.00002018", "0.00002036", "$0.0000202–0.0000204"),
        ("129.12", "129.21", "$129.12"),
        ("0.00002", "5", "$0.00002–5.00"),
    ],
)
def test_ranges_of_money_have_no_more_digits_than_tell_the_ends_apart(low, high, text):
    assert ENGLISH.usd("exact", D(low), D(low), D(high)) == text


@given(
    st.decimals(0, 10**9, allow_nan=False, allow_infinity=False, places=9),
    st.decimals(0, 10**9, allow_nan=False, allow_infinity=False, places=9),
)
def test_printed_ranges_are_about_as_wide_as_the_true_ones_and_where_they_are(one, other):
    low, high = sorted((one, other))
    if low == high:
        return
    first, last = (D(end.replace(",", "")) for end in range_digits(low, high))
    assert first < last
    assert bool(first) == bool(low)
    assert abs(first - low) <= MAX_MOVED * (high - low)
    assert abs(last - high) <= MAX_MOVED * (high - low)


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_ranges_of_counts_are_whole_numbers_and_small_ones_exact(one, other):
    low, high = sorted((one, other))
    ends = [D(end.replace(",", "")) for end in range_digits(D(low), D(high), finest=0)]
    assert all(end == int(end) for end in ends)
    if high - low < 5:
        assert ends == [low, high]


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        (QLocale.c(), "2026-11-08"),
        (QLocale("en_US"), "11/8/2026"),
        (QLocale("de_DE"), "08.11.2026"),
        (QLocale("fr_FR"), "08/11/2026"),
    ],
)
def test_days_have_their_whole_year(locale, text):
    assert CostText(locale).day(date(2026, 11, 8)) == text


def test_significant_digits():
    assert significant(D("1.25499"), 3) == "1.25"
    assert significant(D("0.012345"), 3) == "0.0123"
    assert significant(D("1234.5"), 3) == "1,234"
    assert significant(D(0), 3) == "0"
