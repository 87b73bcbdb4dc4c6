"""The page Vocabulary: entries of an encoding, their search and comparison."""
