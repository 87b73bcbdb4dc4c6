"""The command ``cost``: cost of texts, requests or token counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import click

import engine
import pricing
from commands.counting import count_given, narrowed_models
from commands.encodings import EncoderChoice, load_catalog
from commands.inputs import (
    Day,
    DecimalNumber,
    WholeNumber,
    check_template_use,
    folder_options,
    read_given,
    read_text,
    request_options,
)
from commands.program import BadInput, FilePath, json_option, print_json, program, remark, say, usable
from engine.runtime.atomic_files import write_atomic
from gui.core.about import version_lines
from gui.core.exports import ExportTable, Value
from gui.core.reports import (
    Report,
    Section,
    counts_section,
    facts_of,
    key_warning,
    pairs_section,
    prices_section,
    program_section,
    rendered,
    report_format,
    text_section,
)
from gui.core.text_chunks import chunked, utf8_chunks
from pricing import report
from pricing.money import exact_usd, format_usd_range
from pricing.report import tokens_text, unknown_text
from pricing.scenarios import Budget, ends, judge
from pricing.types import HOURS, SERVICES, TokenCount

if TYPE_CHECKING:
    from pricing import Catalog
    from pricing.types import CostEstimate, Model, Scenario

COLUMNS = ("model", "input tokens", "count", "one call", "all calls", "not known", "notes")
SCENARIO = (
    *("output_tokens", "reasoning_tokens", "cached_tokens", "cache_write_tokens", "cache_write_1h_tokens"),
    *("audio_input_tokens", "audio_output_tokens", "searches", "batch", "service", "hours", "calls", "factor"),
)


def check_report_name(path: Path | None) -> None:
    """Raise BadInput if the suffix of ``path`` is no report format."""
    if path is not None and report_format(path) is None:
        raise BadInput(f"--report: {path}: a report must end in .html or .md")


def write_report(
    path: Path,
    texts: Iterable[tuple[str, str]],
    counts: Mapping[str, int],
    estimates: Sequence[CostEstimate],
    scenario: Scenario,
    *,
    allow_keys: bool,
) -> None:
    """Write a report about ``texts`` (with their paths). Warns first about text that looks like API keys; without
    ``allow_keys`` the report is then not written, because a command cannot ask the user. Raises BadInput."""
    facts = [facts_of(name, chunked([text])) for name, text in texts]
    warning = key_warning(facts)
    if warning and not allow_keys:
        raise BadInput(
            f"--report: {path} was not written. {warning} A report contains the hash of the text, not the text. "
            "To write it anyway, add --allow-keys."
        )
    if warning:
        remark(f"{warning} The report contains the hash of the text, not the text.")
    sections = [
        *([text_section(facts), counts_section(counts)] if facts else []),
        pairs_section("Scenario", [(name.replace("_", " "), getattr(scenario, name)) for name in SCENARIO]),
        Section(
            "Cost", ExportTable(COLUMNS, tuple(map(_row, estimates)), numeric=frozenset({COLUMNS[1], *COLUMNS[3:5]}))
        ),
        prices_section(((estimate.model_id, estimate) for estimate in estimates), scenario.on),
        program_section(version_lines(), datetime.now().astimezone()),
    ]
    kind = report_format(path)
    assert kind is not None
    text = rendered(Report("Cost of the prompt", tuple(sections)), kind)
    usable(lambda: write_atomic(path, utf8_chunks(text)), f"--report: {path}")


def _row(estimate: CostEstimate) -> tuple[Value, ...]:
    return (
        *(estimate.model_id, tokens_text(estimate), estimate.label or "not counted"),
        format_usd_range(estimate.usd, estimate.usd_low, estimate.usd_high),
        format_usd_range(estimate.usd_calls, estimate.usd_calls_low, estimate.usd_calls_high),
        unknown_text(estimate),
        "; ".join(filter(None, (estimate.price_note, estimate.context_note))),
    )


tokens_type = WholeNumber(0)


@program.command()
@click.argument("paths", nargs=-1, type=str)
@click.option("--input-tokens", type=tokens_type, help="Prompt size in tokens, instead of a text.")
@click.option("--model", "models", multiple=True, help="Price only this model. Repeatable.")
@click.option("--output-tokens", type=tokens_type, default=0, help="Expected output tokens.")
@click.option("--reasoning-tokens", type=tokens_type, default=0, help="Reasoning tokens, in addition to the output.")
@click.option("--cached-tokens", type=tokens_type, default=0, help="Prompt tokens read from the cache.")
@click.option("--cache-write-tokens", type=tokens_type, default=0, help="Prompt tokens written to the 5-minute cache.")
@click.option("--cache-write-1h-tokens", type=tokens_type, default=0, help="Prompt tokens written to the 1-hour cache.")
@click.option("--audio-input-tokens", type=tokens_type, default=0, help="Audio input tokens, besides the prompt.")
@click.option("--audio-output-tokens", type=tokens_type, default=0, help="Audio output tokens.")
@click.option("--searches", type=tokens_type, default=0, help="Calls of the vendor's search tool.")
@click.option("--batch", is_flag=True, help="Use batch prices.")
@click.option("--service", type=click.Choice(SERVICES), help="Use the prices of a service tier.")
@click.option("--hours", type=click.Choice(HOURS), help="For prices that depend on the hour: which to use.")
@click.option("--calls", type=WholeNumber(1), help="Also print the cost of this many calls.")
@click.option(
    "--factor", type=DecimalNumber(), default="1", help="Multiply the total, e.g. 1.10 for a regional surcharge."
)
@click.option("--on", "day", type=Day(), help="Use the prices of this date. Default: today.")
@click.option("--prices", type=FilePath(), help="Price file that overrides the built-in prices.")
@click.option("--budget", type=DecimalNumber(), help="Exit with status 1 if a listed model may cost more (USD).")
@click.option("--report", "report_file", type=FilePath(), help="Also write a report (.html or .md).")
@click.option("--allow-keys", is_flag=True, help="Write the report even if the text may contain API keys.")
@folder_options
@click.option("--explain", is_flag=True, help="Also print the cost breakdown, line by line.")
@request_options
@json_option
@click.pass_obj
def cost(profile: Path | None, paths: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Estimate what a prompt costs, for every model or the ones given."""
    check_report_name(options["report_file"])
    catalog = load_catalog(options["prices"], profile)
    today = date.today()
    day = options["day"] or today
    models, notes = chosen_models(catalog, options["models"], day)
    check_template_use(options["request"], options["template"])
    if options["request"]:
        if options["input_tokens"] is not None:
            raise BadInput("give --request or --input-tokens, not both")
        from commands.requests import request_counts

        count, not_counted = request_counts(profile, paths, options["template"])
        given = Given(count, not_counted=not_counted)
    else:
        given = given_counts(models, options["input_tokens"], paths, profile, ignored=options["ignored"])
        models = given.models or models
    scenario = pricing.Scenario(
        on=day,
        now=datetime.now(UTC) if day == today else None,
        calls=options["calls"] or 1,
        service=options["service"] or "",
        hours=options["hours"] or "",
        **{name: options[name] for name in SCENARIO_OPTIONS},
    )
    estimates = [
        usable(lambda model=model: pricing.estimate(model, given.count(model), scenario), model.id) for model in models
    ]
    with_calls = options["calls"] is not None
    if options["report_file"] is not None:
        write_report(
            *(options["report_file"], given.texts, given.by_encoding, estimates, scenario),
            allow_keys=options["allow_keys"],
        )
    if as_json:
        rows = [report.json_row(estimate, with_calls, options["explain"]) for estimate in estimates]
        document: dict[str, Any] = {"on": scenario.on.isoformat(), "rows": rows}
        if notes:
            document["notes"] = notes
        if options["request"]:
            document["not_counted"] = given.not_counted
        print_json(document)
    else:
        for note in notes:
            remark(note)
        for part in given.not_counted:
            remark(f"not counted: {part['place']} ({part['what']})")
        for line in report.text_lines(estimates, scenario.on, with_calls, options["explain"]):
            say(line)
    check_budget(estimates, options["budget"], options["calls"])


