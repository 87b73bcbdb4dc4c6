"""Parsers of API request bodies: OpenAI chat and responses, Anthropic messages, Gemini contents."""
