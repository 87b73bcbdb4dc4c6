"""Cancellation, threads, caches and atomic files."""
