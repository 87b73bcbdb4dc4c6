from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from time import monotonic

import pytest

from gui.costs import cost_service as costs
from gui.costs import prices_service as price_files
from gui.costs.cost_service import CostService, PriceRequest, fitting, price_rows
from gui.costs.prices_service import LoadedPrices, LoadRequest, load_prices
from gui.runtime.jobs import Ticket
from pricing.types import OffPeak, TokenCount
from tests.gui.cost_samples import COUNTS, MODELS, TODAY, Counts, rows, scenario

GOOD = "version: 1\ncurrency: USD\nmodels:\n  acme/in-house:\n    name: In-house\n    price: {input: 1.5, output: 3}\n"
BROKEN = "version: 1\ncurrency: USD\nmodels:\n  acme/in-house:\n    price: {inpt: 1.5, output: $3}\n"


@pytest.fixture
def service(runner, monkeypatch):
    monkeypatch.setattr(price_files, "_loaded", lambda file, names: LoadedPrices(MODELS))
    service = CostService(today=lambda: TODAY)
    service.set_scenario(scenario(output_tokens=0))
    return service


@pytest.fixture
def priced(service, runner, qtbot):
    with qtbot.waitSignal(service.prices_changed):
        service.start(runner)
    with qtbot.waitSignal(service.estimated, check_params_cb=lambda rows: rows[0].estimate.usd is not None):
        service.set_counts(Counts())
    return service


def usd(service: CostService, model_id: str) -> Decimal | None:
    return next(row.estimate.usd for row in service.rows if row.model_id == model_id)


def test_prices_and_counts_become_rows(priced):
    assert [row.model_id for row in priced.rows] == [model.id for model in MODELS]
    assert usd(priced, "acme/large") == Decimal("0.002")
    assert usd(priced, "corp/unknown") is None


def test_what_it_is_told_before_the_start_counts_from_the_start(service, runner, qtbot):
    service.set_scenario(scenario(output_tokens=0, calls=7))
    assert not service.started
    service.set_counts(Counts())
    service.text_changed(1)
    service.reload_prices()
    assert service.rows == ()
    with qtbot.waitSignal(service.estimated):
        service.start(runner)
    assert usd(service, "acme/large") == Decimal("0.002")
    assert service.rows[0].estimate.calls == 7


def test_it_names_the_encodings_to_count(service, runner, qtbot):
    assert service.encodings_needed() == []
    with qtbot.waitSignal(service.encodings_changed) as told:
        service.start(runner)
    assert told.args == [("cl100k_base", "o200k_base")]
    assert service.encodings_needed() == ["cl100k_base", "o200k_base"]


def test_another_scenario_reprices(priced, qtbot):
    with qtbot.waitSignal(priced.estimated):
        priced.set_scenario(scenario(output_tokens=1_000, factor=Decimal("1.10")))
    # (1,000 × $2 + 1,000 × $8) per million × 1.1
    assert usd(priced, "acme/large") == Decimal("0.011")


def test_counts_of_encodings_still_being_counted_are_kept_and_marked(priced, qtbot):
    counts = Counts(revision=2, tokens=2_000, by_encoding={"o200k_base": 2_000, "cl100k_base": None})
    with qtbot.waitSignal(priced.estimated):
        priced.set_counts(counts)
    by_id = {row.model_id: row for row in priced.rows}
    assert by_id["acme/large"].estimate.input_tokens == 2_000
    assert not by_id["acme/large"].pending
    assert by_id["corp/embed"].estimate.input_tokens == 1_200
    assert by_id["corp/embed"].pending


def test_an_encoding_that_cannot_be_opened_is_not_waited_for(priced, qtbot):
    counts = Counts(revision=2, by_encoding={"o200k_base": 5}, unavailable={"cl100k_base": "damaged"})
    priced._counts.clear()
    with qtbot.waitSignal(priced.estimated):
        priced.set_counts(counts)
    embed = next(row for row in priced.rows if row.model_id == "corp/embed")
    assert embed.estimate.input_tokens is None
    assert not embed.pending


def test_the_table_follows_the_switch_of_the_encoding_shown(priced, qtbot):
    """With special tokens read as such, the window's count and the table's must agree."""
    with qtbot.waitSignal(priced.estimated):
        priced.set_counts(Counts(revision=2, tokens=7, by_encoding={"o200k_base": 9, "cl100k_base": 9}))
    large = next(row for row in priced.rows if row.model_id == "acme/large")
    assert large.estimate.input_tokens == 7


