"""Page Versions: saved versions of the prompt, compared with it and with each other."""
