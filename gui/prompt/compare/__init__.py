"""Page Compare: the prompt in several encodings, side by side."""
