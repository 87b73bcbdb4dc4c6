"""The prompt of the first start: a short, editable text that exercises the table and the token colours."""

SAMPLE = """\
You are a careful release assistant. Read the change list below and answer in one short paragraph.

# What to do
1. Group the changes by area; keep the issue numbers (#1042, #987).
2. Name anything that could break an existing installation.
3. Answer in the language of the question; prices in € and ¥, dates as 2026-03-14.

```python
def cost(tokens: int, usd_per_million: float = 2.50) -> float:
    \"\"\"What a prompt costs before it is sent.\"\"\"
\treturn tokens * usd_per_million / 1_000_000
```

{"area": "tokenizer", "fixed": ["naïve", "café", "Straße"], "speed-up": 3.75, "done": true}

質問：この変更で何が変わりますか？三行で説明してください。
Вопрос: что изменится для пользователей?
السؤال: ما الذي سيتغيّر؟

Thanks for the thorough work 👩‍💻🚀 — antidisestablishmentarianism is still several tokens.
"""
