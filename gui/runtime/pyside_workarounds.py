"""Workarounds for faults of PySide 6.

``leave_sources_unread``: PySide reads the source of every module that is imported (all versions with
``shibokensupport.feature``; ``tests/gui/runtime/test_unread_sources.py``). Done by importing this module.

``let_errors_leave_overrides``: an error made in C that leaves an override ends the process (shiboken 6.11 on Python
3.11; ``tests/gui/runtime/test_override_errors.py``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any

import PySide6.QtCore  # noqa: F401 - brings the module that is changed below
from shiboken6 import Shiboken

_ASKED_OF_A_MODULE = "_mod_uses_pyside"
"""Of the module below, which belongs to no public interface: where it is not there, sources are read as ever."""


def leave_sources_unread() -> bool:
    """Keep PySide from reading the source of each module imported from now on. False if it has another way to read.

    From its own import on, PySide has each module that comes later read by ``inspect``, to see whether the text says
    "PySide6": only for such modules it looks at which features they ask for (``from __feature__ import snake_case``).
    ``inspect`` keeps the lines of all that it reads until the end. With the compiler behind the kernels that came to
    1,200 files and 36 MB of small strings, and to a sixth of the time that imports take; where there are no sources, as
    in the packaged program, all loaded modules were searched for each. No module here asks for a feature, so each can
    be taken for one that says PySide6.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if not hasattr(feature, _ASKED_OF_A_MODULE):
        return False
    setattr(feature, _ASKED_OF_A_MODULE, lambda _module: True)
    return True


SOURCES_ARE_UNREAD = leave_sources_unread()


Override = Callable[..., Any]

OURS = "gui."
"""What the names of the modules of our classes begin with."""

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
    """Guard the overrides of our classes, those made so far and all to come. From Python 3.12 on nothing is done.

    An override (``paintEvent``, ``data``, ``sizeHint``) that fails while Python code waits for the call into Qt that
    led to it: PySide hands the error to that code, with the name of the method in front of its message. Up to Python
    3.11 an error made in C (``int("x")``, ``[][1]``, shiboken's own "already deleted") is a class and a text, and
    becomes an object only where Python code catches it. shiboken 6.11 takes the text for the object, and the process
    ends with a segmentation fault before ``gui.window.crash`` can show anything. So each override of ours is called
    through a guard, a function that catches whatever comes and raises it again. From Python 3.12 on an error is an
    object from the beginning.

    A hook at the base of all classes of PySide, since tabs and dialogs are loaded when they are first opened. It stays
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
    """All classes below ``base``; one with two bases comes twice."""
    for derived in type.__subclasses__(base):
        yield derived
        yield from _derived(derived)


def _guard_overrides(made: type) -> None:
    """Of a class of ours, the functions that go by the name of something in a base that is not: Qt may call them."""
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
    """What makes guards with these parameters, from the text of one.

    They have those of the override, since PySide counts them to know how many values of a signal a function wants; and
    a call takes a third of the time that it takes with ``*values, **named``.
    """
    made: dict[str, Callable[[Override], FunctionType]] = {}
    exec(compile(GUARD.format(parameters=parameters), f"<{__name__}>", "exec"), made)
    return made["guarding"]
