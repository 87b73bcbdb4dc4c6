"""Training a tokenizer: settings, counting, merging, checkpoints, forecast and evaluation."""
