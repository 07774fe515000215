"""Fixes: which are asked for, what they change, and how the client is asked to make them."""
