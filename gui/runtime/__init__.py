"""Runtime of the window: threads, event loop, memory."""
