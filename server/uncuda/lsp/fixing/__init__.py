"""Applying fixes: which fixes are requested, what they change, and how the client is asked to apply them."""
