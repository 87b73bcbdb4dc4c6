"""How a text is merged, and how encodings differ on it."""
