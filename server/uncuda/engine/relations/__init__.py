"""Relations between hits of one text: which hits are fixed together, and which conditions are not fixed. Each relation
is one module of this package."""
