"""Jobs (the only threads), event loop, imports, memory, workarounds for PySide."""
