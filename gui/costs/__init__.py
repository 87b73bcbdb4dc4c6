"""Workspace Cost: the table of models, the scenario, the inspector and what can be done with rows."""
