"""Page Savings: which parts of a prompt cost most, and which edits would save tokens."""
