"""Workspace Lab: small experiments with tokens, to edit and run."""
