"""Where the tokens of a prompt are, and which edits would save some: every one is counted before it is offered. No Qt.

``ranking`` tells where the tokens are, ``advising`` what could be done; ``types`` holds what they answer.
"""
