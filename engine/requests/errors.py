"""What can be wrong with a request or a template, as sentences."""

from __future__ import annotations

from engine.errors import EngineError


class RequestError(EngineError, ValueError):
    """A body, a line or a file is no request. The text says what is wrong with it, and where."""


class TemplateError(EngineError, ValueError):
    """A template cannot be used, or refuses the request. The text says why, with the line where that is known."""
