"""Session state of a window: the text, the caret, the layout, the scenario. No Qt.

A session is a folder with the text in ``text.txt`` (UTF-8, as counted) and everything else in ``state.json``. Each is
replaced atomically, so a kill at any moment leaves the newest complete pair or a text newer than its state; both can be
restored. An open window marks its state as not closed; a state with this mark at the next start was left by a crash.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from gui.core.profile_files import regular_bytes, set_aside

VERSION = 1
TEXT_FILE = "text.txt"
STATE_FILE = "state.json"
EARLIER_FILE = "earlier.txt"
"""The text of the previous window, if the user starts with an empty one."""
PART_SET_ASIDE = "state-{part}.json.damaged"
"""A part of the state that could not be restored."""
MAX_OF_A_NUMBER = 2**31 - 1
"""Maximum of a number in the state; Qt takes no larger ones."""
SAMPLE = """\
You are a careful release assistant. Read the change list below and answer in one short paragraph.

# What to do
1. Group the changes by area; keep the issue numbers (#1042, #987).
2. Name anything that could break an existing installation.
3. Answer in the language of the question; prices in € and ¥, dates as 2026-03-14.

```python
def cost(tokens: int, usd_per_million: float = 2.50) -> float:
    \"\"\"What a prompt costs before it is sent.\"\"\"
\treturn tokens * usd_per_million / 1_000_000
```

{"area": "tokenizer", "fixed": ["naïve", "café", "Straße"], "speed-up": 3.75, "done": true}

質問：この変更で何が変わりますか？三行で説明してください。
Вопрос: что изменится для пользователей?
السؤال: ما الذي سيتغيّر؟

Thanks for the thorough work 👩‍💻🚀 — antidisestablishmentarianism is still several tokens.
"""
"""The text of the first start: short, editable, and made to exercise the table and the token colours."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """Everything but the text. ``as_stored``: the text is that of the file, unedited; ``modified``: it is not saved
    elsewhere.

    Offsets are in UTF-16 units.
    """

    version: int = VERSION
    closed: bool = True
    as_stored: bool = False
    modified: bool = False
    file: str = ""
    file_encoding: str = ""
    crlf: bool = False
    caret_utf16: int = 0
    anchor_utf16: int = 0
    scroll: int = 0
    zoom: int = 0
    encoding: str = "o200k_base"
    special_as_tokens: bool = False
    geometry: str = ""
    tab: str = ""
    model: str = ""
    inspector: bool = True
    inspector_cost: str = ""
    strip: dict[str, Any] = field(default_factory=dict)
    find: dict[str, Any] = field(default_factory=dict)
    scenario: dict[str, Any] = field(default_factory=dict)
    training: dict[str, Any] = field(default_factory=dict)
    vocabulary: dict[str, Any] = field(default_factory=dict)
    merges: dict[str, Any] = field(default_factory=dict)
    request: dict[str, Any] = field(default_factory=dict)
    compare: dict[str, Any] = field(default_factory=dict)
    files: dict[str, Any] = field(default_factory=dict)
    pricing: dict[str, Any] = field(default_factory=dict)
    conversation: dict[str, Any] = field(default_factory=dict)


class Restored(NamedTuple):
    """A session read at startup.

    ``text`` is None if there is none, or if it is too large to be read at once: then ``text_bytes`` is its size.
    ``problems``: sentences about what could not be read and where it was moved.
    """

    state: SessionState
    text: str | None
    text_bytes: int
    crashed: bool
    problems: tuple[str, ...]

    @property
    def is_first(self) -> bool:
        """True on the first start with this profile."""
        return self.text is None and not self.text_bytes and not self.problems and self.state == SessionState()


class DamagedSession(Exception):
    """Raised if a session file cannot be read; the text is a sentence that names where it was moved."""


def state_bytes(state: SessionState) -> bytes:
    """The state as JSON bytes."""
    return json.dumps(dataclasses.asdict(state), indent=1).encode()


def read_session(folder: Path, most_bytes: int) -> Restored:
    """Read a session, its text only up to ``most_bytes``. Never raises: unreadable files are set aside and reported."""
    problems: list[str] = []
    state, found = SessionState(), False
    try:
        state, found = read_state(folder), (folder / STATE_FILE).exists()
    except DamagedSession as error:
        problems.append(str(error))
    path = folder / TEXT_FILE
    text: str | None = None
    size = 0
    try:
        found_bytes = path.stat().st_size
        text = read_text(path) if found_bytes <= most_bytes else None
        size = found_bytes
    except FileNotFoundError:
        pass
    except OSError as error:
        problems.append(_set_aside(path, error))
    except DamagedSession as error:
        problems.append(str(error))
    return Restored(state, text, size, found and not state.closed, tuple(problems))


def read_state(folder: Path) -> SessionState:
    """Read the state of a session; the defaults if there is none. Raises DamagedSession.

    Each value of the wrong type is dropped; keys of newer versions are ignored.
    """
    path = folder / STATE_FILE
    try:
        raw = json.loads(regular_bytes(path))
        if not isinstance(raw, dict):
            raise ValueError("not a JSON object")
    except FileNotFoundError:
        return SessionState()
    except OSError as error:
        raise DamagedSession(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise DamagedSession(_set_aside(path, error)) from None
    docks = raw.get("docks")  # version 0.1: the strip was a dock, shown or not on each page
    if isinstance(docks, dict) and docks.get("promptTab") is False:
        raw.setdefault("strip", {"folded": True})
    defaults = SessionState()
    good = {}
    for known in dataclasses.fields(SessionState):
        value = raw.get(known.name)
        fits = not isinstance(value, int) or abs(value) <= MAX_OF_A_NUMBER
        if fits and type(value) is type(getattr(defaults, known.name)):
            good[known.name] = value
    return SessionState(**good)


def read_text(path: Path) -> str:
    """Read the text of a session. Raises OSError, DamagedSession."""
    try:
        return regular_bytes(path).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise DamagedSession(_set_aside(path, error)) from None


def _set_aside(path: Path, error: Exception) -> str:
    try:
        moved = set_aside(path)
    except OSError:
        return f"{path} is damaged ({error}) and could not be renamed."
    return f"{path.name} of the last session was damaged ({error}). It was moved to {moved}."
