"""Compiled kernels: arrays and numbers in, arrays and numbers out. Nothing here knows text, files or Python objects.

Importing any module of this package but ``cache_folder`` imports numba. Where the compiled code is kept is decided
before that, by ``cache_folder.use_cache_folder``.
"""
