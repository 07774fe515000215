"""Applying fixes: which are wanted, what they change, and how the client is asked to apply them."""
