"""Compiled kernels: arrays and numbers in, arrays and numbers out. Nothing here knows text, files or Python objects.

Importing any module of this package except ``block_layout``, ``cache_folder`` and ``sum_sizes`` imports numba.
``cache_folder`` also decides where compiled code is cached.
"""
