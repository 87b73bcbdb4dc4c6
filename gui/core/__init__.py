"""Logic of the application without Qt. The commands use it, too."""