def test_figures_of_an_earlier_text_are_marked_until_the_new_ones_come(priced, qtbot):
    with qtbot.waitSignal(priced.stale_changed) as told:
        priced.text_changed(2)
    assert told.args == [True]
    with qtbot.waitSignal(priced.stale_changed) as told:
        priced.set_counts(Counts(revision=2))
    assert told.args == [False]
    assert not priced.stale


def test_counts_of_an_old_revision_do_not_clear_the_mark(priced, qtbot):
    with qtbot.waitSignal(priced.stale_changed):
        priced.text_changed(5)
    with qtbot.waitSignal(priced.estimated):
        priced.set_counts(Counts(revision=3))
    assert priced.stale


def test_more_cached_tokens_than_prompt_count_as_all_of_it():
    cut, was_cut = fitting(scenario(cached_tokens=5_000), TokenCount(1_000, 900, 1_100, "estimated"))
    assert (cut.cached_tokens, was_cut) == (1_000, True)
    kept, was_cut = fitting(scenario(cached_tokens=1_000), TokenCount(1_000, 1_000, 1_000, "exact"))
    assert (kept.cached_tokens, was_cut) == (1_000, False)
    by_id = {row.model_id: row for row in rows(cached_tokens=10**8)}
    assert by_id["acme/large"].cached_cut
    # 1,000 × $0.5 + 500 × $8, per million
    assert by_id["acme/large"].estimate.usd == Decimal("0.0045")


@pytest.mark.parametrize(("tokens", "delay_ms"), [(7, 0), (None, costs.ARRIVING_DELAY_MS)])
def test_a_text_that_is_still_arriving_is_priced_less_often(service, monkeypatch, tokens, delay_ms):
    now = 100.0
    monkeypatch.setattr(costs, "monotonic", lambda: now)
    by_encoding = {"cl100k_base": tokens}
    service.set_counts(Counts(by_encoding=by_encoding))
    now += costs.MAX_DELAY_MS / 1000
    service.set_counts(Counts(by_encoding=by_encoding))
    assert service._delay.interval() == delay_ms


def test_pricing_gives_way_between_models():
    class Counting(Ticket):
        given_way = 0

        def yield_to_gui(self) -> None:
            self.given_way += 1

    ticket = Counting(lambda fraction, note: None)
    price_rows(PriceRequest(1, MODELS, COUNTS, frozenset(), scenario()), ticket)
    assert ticket.given_way == len(MODELS) + 1


def test_the_input_cost_of_a_range_is_the_cost_at_its_ends():
    by_id = {row.model_id: row for row in rows()}
    assert (by_id["borg/opus"].estimate.input_usd_low, by_id["borg/opus"].estimate.input_usd_high) == (
        Decimal("0.007"),
        Decimal("0.008"),
    )
    assert by_id["acme/large"].estimate.input_usd_low == by_id["acme/large"].estimate.input_usd_high == Decimal("0.002")


def test_the_input_cost_of_a_range_over_a_tier(monkeypatch):
    """A longer prompt makes the output dearer as well: the input's range must not contain that."""
    from pricing.types import Rates, Tier

    opus = next(model for model in MODELS if model.id == "borg/opus")
    tier = Tier(Rates(input=Decimal(10), output=Decimal(50)), over=1_550)
    tiered = replace(opus, price=replace(opus.price, tiers=(tier,)))
    (row,) = price_rows(PriceRequest(1, (tiered,), {"o200k_base": 1_000}, frozenset(), scenario()))
    assert (row.estimate.input_usd_low, row.estimate.input_usd_high) == (Decimal("0.007"), Decimal("0.016"))
    assert row.estimate.usd_high == Decimal("0.041")


