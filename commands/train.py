"""The command ``train``: train a tokenizer, with progress on standard error and checkpoints."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import engine
from commands.inputs import STANDARD_INPUT, Notice, WholeNumber, bytes_option, noticed, read_raw, read_text
from commands.program import INTERRUPTED, BadInput, FilePath, json_option, print_json, program, remark, say, usable
from engine.corpus.types import CorpusRules, CorpusSurvey
from engine.library.formats.table import WRITTEN
from engine.runtime.atomic_files import check_regular, make_private
from engine.split.patterns import NAMED_SPLITS
from engine.training.types import TrainingProgress, TrainingSettings
from gui.core.api_keys import key_sentence
from gui.core.profile_files import profile_paths

if TYPE_CHECKING:
    from engine.training.types import TrainingProgress


# --- progress ---------------------------------------------------------------------------------------------------------

_STEPS = 1000
_FILES_A_REPORT = 200


class ProgressDisplay:
    """Progress of a run on standard error, until it is closed. ``silent`` shows nothing."""

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent
        self._on_terminal = sys.stderr.isatty()
        self._stage = ""
        self._bar: Any = None
        self._shown = 0
        self._line_is_open = False

    def show(self, progress: TrainingProgress) -> None:
        """Show a new state."""
        if self._silent or progress.stage == "done":
            return
        if progress.stage != self._stage:
            self.close()
            self._stage = progress.stage
            if self._on_terminal:
                self._open_bar(progress)
            else:
                click.echo(_line(progress), err=True)
        if self._bar is not None:
            reached = int(progress.fraction * _STEPS)
            self._bar.update(max(0, reached - self._shown), _remark(progress))
            self._shown = max(self._shown, reached)

    def looking(self, check: Callable[[], None]) -> Callable[[int, int], None]:
        """Return the report callback of a survey. It calls ``check`` each time; any exception of it ends the survey."""

        def report(files: int, file_bytes: int) -> None:
            check()
            if self._on_terminal and not self._silent and files % _FILES_A_REPORT == 0:
                click.echo(f"\rscanning {files:,} files, {size(file_bytes)} ", err=True, nl=False)
                self._line_is_open = True

        return report

    def note(self, text: str) -> None:
        """Print a line between the stages."""
        if not self._silent:
            self.close()
            remark(text)

    def close(self) -> None:
        """Leave the bar in its current state and continue on the next line."""
        if self._line_is_open:
            click.echo(err=True)
            self._line_is_open = False
        if self._bar is not None:
            self._bar.render_finish()
            self._bar = None

    def _open_bar(self, progress: TrainingProgress) -> None:
        self._shown = 0
        self._bar = click.progressbar(
            length=_STEPS,
            label=f"{progress.stage:<8}",
            item_show_func=lambda remark: remark,
            file=sys.stderr,
            show_pos=False,
            update_min_steps=1,
        )
        self._bar.render_progress()


def _line(progress: TrainingProgress) -> str:
    if progress.stage == "merging":
        return f"merging {progress.pretokens:,} different pretokens, {progress.merges_wanted:,} merges to do"
    if progress.stage == "counting":
        return f"counting {size(progress.bytes_total)}"
    return "scanning files"


def _remark(progress: TrainingProgress) -> str:
    if progress.stage == "merging":
        rate = f"{progress.rate:,.0f} merges/s" if progress.rate else ""
        return f"{progress.merges:,} merges  {rate}  {progress.bytes_per_token:.2f} bytes/token"
    return f"{size(progress.bytes_read)} of {size(progress.bytes_total)}  {size(progress.rate)}/s"


def size(count: float) -> str:
    """Return a number of bytes with a unit."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count:.0f} bytes"


# --- the command ------------------------------------------------------------------------------------------------------

SLICE_SECONDS = 0.1
CHECKPOINT_SECONDS = 30.0
SAMPLE_BYTES = 1 << 16
"""Size of the sample, in bytes, that is encoded to verify a written file."""


