"""The page Merges: the merges that turn a text into tokens."""
