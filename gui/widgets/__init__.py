"""Widgets that several workspaces share."""
