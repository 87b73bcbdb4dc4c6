"""Token counts of messages, tools and images as a model is billed for them.

A *request* (``types``) is rendered by a *template* (``templates``, ``template_file``) into *pieces*, each with a kind
(overhead, tools, images, text); ``counting`` tokenizes the pieces. Requests are parsed from API bodies (``bodies``), or
from a file with one on each line (``lines``).
"""
