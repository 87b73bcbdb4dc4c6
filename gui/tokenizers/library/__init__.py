"""The tokenizer library: import, names and use of tokenizers."""
