"""Ranking of the heaviest parts of a prompt, and edits that would save tokens. Each edit is counted before it is
offered. No Qt.

``ranking`` finds the heaviest parts, ``proposals`` the edits; ``types`` holds their results.
"""
