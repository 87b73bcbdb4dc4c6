"""Fuzzers: damaged and strange input for everything that reads. ``benchmarks.fuzz`` runs them for long."""
