"""Fixes for the strategy "portable": the fixed code runs on CUDA and on every target, because it calls functions of a
module of the project, the helper module."""
