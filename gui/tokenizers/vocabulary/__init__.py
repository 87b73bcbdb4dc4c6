"""The page Vocabulary: search, inspect and compare the entries of an encoding."""
