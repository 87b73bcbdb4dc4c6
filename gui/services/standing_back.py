"""Has the engine stand back for the GUI thread between the parts of what it does for a job: ``gui.jobs`` says how."""

from engine.still_wanted import asking

__all__ = ["asking"]
