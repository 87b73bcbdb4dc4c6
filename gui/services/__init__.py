"""The only code of the window that calls engine or pricing."""
