"""Settings of the Python interpreter for a program that has to answer within a frame.

The garbage collector looks at every object that it tracks when it runs in full, and nothing else runs meanwhile: with
the modules of the whole program that is a tenth of a second and more, several times a minute. While modules load there
are many new objects and nothing to collect; afterwards they stay until the end. So the collector rests until the first
picture, and then leaves what is there out of what it looks at; once more when the compiled kernels have come, and with
them the compiler's own modules, which are as many again. It does not run in full for that: among a hundred thousand
objects of the start it found 513 that nobody uses, and 14 behind the compiler, and took 30 ms on a machine at rest.
Later it does not run in full by itself any more: what it finds are a few closed dialogs, and when it does is for
``gui.full_collection`` to say.
"""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 2000
"""So many more objects than before have the collector look at those."""
MIDDLE_ROUNDS = 10
"""So many of these rounds have it look at what those left, too."""
FULL_ROUNDS = 50
"""After so many of those a look at everything is due. Python's choice is 10."""
_NEVER = (1 << 31) - 1

_MIDDLE = 1
"""What the collector calls the objects that it has looked at once, with those at which it has not."""


def rest_collector() -> None:
    """Collect nothing while the program starts."""
    gc.disable()


def settle_collector() -> None:
    """Collect again, but not what is there by now, rubbish among it or not; only what is young is looked at first. In
    full only where somebody says so."""
    if gc.isenabled():  # else all is young
        gc.collect(_MIDDLE)
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, MIDDLE_ROUNDS, _NEVER)
    gc.enable()
