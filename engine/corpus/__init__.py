"""Reading files and folders as text, and counting the tokens of folders."""
