"""Split patterns, and cutting texts into pretokens."""
