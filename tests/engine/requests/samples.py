"""Requests that others have published the counts of, and ways of counting."""

from __future__ import annotations

from datetime import date

import engine
from engine.requests.counting import RequestCounter
from engine.requests.templates import TEMPLATES
from engine.requests.types import CountedRequest, Message, Request, Tally, Tool

DAY = date(2025, 6, 28)

COOKBOOK = Request(
    (
        Message(
            "system",
            "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
        ),
        Message("system", "New synergies will help drive top-line growth.", "example_user"),
        Message("system", "Things working well together will increase revenue.", "example_assistant"),
        Message(
            "system",
            "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
            "example_user",
        ),
        Message("system", "Let's talk later when we're less busy about how to do better.", "example_assistant"),
        Message(
            "user",
            "This late pivot means we don't have time to boil the ocean for the client deliverable.",
        ),
    )
)
"""The messages of OpenAI's cookbook, How to count tokens with tiktoken."""

WEATHER_TOOL = Tool(
    "get_current_weather",
    "Get the current weather in a given location",
    {
        "type": "object",
        "properties": {
            "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
            "unit": {
                "type": "string",
                "description": "The unit of temperature to return",
                "enum": ["celsius", "fahrenheit"],
            },
        },
        "required": ["location"],
    },
)

WEATHER = Request(
    (
        Message("system", "You are a helpful assistant that can answer to questions about the weather."),
        Message("user", "What's the weather like in San Francisco?"),
    ),
    (WEATHER_TOOL,),
)
"""The same cookbook's request with a tool."""


def counted(request: Request, template: str, encoding: str) -> CountedRequest:
    """With all the details, on a fixed day; the short way must give the same."""
    counter = RequestCounter(TEMPLATES[template], engine.get_encoding(encoding), today=DAY)
    found = counter.count(request)
    assert counter.tally(request) == found.tally
    return found


def tallied(request: Request, template: str, encoding: str) -> Tally:
    """Counts alone."""
    return counted(request, template, encoding).tally
