"""Opening text files off the GUI thread, by the rules of ``engine.corpus.folder_counts``. Never guesses an encoding."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, Signal, Slot

from engine.runtime.cancellation import check_cancelled, interruptible
from gui.core.about import own_command
from gui.core.profile_files import regular_bytes
from gui.editor.offsets import document_text
from gui.runtime.jobs import JobFailure, JobResult, JobRunner, Ticket

READ_BYTES = 1 << 20
PREVIEW_CHARACTERS = 400
PART_CHARACTERS = 1 << 20

CANDIDATES = (
    ("cp1252", QT_TRANSLATE_NOOP("Files", "Western European (Windows-1252)")),
    ("latin-1", QT_TRANSLATE_NOOP("Files", "Western European (ISO 8859-1)")),
    ("utf-16-le", QT_TRANSLATE_NOOP("Files", "UTF-16, little endian")),
    ("utf-16-be", QT_TRANSLATE_NOOP("Files", "UTF-16, big endian")),
    ("cp1250", QT_TRANSLATE_NOOP("Files", "Central European (Windows-1250)")),
    ("cp1251", QT_TRANSLATE_NOOP("Files", "Cyrillic (Windows-1251)")),
    ("koi8-r", QT_TRANSLATE_NOOP("Files", "Cyrillic (KOI8-R)")),
    ("shift_jis", QT_TRANSLATE_NOOP("Files", "Japanese (Shift JIS)")),
    ("euc_jp", QT_TRANSLATE_NOOP("Files", "Japanese (EUC-JP)")),
    ("gb18030", QT_TRANSLATE_NOOP("Files", "Chinese, simplified (GB 18030)")),
    ("big5", QT_TRANSLATE_NOOP("Files", "Chinese, traditional (Big5)")),
    ("euc_kr", QT_TRANSLATE_NOOP("Files", "Korean (EUC-KR)")),
)
"""Character encodings to choose from, by Python's names; the most likely first."""


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """File to read. ``encoding``: the one that the user chose, if any; ``most_bytes``: maximum size accepted."""

    path: Path
    most_bytes: int
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """Text of a file as stored, and the character encoding it was stored in.

    ``document`` is the same text as the editor holds it, the same object if there is no difference. ``crlf``: True if
    all line ends are CRLF. ``digest``: digest of the file's bytes, as from ``FileService.digest``.
    """

    path: Path
    text: str
    document: str
    encoding: str
    size: int
    crlf: bool
    digest: bytes


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to decode bytes: Python's name of the encoding, its title, and a preview.

    ``preview`` is empty if the bytes cannot be decoded with it.
    """

    encoding: str
    title: str
    preview: str


@dataclass(frozen=True, slots=True)
class UndecidedFile:
    """File whose character encoding cannot be detected; ``why`` is a sentence."""

    path: Path
    why: str
    candidates: tuple[Candidate, ...]


class RefusedFile(Exception):
    """Raised if a file cannot be opened; the message is a sentence for the user."""


class FileService(QObject):
    """Service that reads files for the prompt.

    Signals: ``opened(OpenedFile)``, ``undecided(UndecidedFile)``, ``refused(Path, str)`` with a sentence;
    ``digested(Path, bytes | None)``, None for a file that cannot be read.
    """

    opened = Signal(object)
    undecided = Signal(object)
    refused = Signal(object, str)
    digested = Signal(object, object)

    def __init__(self, runner: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lane = runner.exclusive(self.tr("Opening a file"), open_text)
        self._lane.finished.connect(self._on_finished)
        self._lane.failed.connect(self._on_failed)
        self._digests = runner.background(self.tr("Checking the file for changes"), _digest)
        self._digests.finished.connect(self._on_digested)

    def digest(self, path: Path) -> None:
        """Request the digest of a file's bytes; ``digested`` answers."""
        self._digests.submit(path)

    @Slot(object)
    def _on_digested(self, result: JobResult) -> None:
        self.digested.emit(result.request, result.value)

    def open(self, path: Path, *, most_bytes: int, encoding: str | None = None) -> None:
        """Read a file; ``opened``, ``undecided`` or ``refused`` answers."""
        self._lane.submit(OpenRequest(path, most_bytes, encoding))

    @Slot(object)
    def _on_finished(self, result: JobResult) -> None:
        if isinstance(result.value, OpenedFile):
            self.opened.emit(result.value)
        else:
            self.undecided.emit(result.value)

    @Slot(object)
    def _on_failed(self, failure: JobFailure) -> None:
        error = failure.error
        path = failure.request.path
        if isinstance(error, RefusedFile):
            why = str(error)
        elif isinstance(error, MemoryError):
            why = self.tr("not enough free memory to open {name}").format(name=path.name)
        else:
            why = self.tr("Could not read {name}: {why}").format(name=path.name, why=failure.why)
        self.refused.emit(path, why)


