"""Folders and files to text, and counting the tokens of folders."""