@program.command()
@click.argument("paths", nargs=-1, type=str)
@click.option("--vocab-size", type=WholeNumber(1), help="Vocabulary size, including bytes and special tokens.")
@click.option(
    "--pattern",
    default="cl100k_base",
    show_default=True,
    help=f"Split pattern: {', '.join(NAMED_SPLITS)}, or a regular expression.",
)
@click.option("--min-count", type=WholeNumber(1), default=2, help="Minimum count for a pair to be merged.")
@click.option("--max-token-bytes", type=WholeNumber(1), help="Maximum token length in bytes.")
@click.option("--max-space-run", type=WholeNumber(1), help="Count longer runs of whitespace as this many characters.")
@click.option("--special", "special_tokens", multiple=True, help="A special token. Repeatable.")
@click.option(
    "--alphabet",
    type=click.Choice(["bytes", "characters", "characters+</w>"]),
    default="bytes",
    help="Smallest tokens; </w> marks the ends of words.",
)
@click.option(
    "--normalization", type=click.Choice(["NFC", "NFD", "NFKC", "NFKD"]), help="Unicode normalization applied first."
)
@click.option("--lowercase", is_flag=True, help="Convert texts to lower case first.")
@click.option("--strip-accents", is_flag=True, help="Remove accents first.")
@click.option(
    "--tie-order", type=click.Choice(["bytes", "huggingface"]), default="bytes", help="How to break ties between pairs."
)
@click.option(
    "--dummy-prefix/--no-dummy-prefix", default=True, help="With the pattern sentencepiece: put a ▁ before each text."
)
@click.option("--threads", type=WholeNumber(1), help="Threads that read and count. Default: one per core.")
@click.option("--dask", default="", metavar="ADDRESS", help="Count on the workers of this Dask scheduler.")
@click.option("--include", multiple=True, metavar="GLOB", help="Include only matching files (.gitignore syntax).")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Exclude matching files and folders.")
@click.option("--no-gitignore", is_flag=True, help="Include files ignored by .gitignore.")
@click.option("--hidden", is_flag=True, help="Include hidden files.")
@bytes_option
@click.option("--sample", "sample_mb", type=WholeNumber(1), metavar="MB", help="Train on a sample of this size.")
@click.option(
    "--out",
    type=FilePath(),
    help=f"Where to save it, in the format of the extension: {', '.join(one.ending for one in WRITTEN)}.",
)
@click.option("--checkpoint", type=FilePath(), help="Save checkpoints to this file, every 30 seconds and on Ctrl+C.")
@click.option("--resume", type=FilePath(), help="Resume from a checkpoint.")
@json_option
@click.pass_context
def train(context: click.Context, paths: tuple[str, ...], out: Path | None, as_json: bool, **options: Any) -> None:
    """Train a tokenizer on files, folders or standard input (-).

    Ctrl+C ends a run early: what was learned so far is saved, and the run can be resumed. Tokens that seem to contain
    API keys are listed before they are saved.
    """
    _check_options(context, paths, out, options)
    display = ProgressDisplay(silent=as_json)
    try:
        with noticed() as interrupted, _kernels(context.obj, display, interrupted):
            begun = options["resume"] is None
            started = _begun(paths, options, display, interrupted) if begun else _resumed(options)
            checkpoint = options["checkpoint"] or options["resume"]
            worked = _work(started, checkpoint, display, interrupted)
            display.close()
            ended = _end(worked, out, checkpoint, profile_paths(context.obj).checkpoints)
    finally:
        display.close()
    _report(ended, as_json)
    if ended.worked.stopped:
        raise click.exceptions.Exit(INTERRUPTED)


MAX_OF_A_NUMBER = 2**31 - 1
"""Largest number that the trainer's kernels accept."""


def _check_options(context: click.Context, paths: Sequence[str], out: Path | None, options: dict[str, Any]) -> None:
    """Raise BadInput for invalid options, before anything is prepared or read."""
    from engine.training.settings import check_can_be_saved

    for name in ("vocab_size", "min_count", "max_token_bytes", "max_space_run", "threads"):
        if (options[name] or 0) > MAX_OF_A_NUMBER:
            raise BadInput(f"--{name.replace('_', '-')}: at most {MAX_OF_A_NUMBER:,}")
    resume = options["resume"]
    settings = (
        _checked_settings(paths, options) if resume is None else _settings_of_checkpoint(context, resume, options)
    )
    if out is not None:
        usable(lambda: check_can_be_saved(settings, out), "--out")
    for path in paths:
        if path != STANDARD_INPUT:
            usable(Path(path).stat, path)
            usable(partial(check_regular, Path(path)), path)
    _check_targets(paths, out, options["checkpoint"])


