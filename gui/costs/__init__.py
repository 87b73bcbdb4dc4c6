"""Workspace Cost: the table of models, the scenario, inspector, conversation and prices."""
