"""What the process that renders templates could still do if its sandbox broke."""

from __future__ import annotations

from engine.requests.template_file import _without_secrets


def test_the_environment_is_not_inherited():
    assert _without_secrets({"OPENAI_API_KEY": "x", "HOME": "/", "PYTHONPATH": "p"}) == {"PYTHONPATH": "p"}
