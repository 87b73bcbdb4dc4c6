"""Bodies of API calls -> requests: OpenAI's chat and responses, Anthropic's messages, Gemini's contents."""
