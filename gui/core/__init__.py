"""Logic of the application without Qt. Also used by the commands."""
