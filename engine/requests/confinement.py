"""Taking from this process what it will not need: files, network, other programs. As far as the system can do that.

Everywhere but on Windows no file, socket or pipe can be opened any more, and no file can grow. On Linux (x86-64 and
arm64) a filter of system calls (seccomp) lets through only those that an interpreter needs to compute, to answer on
what it has open, and to end; other calls fail with EPERM. Whatever is to be imported has to be imported before.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import platform
import sys
from typing import NamedTuple


class _System(NamedTuple):
    """Numbers of one kind of processor: that of the audit interface, of ``clone``, and of what is let through."""

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
"""Its flags are in memory, where no filter sees them; where it is unknown, libraries use ``clone``."""
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
    """Take it from this process, for good. What a system does not have is left out."""
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
