"""Design tokens, style sheet, fonts, icons, and bytes made visible."""
