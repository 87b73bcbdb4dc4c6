"""Compiled kernels: arrays and numbers in, arrays and numbers out. Nothing here knows text, files or Python objects.

Importing any module of this package but ``block_layout``, ``cache_folder`` and ``sum_sizes`` imports numba. The first
of them also says where compiled code is kept.
"""
