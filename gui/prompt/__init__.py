"""Workspace Prompt: text, chat, comparison, savings and versions."""
