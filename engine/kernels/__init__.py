"""Compiled kernels: arrays and numbers in, arrays and numbers out. Nothing here knows text, files or Python objects.

Importing any module of this package except ``block_layout`` and ``cache_folder`` imports numba.
``cache_folder`` also decides where compiled code is cached.
"""
