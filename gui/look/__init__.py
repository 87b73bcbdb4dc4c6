"""Palettes, icons, and bytes made visible."""
