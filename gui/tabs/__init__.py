"""The tabs behind the prompt: each is wired, filled and answered here; what it shows is in ``gui.panels``."""
