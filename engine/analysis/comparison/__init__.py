"""One text in several encodings: tokens side by side, cut at the same places."""
