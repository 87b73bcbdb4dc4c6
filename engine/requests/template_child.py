"""Rendering of untrusted chat templates in a child process: ``python -m engine.requests.template_child``.

The sandbox isolates a template; the process can be killed when a template takes too long or too much memory, which no
sandbox prevents. It also has neither files nor network, in case the sandbox is broken (``confine``). Each line of
standard input is an order, each line of standard output an answer, both JSON:

- ``{"source": TEMPLATE, "contexts": [{...}, ...], "now": "2026-01-31T12:00:00"}``
- ``{"texts": [...]}`` or ``{"error": SENTENCE, "line": NUMBER}``; the number is 0 if it is unknown

The environment is that of Hugging Face's libraries (``apply_chat_template``, transformers 4.50): trimmed blocks,
``break`` and ``continue``, ``{% generation %}``, ``tojson``, ``raise_exception``, ``strftime_now``.

``confine`` removes the rights that this process does not need, as far as the system supports that: files, network,
other programs. Except on Windows, no file, socket or pipe can be opened any more, and no file can grow. On Linux
(x86-64 and arm64), a filter of system calls (seccomp) allows only those that an interpreter needs to compute, to answer
on open files, and to exit; other calls fail with EPERM. All modules must be imported before that (``load_the_rest``).
"""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import errno
import faulthandler
import importlib
import json
import os
import platform
import sys
import traceback
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from jinja2 import Template, nodes
from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError
from jinja2.ext import Extension
from jinja2.ext import loopcontrols as loop_controls
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment


class _System(NamedTuple):
    """Numbers for one processor architecture: of the audit interface, of ``clone``, and of the allowed calls."""

    audit: int
    clone: int
    allowed: tuple[int, ...]


# In both lists: read, write, writev, close, fstat, lseek, mmap, mprotect, munmap, brk, rt_sigaction, rt_sigprocmask,
# rt_sigreturn, mremap, sched_yield, madvise, nanosleep, getpid, exit, gettimeofday, sigaltstack, gettid, futex,
# sched_getaffinity, set_tid_address, restart_syscall, clock_gettime, clock_getres, clock_nanosleep, exit_group, tgkill,
# set_robust_list, getrandom, rseq.
_SYSTEMS = {
    "x86_64": _System(
        0xC000003E,
        56,
        (
            *(0, 1, 20, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 25, 24, 28, 35, 39, 60, 96, 131, 186, 202, 204, 218, 219),
            *(228, 229, 230, 231, 234, 273, 318, 334),
        ),
    ),
    "aarch64": _System(
        0xC00000B7,
        220,
        (
            *(63, 64, 66, 57, 80, 62, 222, 226, 215, 214, 134, 135, 139, 216, 124, 233, 101, 172, 93, 169, 132, 178),
            *(98, 123, 96, 128, 113, 114, 115, 94, 131, 99, 278, 293),
        ),
    ),
}
_CLONE3 = 435
"""Its flags are in memory, which a filter cannot read; if the call is unknown, libraries use ``clone``."""
_CLONE_THREAD = 0x10000

_LOAD, _IF_EQUAL, _IF_SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_AT_NUMBER, _AT_AUDIT, _AT_FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _MODE_FILTER = 22, 38, 2


class _Step(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("if_so", ctypes.c_uint8), ("else_", ctypes.c_uint8), ("k", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.POINTER(_Step)))


def confine() -> None:
    """Permanently remove the rights of this process. Restrictions that the system does not support are skipped."""
    with contextlib.suppress(ImportError):
        import resource

        for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CORE):
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(what, (0, 0))
    system = _SYSTEMS.get(platform.machine())
    if sys.platform == "linux" and system is not None and sys.maxsize > 1 << 32:
        _filter_calls(system)


def _filter_calls(system: _System) -> None:
    steps = [
        *((_LOAD, 0, 0, _AT_AUDIT), (_IF_EQUAL, 1, 0, system.audit), (_RETURN, 0, 0, _KILL)),
        (_LOAD, 0, 0, _AT_NUMBER),
        *(step for number in system.allowed for step in ((_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW))),
        *((_IF_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _FAIL | errno.ENOSYS)),
        *((_IF_EQUAL, 0, 3, system.clone), (_LOAD, 0, 0, _AT_FIRST_ARGUMENT)),  # threads, but no processes
        *((_IF_SET, 0, 1, _CLONE_THREAD), (_RETURN, 0, 0, _ALLOW)),
        (_RETURN, 0, 0, _FAIL | errno.EPERM),
    ]
    program = _Program(len(steps), (_Step * len(steps))(*(_Step(*step) for step in steps)))
    with contextlib.suppress(OSError, AttributeError):
        prctl = ctypes.CDLL(None).prctl
        prctl.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)
        if prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(program), 0, 0)


