"""Jobs (the only threads), event loop, imports, memory, PySide workarounds."""
