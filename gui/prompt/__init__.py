"""The workspace Prompt: text, chat, comparison, savings and versions."""
