"""Logic of the application without Qt: what the commands may use, too."""
