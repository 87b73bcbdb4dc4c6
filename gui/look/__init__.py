"""Design tokens, style sheet, fonts, icons, the focus ring, and formats of quantities."""