def _checked_settings(paths: Sequence[str], options: dict[str, Any]) -> TrainingSettings:
    """Return the settings of a new run. Raises BadInput."""
    from engine.corpus.walk import FolderWalk
    from engine.training.settings import check_takes_bytes, plan_for

    if not paths:
        raise BadInput("give files or folders to train on, or - for standard input")
    if options["vocab_size"] is None:
        raise BadInput("--vocab-size is missing")
    settings = _settings(options)
    plan = usable(lambda: plan_for(settings))
    if options["as_bytes"]:
        usable(lambda: check_takes_bytes(plan), "--bytes")
    usable(lambda: FolderWalk(_rules(options)))
    if options["dask"]:
        from engine.training.cluster import check_address

        usable(lambda: check_address(options["dask"]), "--dask")
    return settings


def _settings_of_checkpoint(context: click.Context, resume: Path, options: dict[str, Any]) -> TrainingSettings:
    """Return the settings of a resumed run. Raises BadInput, also if an option contradicts them."""
    from engine.training.run import read_settings

    usable(resume.stat, str(resume))
    settings = usable(lambda: read_settings(resume))
    for name in SETTINGS:
        given = context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
        kept = getattr(settings, name)
        if given and options[name] != kept:
            raise BadInput(
                f"--resume: the run was started with {name} {kept!r} and cannot continue with {options[name]!r}"
            )
    return settings


def _check_targets(paths: Sequence[str], out: Path | None, checkpoint: Path | None) -> None:
    """Raise BadInput if an output file could not be written, or would overwrite an input file."""
    from engine.library.formats.tiktoken_ranks import companion_of
    from engine.runtime.atomic_files import check_replaceable

    targets = [("--out", out), ("--checkpoint", checkpoint)]
    if out is not None and out.suffix == ".tiktoken":
        targets.append(("--out", companion_of(out)))
    taken = {Path(path).resolve(): "a file to train on" for path in paths if path != STANDARD_INPUT}
    for option, target in targets:
        if target is None:
            continue
        usable(partial(check_replaceable, target), f"{option}: {target}")
        if target.resolve() in taken:
            raise BadInput(f"{option}: {target} is {taken[target.resolve()]}")
        taken[target.resolve()] = f"the file of {option}"


@dataclass(frozen=True, slots=True)
class Started:
    """A run to work on. ``survey``: the files of a new run, None if it is resumed."""

    run: engine.TrainingRun
    survey: CorpusSurvey | None = None
    sample: str = ""


@dataclass(frozen=True, slots=True)
class Worked:
    """A completed or stopped run. ``unsaved``: why a checkpoint could not be written, or ""."""

    started: Started
    progress: TrainingProgress
    seconds: float
    stopped: bool
    unsaved: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """Result of the command. ``checkpoint``: file with the state of a stopped run."""

    worked: Worked
    out: Path | None
    checkpoint: Path | None
    losses: tuple[str, ...] = field(default=())


def _kernels(profile: Path | None, display: ProgressDisplay, interrupted: Notice) -> Any:
    """Return a context in which compiled kernels are found. Compiles them first if needed."""
    from engine.encoding import compiling
    from engine.kernels.cache_folder import kept_in

    folder = compiling.folder_with(compiling.TRAIN, profile_paths(profile).compiled)
    if not compiling.keeps_nothing(folder) and not compiling.is_compiled(folder, compiling.TRAIN):
        display.note("compiling the trainer: this takes a minute, once per computer")
        try:
            compiling.compile_in_child(folder, [compiling.TRAIN], interrupted.raise_if_any)
        except compiling.CompilingFailedError as error:
            display.note(f"{error}; it is compiled again each time")
    return kept_in(folder)


# Start


def _begun(paths: Sequence[str], options: dict[str, Any], display: ProgressDisplay, interrupted: Notice) -> Started:
    rules = _rules(options)
    given = _standard_input(paths, as_bytes=options["as_bytes"])
    folders = [Path(path) for path in paths if path != STANDARD_INPUT]
    survey = usable(lambda: engine.survey(folders, rules, display.looking(interrupted.raise_if_any)))
    if not survey.files and not given:
        raise BadInput(_nothing_found(paths, survey))
    sources: list[Any] = ([survey] if survey.files else []) + ([given] if given else [])
    settings = {name: options[name] for name in SETTINGS}
    run = usable(lambda: engine.TrainingRun(sources, **settings, threads=options["threads"], dask=options["dask"]))
    start = given[:SAMPLE_BYTES]
    sample = (start.decode("utf-8", "replace") if isinstance(start, bytes) else start) or _first_text(survey)
    if not options["as_bytes"]:  # bytes that are not text become a pretoken without the pattern
        _check_pattern(options, sample)
    if folders:
        display.note(_found(survey))
    for warning in run.warnings:
        display.note(warning)
    return Started(run, survey, sample)


