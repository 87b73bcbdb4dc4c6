"""What the editor of prices shows where there is no price file yet: one that changes nothing, with all of it explained.

No translation: it becomes the user's file, whose names are English anyway.
"""

TEMPLATE = """\
# Your prices, in US dollars per million tokens.
# They win over the built-in ones, value by value:
# what you leave out stays as built in.
# Take the '# ' away from an example to use it.
# Ctrl+Space lists the names that may stand at a place.
version: 2

# If your prices are in another currency: what one
# unit of it costs in US dollars.
# rates:
#   EUR: 1.16

models:

#   openai/gpt-4o:         # built in: this differs
#     price:
#       input: 2.00        # your negotiated price
#       output: 8.00
#     checked: 2026-11-20  # the day you looked it up

#   openai/o3: null        # not in my table

#   acme/in-house-70b:     # a model of your own
#     name: Acme 70B
#     price:
#       input: 0.40
#       output: 0.40
#       cached: 0.04       # left out: what input costs
#       per_request: 0.0005
#     context: 32k
#     count: {tokenizer: o200k_base, low: 0.9, high: 1.2}
"""
