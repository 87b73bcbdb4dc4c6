"""What every part of the engine runs on: cancellation, threads, caches, files."""