def _rules(options: dict[str, Any]) -> CorpusRules:
    sample_mb = options["sample_mb"]
    return CorpusRules(
        include=options["include"],
        exclude=options["exclude"],
        honour_gitignore=not options["no_gitignore"],
        hidden=options["hidden"],
        sample_bytes=None if sample_mb is None else sample_mb * 1_000_000,
        as_bytes=options["as_bytes"],
    )


def _standard_input(paths: Sequence[str], *, as_bytes: bool) -> str | bytes:
    """Return the content of standard input, empty if it is not among the paths. Raises BadInput."""
    if STANDARD_INPUT not in paths:
        return ""
    return read_raw(STANDARD_INPUT) if as_bytes else read_text(STANDARD_INPUT).text


def _check_pattern(options: dict[str, Any], sample: str) -> None:
    """Raise BadInput if the split pattern matches nothing in a text of the corpus, before everything is counted."""
    from engine.training.counting import PretokenCounter
    from engine.training.settings import plan_for

    plan = plan_for(_settings(options))
    counter = PretokenCounter(plan.expression)
    usable(lambda: counter.add(plan.preparation(sample).encode("utf-8", "replace")), "--pattern")
    if sample and not counter.different:
        pattern = options["pattern"]
        names = f", and no pattern is named {pattern!r} ({', '.join(NAMED_SPLITS)})" if pattern.isidentifier() else ""
        raise BadInput(f"--pattern: it matches nothing in the first {len(sample):,} characters of the texts{names}")


# --- settings ---------------------------------------------------------------------------------------------------------

SETTINGS = (
    "vocab_size",
    "pattern",
    "alphabet",
    "normalization",
    "lowercase",
    "strip_accents",
    "min_count",
    "max_token_bytes",
    "special_tokens",
    "tie_order",
    "dummy_prefix",
    "max_space_run",
)


def _settings(options: dict[str, Any]) -> TrainingSettings:
    return TrainingSettings(**{name: options[name] for name in SETTINGS})


# --- the run ----------------------------------------------------------------------------------------------------------


def _nothing_found(paths: Sequence[str], survey: CorpusSurvey) -> str:
    skipped = ", ".join(f"{count:,} {reason}" for reason, count in sorted(survey.skipped_counts.items()))
    where = ", ".join("standard input" if path == STANDARD_INPUT else path for path in paths)
    return f"no text to train on in {where}" + (f" (skipped: {skipped})" if skipped else "")


def _found(survey: CorpusSurvey) -> str:
    noun = "file" if len(survey.files) == 1 else "files"
    words = f"{len(survey.files):,} {noun}, {size(survey.file_bytes)}"
    skipped = ", ".join(f"{count:,} {reason}" for reason, count in sorted(survey.skipped_counts.items()))
    if skipped:
        words += f"; skipped: {skipped}"
    if survey.duplicate_files:
        words += f"; {survey.duplicate_files:,} duplicates"
    return words


def _first_text(survey: CorpusSurvey) -> str:
    from engine.training.evaluation import texts_of

    first = next(texts_of(survey.files, SAMPLE_BYTES), None)
    return first[1][:SAMPLE_BYTES] if isinstance(first, tuple) else ""


def _resumed(options: dict[str, Any]) -> Started:
    return Started(usable(lambda: engine.TrainingRun.resume(options["resume"], threads=options["threads"])))


# Work


def _work(started: Started, checkpoint: Path | None, display: ProgressDisplay, interrupted: Notice) -> Worked:
    run = started.run
    began = saved = time.monotonic()
    unsaved = ""
    progress = usable(lambda: run.advance(0.0))
    while not run.done and not interrupted:
        progress = usable(lambda: run.advance(SLICE_SECONDS))
        display.show(progress)
        if checkpoint is not None and time.monotonic() - saved >= CHECKPOINT_SECONDS:
            unsaved = _why_unsaved(run, checkpoint)
            saved = time.monotonic()
    return Worked(started, progress, time.monotonic() - began, not run.done, unsaved)


def _why_unsaved(run: engine.TrainingRun, checkpoint: Path) -> str:
    try:
        run.save(checkpoint)
    except (engine.EngineError, OSError) as error:
        return str(error)
    return ""


