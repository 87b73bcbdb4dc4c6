"""The token editor: a text widget that shows where tokens begin and end."""
