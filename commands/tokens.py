"""``count``, ``encode`` and ``decode``: text to tokens and back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

import pricing
from commands.counting import Counted, count_given, count_raw, narrowed_models
from commands.encodings import EncoderChoice, chosen_encoding, required_encoding, tokenizer_options
from commands.inputs import (
    STANDARD_INPUT,
    WholeNumber,
    bytes_option,
    check_template_use,
    folder_options,
    raw_given,
    read_given,
    read_raw,
    read_text,
    request_options,
)
from commands.program import BadInput, json_option, print_json, program, remark, say, usable
from engine.encoding.encoding import cut

if TYPE_CHECKING:
    from engine import Encoding
    from pricing.types import Model

MAX_DIGITS = 20
"""More digits than any token id has, so such a number is invalid."""

MAX_QUOTED = 40


@program.command()
@click.argument("paths", nargs=-1, type=str)
@click.option("--encoding", "name", help="Name of an encoding.")
@click.option("--model", help="Use the encoding of this model.")
@tokenizer_options
@request_options
@folder_options
@click.option("--lines", type=click.Path(dir_okay=False), help="With --request: list each line there (.csv, .json).")
@bytes_option
@click.option("--budget", type=WholeNumber(0), help="Exit with status 1 if there are more tokens.")
@json_option
@click.pass_obj
def count(
    profile: Path | None,
    paths: tuple[str, ...],
    as_json: bool,
    request: bool,
    template: str | None,
    ignored: bool,
    as_bytes: bool,
    lines: str | None,
    budget: int | None,
    **options: str | None,
) -> None:
    """Count the tokens of files and folders, or of standard input (-)."""
    check_template_use(request, template)
    if request:
        if budget is not None:
            raise BadInput("--budget cannot be used with --request")
        if as_bytes:
            raise BadInput("--bytes cannot be used with --request")
        from commands.requests import count_requests

        count_requests(profile, paths, as_json, template, lines, **options)
        return
    if lines is not None:
        raise BadInput("--lines requires --request")
    encoding, priced = chosen_encoding(profile, **options)
    with EncoderChoice(profile) as choice:
        given = [] if as_bytes else read_given(paths, ignored=ignored)
        counted = (
            count_raw(raw_given(paths, ignored=ignored), encoding)
            if as_bytes
            else count_given(given, [encoding], choice)
        )
    total = counted.total()
    document: dict[str, Any] = {"encoding": encoding.name, "tokens": total}
    document["files"] = [
        {"path": text.path, "tokens": text.tokens[0], "bytes": text.file_bytes} for text in counted.texts
    ]
    document["skipped"] = [{"path": str(file.path), "why": file.why} for file in counted.skipped]
    if priced is not None:
        if not as_bytes:
            (priced,) = narrowed_models([priced], given, counted, profile)
        document |= model_fields(priced, total)
    if as_json:
        print_json(document)
    else:
        print_counts(document, counted)
    check_tokens(document.get("tokens_high", total), budget)


def print_counts(document: dict[str, Any], counted: Counted) -> None:
    """Print the counts line by line, the total last."""
    if len(counted.texts) > 1:
        for text in counted.texts:
            say(f"{text.tokens[0]:>12,}  {text.path}")
    label = document.get("label", "exact")
    low, high = document.get("tokens_low"), document.get("tokens_high")
    spread = "" if low == high else f" ({low:,} to {high:,})"
    unit = "token" if document["tokens"] == 1 else "tokens"
    ending = "" if label == "exact" else f", {label}"
    say(f"{document['tokens']:,} {unit}{spread} in {document['encoding']}{ending}")
    if counted.skipped:
        remark(f"{len(counted.skipped)} skipped; --json lists them")


def check_tokens(most: int, budget: int | None) -> None:
    """Exit with status 1 if the maximum number of tokens exceeds the budget."""
    if budget is not None and most > budget:
        remark(f"over budget: {most:,} of {budget:,} tokens")
        raise click.exceptions.Exit(1)


def model_fields(model: Model, tokens: int) -> dict[str, Any]:
    """Return the fields that ``count --model`` adds: the label, and the range if the count is an estimate."""
    figure = pricing.count_for(model, {model.count.tokenizer or "": tokens})
    assert figure is not None
    return {
        "tokens": figure.tokens,
        "model": model.id,
        "label": figure.label,
        "tokens_low": figure.low,
        "tokens_high": figure.high,
    }


@program.command()
@click.argument("path", default=STANDARD_INPUT)
@click.option("--encoding", "name", help="Name of an encoding.")
@tokenizer_options
@click.option("--allow-special", is_flag=True, help="Recognize special tokens in the text.")
@click.option("--max-tokens", type=WholeNumber(0), help="First cut the text to at most this many tokens.")
@click.option("--from", "kept", type=click.Choice(("start", "end")), help="With --max-tokens: which part is kept.")
@bytes_option
@json_option
@click.pass_obj
def encode(
    profile: Path | None,
    path: str,
    allow_special: bool,
    max_tokens: int | None,
    kept: Literal["start", "end"] | None,
    as_bytes: bool,
    as_json: bool,
    **options: str | None,
) -> None:
    """Print the token IDs of a text, separated by spaces."""
    encoding = required_encoding(profile, **options)
    if as_bytes and allow_special:
        raise BadInput("give --bytes or --allow-special, not both")
    if kept is not None and max_tokens is None:
        raise BadInput("--from requires --max-tokens")
    if max_tokens is not None and (as_bytes or allow_special):
        raise BadInput("--max-tokens cannot be used with --bytes or --allow-special")
    content = read_raw(path) if as_bytes else read_text(path)
    size = len(content) if isinstance(content, bytes) else content.size
    with EncoderChoice(profile) as choice:
        choice.expect(size, encodings=1)
        choice.make_for(encoding)
    if isinstance(content, bytes):
        ids = usable(lambda: encoding.encode_bytes(content))
    else:
        text = content.text
        if max_tokens is not None:
            text = cut(encoding, text, max_tokens, kept or "start")
        ids = encoding.encode(text, allowed_special="all") if allow_special else encoding.encode_ordinary(text)
    if as_json:
        print_json({"encoding": encoding.name, "ids": ids})
    else:
        say(" ".join(map(str, ids)))


@program.command()
@click.argument("path", default=STANDARD_INPUT)
@click.option("--encoding", "name", help="Name of an encoding.")
@tokenizer_options
@click.pass_obj
def decode(profile: Path | None, path: str, **options: str | None) -> None:
    """Turn token IDs back into bytes on standard output. The IDs are separated by whitespace or commas."""
    encoding = required_encoding(profile, **options)
    words = read_text(path).text.replace(",", " ").split()
    source = "standard input" if path == STANDARD_INPUT else path
    ids = []
    for position, word in enumerate(words, 1):
        if not (word.isascii() and word.isdigit()):
            raise BadInput(f"{source}: number {position} is not a token ID: {shortened(word)!r}")
        # Without leading zeros an id has few digits. Do not convert long numbers.
        ids.append(int(word.lstrip("0")[:MAX_DIGITS] or "0"))
    try:
        data = encoding.decode_bytes(ids)
    except (KeyError, OverflowError, ValueError):
        position = next(position for position, token_id in enumerate(ids, 1) if not is_known(encoding, token_id))
        wrong = shortened(words[position - 1])
        raise BadInput(f"{source}: number {position} is {wrong}; no token of {encoding.name} has this ID") from None
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def shortened(word: str) -> str:
    """Return a word shortened for a message."""
    return word if len(word) <= MAX_QUOTED else word[: MAX_QUOTED - 1] + "…"


def is_known(encoding: Encoding, token_id: int) -> bool:
    """Return True if the vocabulary has a token with this id."""
    return token_id < encoding.n_vocab and encoding.token_info(token_id).kind != "unused"
