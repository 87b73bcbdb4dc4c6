"""What the window remembers: settings, the session, and files that windows share."""