SCENARIO_OPTIONS = (
    "output_tokens",
    "reasoning_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "batch",
    "factor",
    "audio_input_tokens",
    "audio_output_tokens",
    "searches",
)


def chosen_models(catalog: Catalog, names: Sequence[str], on: date) -> tuple[list[Model], list[str]]:
    """Return the models named, or all models, and notes on how the names were resolved.

    Raises BadInput for a name that matches no model, or more than one, on that day.
    """
    if not names:
        return list(catalog.models), []
    try:
        found = [catalog.resolve(name, on) for name in names]
    except LookupError as error:
        raise BadInput(f"--model: {error}") from error
    return [one.model for one in found], [one.note for one in found if one.note]


class Given(NamedTuple):
    """Input to price. ``count``: returns a model's count. ``texts``: the counted texts with their paths; iterate once,
    because those of folders are read then. ``by_encoding``: tokens of the texts. ``models``: with the count rules for
    such texts, if these are known. ``not_counted``: parts of a request that are not counted."""

    count: Callable[[Model], TokenCount | None]
    texts: Iterable[tuple[str, str]] = ()
    by_encoding: Mapping[str, int] = MappingProxyType({})
    models: Sequence[Model] = ()
    not_counted: Sequence[Mapping[str, str]] = ()


def given_counts(
    models: Sequence[Model], tokens: int | None, paths: Sequence[str], profile: Path | None, *, ignored: bool
) -> Given:
    """Return the input to price: the given number of tokens, or texts counted once per encoding."""
    if tokens is not None:
        if paths:
            raise BadInput("give a text or --input-tokens, not both")
        given = TokenCount(tokens, tokens, tokens, "exact")
        return Given(lambda model: given)
    names = sorted({model.count.tokenizer for model in models if model.count.tokenizer is not None})
    encodings = [usable(lambda name=name: engine.get_encoding(name)) for name in names]
    given_texts = read_given(paths, ignored=ignored)
    with EncoderChoice(profile) as choice:
        counted = count_given(given_texts, encodings, choice)
    if counted.skipped:
        remark(f"{len(counted.skipped)} files skipped; 'count --json' lists them")
    counts = {name: counted.total(index) for index, name in enumerate(names)}
    stored = {one.path: one.text.text for one in given_texts if one.text is not None}
    texts = (
        (text.path, stored[text.path] if text.path in stored else read_text(text.path).text) for text in counted.texts
    )
    found = narrowed_models(models, given_texts, counted, profile)
    return Given(lambda model: pricing.count_for(model, counts), texts, counts, found)


def check_budget(estimates: Sequence[CostEstimate], budget: Decimal | None, calls: int | None) -> None:
    """Exit with status 1 if a cost, or the upper end of its range, exceeds the budget. Lists costs that are unknown."""
    if budget is None:
        return
    verdict = judge(estimates, Budget(budget, for_all_calls=calls is not None))
    if verdict.unknown:
        names = ", ".join(estimate.model_id for estimate in verdict.unknown)
        remark(f"not checked against the budget, because the cost is unknown or incomplete: {names}")
    if verdict.exceeded:
        first, *others = verdict.exceeded
        highest = ends(first, calls is not None)[1]
        most = exact_usd(highest) if highest is not None else "more"
        more = (
            f", and {len(others):,} more {'model is' if len(others) == 1 else 'models are'} over it" if others else ""
        )
        remark(f"over budget: {first.model_id} may cost {most} of {exact_usd(budget)} USD{more}")
        raise click.exceptions.Exit(1)
