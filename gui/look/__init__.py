"""Design tokens, style sheet, fonts, icons, and labels for untrusted text."""
