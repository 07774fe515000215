"""Turns source text into facts: statements, imports, names, calls, strings with their roles. The package knows Python,
not CUDA."""