# End


# --- results ----------------------------------------------------------------------------------------------------------


def _end(worked: Worked, out: Path | None, checkpoint: Path | None, refuge: Path) -> Ended:
    """Save the result of a run. ``refuge``: folder for the state if neither ``checkpoint`` nor a file beside ``out`` is
    writable. Raises BadInput."""
    run = worked.started.run
    kept = _saved_to(run, [checkpoint, out and out.with_name(out.name + ".checkpoint")]) if worked.stopped else None
    if out is None or worked.progress.stage not in ("merging", "done"):
        return Ended(worked, None, kept)
    try:
        encoding = run.encoding(out.name.removesuffix(out.suffix))
        _warn_of_keys(encoding)
        saved = engine.save_encoding(encoding, out, worked.started.sample)
    except engine.EngineError as error:
        rescued = kept or _saved_to(run, _checkpoint_paths(run, out, checkpoint, refuge))
        rescue = f" The run is saved; continue it with train --resume {rescued}." if rescued else ""
        raise BadInput(f"{error}.{rescue}") from error
    return Ended(worked, out, kept, saved.losses)


def _warn_of_keys(encoding: engine.Encoding) -> None:
    """Warn about tokens that contain API keys, before they are written. Save anyway, because training may take
    hours."""
    from gui.core.api_keys import keys_in_vocabulary

    keys = keys_in_vocabulary(encoding)
    if keys:
        remark(f"{key_sentence('The vocabulary', keys)} Anyone who receives the file can read them.")


def _checkpoint_paths(
    run: engine.TrainingRun, out: Path, checkpoint: Path | None, refuge: Path
) -> Iterator[Path | None]:
    """Yield paths where the state of a run may be saved, creating their folders only on demand. None is in a shared
    folder, because the state contains words of the texts."""
    yield checkpoint
    yield out.with_name(out.name + ".checkpoint")
    name = f"{out.name}-{run.hash[:8]}.checkpoint"  # keeps runs apart that save to files of the same name
    with contextlib.suppress(OSError):
        make_private(refuge)
        yield refuge / name
    with contextlib.suppress(OSError):
        yield Path(tempfile.mkdtemp(prefix="tokenloupe-"), name)


def _saved_to(run: engine.TrainingRun, paths: Iterable[Path | None]) -> Path | None:
    """Return the first path to which a checkpoint could be written, or None."""
    return next((path for path in paths if path is not None and not _why_unsaved(run, path)), None)


def _report(ended: Ended, as_json: bool) -> None:
    worked, progress = ended.worked, ended.worked.progress
    survey = worked.started.survey
    skipped = [*(survey.skipped if survey else ()), *progress.problems]
    document = {
        "vocab_size": progress.vocab_size,
        "merges": progress.merges,
        "bytes": round(progress.tokens * progress.bytes_per_token),
        "tokens": progress.tokens,
        "bytes_per_token": progress.bytes_per_token,
        "seconds": round(worked.seconds, 3),
        "out": None if ended.out is None else str(ended.out),
        "hash": worked.started.run.hash,
        "stopped": worked.stopped,
        "why_done": progress.why_done,
        "checkpoint": None if ended.checkpoint is None else str(ended.checkpoint),
        "losses": list(ended.losses),
        "skipped": [{"path": str(file.path), "why": file.why} for file in skipped],
    }
    if worked.unsaved:
        remark(worked.unsaved)
    if as_json:
        print_json(document)
        return
    for problem in progress.problems:
        remark(f"{problem.path}: {problem.why}")
    if progress.stage in ("merging", "done"):
        say(
            f"{progress.vocab_size:,} tokens after {progress.merges:,} merges, "
            f"{progress.bytes_per_token:.3f} bytes per token, {worked.seconds:.1f} s"
        )
    for sentence in (progress.why_done, *ended.losses):
        if sentence:
            say(sentence)
    if ended.out is not None:
        say(f"saved {ended.out}")
    elif not worked.stopped:
        say("nothing was saved; --out FILE saves the tokenizer")
    if worked.stopped:
        _print_stopped(ended)


def _print_stopped(ended: Ended) -> None:
    if ended.checkpoint is not None:
        remark(f"stopped; resume with train --resume {ended.checkpoint}")
    else:
        remark("stopped without a checkpoint; use --checkpoint FILE to be able to resume")
