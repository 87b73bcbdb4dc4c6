"""Settings of the Python interpreter for a program that has to answer within a frame.

The garbage collector looks at every object that it tracks when it runs in full. While modules load there are many new
ones and nothing to collect; afterwards there are a few hundred thousand that stay until the end. So it rests until the
first picture, and then leaves those objects out of what it looks at.
"""

from __future__ import annotations

import gc


def rest_collector() -> None:
    """Collect nothing while the program starts."""
    gc.disable()


def settle_collector() -> None:
    """Collect again, but not what is there by now."""
    gc.collect()
    gc.freeze()
    gc.enable()
