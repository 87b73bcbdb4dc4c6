"""The page Merges: how a text is merged into tokens."""