# --- rendering --------------------------------------------------------------------------------------------------------

SECONDS = 2.0
"""Maximum time to render a template, in seconds. After that, the process ends."""

MAX_MEMORY = 512 << 20
"""Maximum memory of the process in bytes, where the system can limit it (not on Windows)."""

LARGEST_TEXT = 64 << 20
"""Maximum length of a rendered text, in characters."""


class RefusedError(Exception):
    """The template called ``raise_exception``."""


class GenerationBlocks(Extension):
    """``{% generation %}``: marks replies in training data. Has no effect here."""

    tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return the body of the block."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def main() -> int:
    """Serve until standard input ends. Return the exit status."""
    load_the_rest()
    _limit_memory()
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - not a user's path
        confine()
        for line in sys.stdin.buffer:
            order = json.loads(line)
            # Ends the process from a thread that does not need the interpreter, whatever the template does.
            faulthandler.dump_traceback_later(SECONDS, exit=True, file=nowhere)
            answer = _answer(order["source"], order["contexts"], order["now"])
            faulthandler.cancel_dump_traceback_later()
            sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
            sys.stdout.buffer.flush()
    return 0


_LATE = ("jinja2.constants", "jinja2.debug", "pprint", "textwrap")
_CODECS = ("ascii", "latin-1", "utf-8", "utf-16", "utf-32", "idna", "punycode", "unicode_escape")
_EVERY_WAY = """{{ strftime_now('%A %d %B %Y') }}{{ messages | tojson(indent=2) }}{{ messages | pprint }}
{{ lipsum(1, min=2, max=3) }}{{ 'a b' | wordwrap(1) }}{{ 'x' | urlencode }}{% generation %}{% endgeneration %}
{{ messages.nothing.at_all }}"""


def load_the_rest() -> None:
    """Import modules that are otherwise imported on first use, which is impossible once the process is confined."""
    for name in _LATE:
        importlib.import_module(name)
    for codec in _CODECS:
        codecs.lookup(codec)
    for source in (_EVERY_WAY, "{% if %}", "{{ raise_exception('') }}", "{{ [].__class__ }}{{ ''.__class__.mro() }}"):
        _answer(source, [{"messages": [{"role": "user"}]}], "2026-01-31T12:00:00")
    _compiled.cache_clear()


def _answer(source: str, contexts: list[dict[str, Any]], now: str) -> dict[str, Any]:
    moment = datetime.fromisoformat(now)
    try:
        template = _compiled(source)
        return {"texts": [_rendered(template, context, moment) for context in contexts]}
    except TemplateSyntaxError as error:
        return {"error": f"not a valid Jinja template: {error.message}", "line": error.lineno or 0}
    except RefusedError as error:
        return {"error": f"it refuses this request: {error}", "line": 0}
    except SecurityError as error:
        return {"error": f"it does something that templates are not allowed to do: {error}", "line": _line_of(error)}
    except TemplateError as error:
        return {"error": f"it fails: {error.message or type(error).__name__}", "line": _line_of(error)}
    except MemoryError:
        return {"error": "it takes too much memory", "line": 0}
    except RecursionError:
        return {"error": "nested too deeply", "line": 0}
    except Exception as error:  # noqa: BLE001 - any error that a template causes is an answer
        said = str(error).replace("'NoneType' object", "none")  # its name in templates
        return {"error": f"it fails: {type(error).__name__}: {said:.300}", "line": _line_of(error)}


def _line_of(error: BaseException) -> int:
    """Return the line of the template that was running, from Jinja's own stack frames; 0 if there are none."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == "<template>"]
    return lines[-1] if lines else 0


@lru_cache(maxsize=1)
def _compiled(source: str) -> Template:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationBlocks, loop_controls]
    )
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = _raise_exception
    return environment.from_string(source)


def _rendered(template: Template, context: dict[str, Any], moment: datetime) -> str:
    pieces: list[str] = []
    size = 0
    for piece in template.generate(**context, strftime_now=moment.strftime):
        size += len(piece)
        if size > LARGEST_TEXT:
            raise MemoryError
        pieces.append(piece)
    return "".join(pieces)


def _tojson(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Return JSON like Hugging Face's filter: without HTML escapes, characters beyond ASCII unescaped."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _raise_exception(message: str) -> None:
    raise RefusedError(str(message)[:500])


def _limit_memory() -> None:
    """Limit the memory of this process if the system supports that."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


if __name__ == "__main__":
    sys.exit(main())
