"""Where the tokens of a prompt are, and edits that would save some: each is counted before it is offered. No Qt.

``ranking`` finds where the tokens are, ``proposals`` what could go; ``types`` holds their results.
"""
