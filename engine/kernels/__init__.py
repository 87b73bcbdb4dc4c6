"""Compiled kernels: arrays and numbers in, arrays and numbers out. Nothing here knows text, files or Python objects.

Importing any module of this package but ``cache_folder`` imports numba. That module also says where compiled code is
kept.
"""
