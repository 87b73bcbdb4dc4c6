"""Page Savings: the parts of a prompt that cost most, and edits that would save tokens."""
