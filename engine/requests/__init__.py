"""Messages, tools and images to what a model is billed for.

A *request* (``types``) is rendered by a *template* (``templates``, ``template_file``) into *pieces*, each with its kind
(overhead, tools, images, text); ``counting`` makes tokens of the pieces. Requests come from API bodies (``bodies``),
one or a file of many (``lines``).
"""
