"""The page Library: import, rename, remove and use tokenizers."""
