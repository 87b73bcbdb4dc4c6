"""Training: settings, counting, merging, checkpoints, evaluation."""
