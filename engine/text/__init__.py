"""Unicode, normalization, byte and UTF-16 offsets, kinds of text."""
