"""Applies fixes: parses which fixes are requested, computes their edits, and requests the client to apply them."""
