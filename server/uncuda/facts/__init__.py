"""Turns source text into facts: statements, imports, names, calls, strings with their roles. Knows Python, not CUDA."""
