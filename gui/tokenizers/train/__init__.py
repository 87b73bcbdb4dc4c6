"""The page Train: training of a tokenizer on the user's own texts."""
