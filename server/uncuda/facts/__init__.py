"""Text to facts: statements, imports, names, calls, strings with their role. Knows Python, not CUDA."""
