"""Folders and files to text: which files, in which character encoding, with how many tokens."""
