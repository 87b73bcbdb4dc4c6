"""The page Train: train a tokenizer on the user's own texts."""
