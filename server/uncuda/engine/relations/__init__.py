"""Relations between places of one text: what changes together, what waits, whose word it is. One module a question."""
