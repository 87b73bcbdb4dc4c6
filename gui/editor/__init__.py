"""The token editor: a text widget that shows token boundaries."""
