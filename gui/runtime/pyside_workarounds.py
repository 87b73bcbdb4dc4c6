"""Workarounds for bugs of PySide 6.

``leave_sources_unread``: PySide reads the source of every imported module (all versions with
``shibokensupport.feature``; ``tests/gui/runtime/test_unread_sources.py``). Applied by importing this module.

``let_errors_leave_overrides``: an exception raised in C that leaves an override crashes the process (shiboken 6.11 on
Python 3.11; ``tests/gui/runtime/test_override_errors.py``).
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any

import PySide6.QtCore  # noqa: F401 - loads the module that is patched below
from shiboken6 import Shiboken

_ASKED_OF_A_MODULE = "_mod_uses_pyside"
"""A private function of the module below; if it is missing, sources are read as usual."""


def leave_sources_unread() -> bool:
    """Keep PySide from reading the source of each module imported from now on, and drop what it has read. Returns False
    if the function to patch is missing.

    Once imported, PySide reads every later module with ``inspect`` and searches its text for "PySide6": only in such
    modules does it check the requested features (``from __feature__ import snake_case``). ``inspect`` caches all lines
    until the process ends. With the kernel compiler, that was 1,200 files and 36 MB of small strings, and a sixth of
    import time; without sources, as in the packaged program, PySide searched all loaded modules for each import. No
    module here requests a feature, so each can be treated as one that mentions PySide6.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if not hasattr(feature, _ASKED_OF_A_MODULE):
        return False
    setattr(feature, _ASKED_OF_A_MODULE, lambda _module: True)
    linecache.clearcache()
    return True


SOURCES_ARE_UNREAD = leave_sources_unread()


Override = Callable[..., Any]

OURS = "gui."
"""Prefix of the names of our modules."""

GUARD = """
def guarding(_override):
    def guard({parameters}):
        try:
            return _override({parameters})
        except BaseException:  # this makes an object of the error
            raise
    return guard
"""


def let_errors_leave_overrides() -> None:
    """Guard the overrides of our classes, existing and future ones. A no-op from Python 3.12 on.

    If an override (``paintEvent``, ``data``, ``sizeHint``) fails while Python code waits for the call into Qt that led
    to it, PySide passes the error to that code, with the method's name in front of its message. Up to Python 3.11, an
    error raised in C (``int("x")``, ``[][1]``, shiboken's own "already deleted") is a class and a text; it becomes an
    object only when Python code catches it. shiboken 6.11 takes the text for the object, and the process ends with a
    segmentation fault before ``gui.window.lifecycle`` can show anything. So each of our overrides is called through a
    guard that catches every exception and raises it again. From Python 3.12 on, errors are always objects.

    The hook is on the base of all PySide classes, since pages and dialogs are imported when first opened. It stays
    until the process ends, as the classes do.
    """
    if sys.version_info >= (3, 12) or "__init_subclass__" in vars(Shiboken.Object):
        return
    Shiboken.Object.__init_subclass__ = classmethod(_on_new_class)
    for made in set(_derived(Shiboken.Object)):
        _guard_overrides(made)


def _on_new_class(made: type) -> None:
    super(Shiboken.Object, made).__init_subclass__()
    _guard_overrides(made)


def _derived(base: type) -> Iterator[type]:
    """Yield all subclasses of ``base``; a class with two bases is yielded twice."""
    for derived in type.__subclasses__(base):
        yield derived
        yield from _derived(derived)


def _guard_overrides(made: type) -> None:
    """Guard those functions of one of our classes that override a function of a foreign base: Qt may call them."""
    if not made.__module__.startswith(OURS):
        return
    own = {n: value for n, value in vars(made).items() if isinstance(value, FunctionType) and not n.startswith("__")}
    for base in made.__mro__:
        if not base.__module__.startswith(OURS):
            for name in own.keys() & vars(base).keys():
                setattr(made, name, _guarded(own.pop(name)))


def _guarded(override: FunctionType) -> Override:
    code = override.__code__
    by_position = not (code.co_kwonlyargcount or code.co_flags & (CO_VARARGS | CO_VARKEYWORDS))
    names = code.co_varnames[: code.co_argcount] if by_position else ("*values", "**named")
    guard = _guarding(", ".join(names))(override)
    guard.__defaults__ = override.__defaults__
    return wraps(override)(guard)


@cache
def _guarding(parameters: str) -> Callable[[Override], FunctionType]:
    """Compile a guard factory for these parameters.

    Guards have the parameters of the override, since PySide counts them to decide how many signal arguments to pass;
    and a call takes a third of the time that it takes with ``*values, **named``.
    """
    made: dict[str, Callable[[Override], FunctionType]] = {}
    exec(compile(GUARD.format(parameters=parameters), f"<{__name__}>", "exec"), made)
    return made["guarding"]
