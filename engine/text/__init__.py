"""Unicode, normalization, offsets in bytes and UTF-16 units, kinds of text."""
