"""One text in several encodings: tokens side by side, in rows with common boundaries."""