class TestPriceFiles:
    def test_without_a_file_the_bundled_prices_count(self, tmp_path):
        loaded = load_prices(LoadRequest(tmp_path / "prices.yaml", tmp_path / "good.yaml", False))
        assert loaded.models
        assert not loaded.problems
        assert not (tmp_path / "good.yaml").exists()

    def test_a_good_file_is_in_force_and_copied(self, tmp_path):
        file, copy = tmp_path / "prices.yaml", tmp_path / "kept" / "good.yaml"
        file.write_text(GOOD)
        loaded = load_prices(LoadRequest(file, copy, False))
        assert "acme/in-house" in {model.id for model in loaded.models}
        assert len(loaded.file_hash) == 64
        assert copy.read_text() == GOOD

    def test_at_the_start_a_broken_file_gives_way_to_its_last_good_version(self, tmp_path):
        file, copy = tmp_path / "prices.yaml", tmp_path / "good.yaml"
        file.write_text(BROKEN)
        copy.write_text(GOOD)
        loaded = load_prices(LoadRequest(file, copy, False))
        assert loaded.instead == price_files.LAST_GOOD
        assert "acme/in-house" in {model.id for model in loaded.models}
        assert [problem.line for problem in loaded.problems] == [5, 5]
        assert copy.read_text() == GOOD

    @pytest.mark.parametrize("copy", [None, BROKEN])
    def test_without_a_good_version_the_bundled_prices_count(self, tmp_path, copy):
        file = tmp_path / "prices.yaml"
        file.write_text(BROKEN)
        if copy:
            (tmp_path / "good.yaml").write_text(copy)
        loaded = load_prices(LoadRequest(file, tmp_path / "good.yaml", False))
        assert loaded.instead == price_files.BUNDLED
        assert "acme/in-house" not in {model.id for model in loaded.models}
        assert len(loaded.problems) == 2

    def test_while_running_a_broken_file_changes_nothing(self, tmp_path):
        file = tmp_path / "prices.yaml"
        file.write_text(BROKEN)
        loaded = load_prices(LoadRequest(file, None, True))
        assert loaded.models is None
        assert loaded.instead == price_files.KEPT
        assert len(loaded.problems) == 2

    def test_a_file_that_cannot_be_read_is_a_problem_not_a_crash(self, tmp_path):
        file = tmp_path / "prices.yaml"
        file.mkdir()
        loaded = load_prices(LoadRequest(file, None, False))
        assert len(loaded.problems) == 1
        assert loaded.models


def test_a_broken_file_is_told_with_all_its_problems_and_mended_without(runner, qtbot, tmp_path):
    file = tmp_path / "prices.yaml"
    file.write_text(GOOD)
    service = CostService(file, today=lambda: TODAY)
    with qtbot.waitSignal(service.prices_changed):
        service.start(runner)
    good = service.models
    file.write_text(BROKEN)
    with qtbot.waitSignal(service.prices_problem) as told:
        service.reload_prices()
    assert len(told.args[0]) == 2
    assert service.models is good
    assert service.prices_hash
    file.write_text(GOOD)
    with qtbot.waitSignal(service.prices_problem) as told:
        service.reload_prices()
    assert told.args == [()]


def test_what_depends_on_the_hour_renews_itself_when_the_hour_passes(runner, qtbot, monkeypatch):
    """Peak hours from 10 to 12; the clock of the service begins a moment before noon."""
    hours = OffPeak(Decimal("0.5"), peak=((600, 720),), weekdays=tuple(range(7)))
    by_hour = replace(MODELS[0], price=replace(MODELS[0].price, off_peak=hours))
    monkeypatch.setattr(price_files, "_loaded", lambda file, names: LoadedPrices((by_hour,)))
    noon, fast, begun = datetime(2026, 3, 4, 12, tzinfo=UTC), [0], monotonic()

    def now() -> datetime:
        return noon - timedelta(milliseconds=300) + timedelta(seconds=(monotonic() - begun) * fast[0])

    service = CostService(today=lambda: TODAY, now=now)
    service.set_scenario(scenario(now=noon - timedelta(hours=1)))
    with qtbot.waitSignal(service.prices_changed):
        service.start(runner)
    service.set_counts(Counts())

    def note() -> str:
        return service.rows[0].estimate.price_note if service.rows else ""

    qtbot.waitUntil(lambda: note().endswith("now peak until Wed 12:00 UTC"))
    begun, fast[0] = monotonic(), 1
    with qtbot.waitSignal(service.hour_passed):
        service.look_at_clock()
    qtbot.waitUntil(lambda: note().endswith("now off-peak until Thu 10:00 UTC"))


def test_a_new_day_is_told_of(runner, qtbot, monkeypatch):
    monkeypatch.setattr(price_files, "_loaded", lambda file, names: LoadedPrices(MODELS))
    clock = [datetime(2026, 3, 4, 23, 59, 59).astimezone()]

    def today() -> date:
        return clock[0].date()

    service = CostService(today=today, now=lambda: clock[0])
    with qtbot.waitSignal(service.prices_changed):
        service.start(runner)
    told = []
    noted = service.hour_passed.connect(lambda: told.append(service.today.day))
    service.look_at_clock()
    assert told == []
    clock[0] += timedelta(seconds=1)
    service.look_at_clock()
    service.look_at_clock()
    assert told == [5]
    service.disconnect(noted)  # which would keep the service, and its clock, for the rest of the run
