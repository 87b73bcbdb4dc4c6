"""Split patterns, and splitting texts into pretokens."""
