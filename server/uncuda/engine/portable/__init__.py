"""Fixes for the strategy "portable": the fixed code runs on CUDA and on every target, because it calls functions of the
helper module, a module of the project."""
