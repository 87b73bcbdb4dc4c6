"""Looking into tokens: how encodings differ, how a text is merged, figures that compare."""
