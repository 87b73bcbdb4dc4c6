"""The workspace Tokenizers: library, training, vocabularies and merges."""