def open_text(request: OpenRequest, ticket: Ticket) -> OpenedFile | UndecidedFile:
    """Read and decode a file. Runs on a worker thread. Raises RefusedFile and OSError."""
    from engine.corpus.files import BinaryFileError, UnknownTextEncodingError, decode_stored

    path = request.path
    data = _read(request, ticket)
    try:
        stored = decode_stored(data, request.encoding)
    except BinaryFileError:
        raise RefusedFile(
            _tr("{name} is a binary file (it contains NUL bytes). Only text files can be opened.").format(
                name=path.name
            )
        ) from None
    except UnknownTextEncodingError as error:
        return UndecidedFile(path, str(error), candidates_for(data, error.byte_offset))
    text = stored.text
    digest = hashlib.blake2b(data, digest_size=16).digest()
    return OpenedFile(path, text, document_text(text), stored.encoding, stored.size, ends_in_crlf(text), digest)


def holds_text(path: Path, encoding: str, text: str) -> bool:
    """Return True if a file now holds this text, stored in ``encoding``. Reads all of it, on the calling thread."""
    from engine.corpus.files import BinaryFileError, UnknownTextEncodingError, decode_stored

    try:
        in_file = decode_stored(regular_bytes(path), encoding or None).text
    except (OSError, BinaryFileError, UnknownTextEncodingError):
        return False
    return document_text(in_file) == document_text(text)


def _digest(path: Path, _ticket: Ticket) -> bytes | None:
    from engine.corpus.files import CorpusFileError, content_digest

    try:
        return content_digest(path, check_cancelled)
    except CorpusFileError:
        return None


def ends_in_crlf(text: str) -> bool:
    """Return True if there are line ends and every LF follows a CR. Scans the text in chunks."""
    newlines = pairs = 0
    for start in interruptible(range(0, len(text), PART_CHARACTERS), every=1):
        newlines += text.count("\n", start, start + PART_CHARACTERS)
        pairs += text.count("\r\n", start, start + PART_CHARACTERS + 1)
        if newlines > pairs:
            return False
    return pairs > 0


def candidates_for(data: bytes, byte_offset: int) -> tuple[Candidate, ...]:
    """Return a candidate for each encoding; those that can decode the bytes come first.

    ``byte_offset`` is the first byte that is not UTF-8: the preview shows the text around it.
    """
    found = []
    for encoding, title in CANDIDATES:
        found.append(Candidate(encoding, _tr(title), _preview(data, encoding, byte_offset)))
    return tuple(sorted(found, key=lambda candidate: not candidate.preview))


def _preview(data: bytes, encoding: str, byte_offset: int) -> str:
    from engine.corpus.files import UnknownTextEncodingError, decoded_parts

    try:
        text = "".join(decoded_parts(data, encoding))
    except UnknownTextEncodingError:
        return ""
    # The character offset of the invalid byte is only known by decoding up to it; ignore a character cut in half.
    before = sum(map(len, decoded_parts(data[:byte_offset], encoding, "ignore")))
    start = max(0, before - PREVIEW_CHARACTERS // 4)
    return text[start : start + PREVIEW_CHARACTERS]


def _read(request: OpenRequest, ticket: Ticket) -> bytes:
    path = request.path
    if path.is_dir():
        raise RefusedFile(
            _tr("{name} is a folder. Drop it on the Files page to count everything in it.").format(name=path.name)
        )
    if not path.is_file() and path.exists():
        raise RefusedFile(_tr("{name} is not a regular file.").format(name=path.name))
    pieces = []
    size = 0
    with path.open("rb") as file:
        expected = max(1, path.stat().st_size)
        while piece := file.read(READ_BYTES):
            size += len(piece)
            if size > request.most_bytes or expected > request.most_bytes:
                raise RefusedFile(_too_big(path, max(size, expected), request.most_bytes))
            pieces.append(piece)
            ticket.progress(min(1.0, size / expected))
    return b"".join(pieces)


def _too_big(path: Path, size: int, most: int) -> str:
    return _tr(
        "{name} is {size} MB; the window opens files up to {most} MB (see Settings). `{program} count FILE` counts it "
        "without the window."
    ).format(name=path.name, size=f"{size / 1e6:.1f}", most=most // 1_000_000, program=own_command())


def _tr(text: str) -> str:
    return QCoreApplication.translate("Files", text)
