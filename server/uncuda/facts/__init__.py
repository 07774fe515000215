"""Turns source text into facts: its statements, imports, names, calls, and strings with their roles. The package
contains facts about Python code, and nothing about CUDA."""
