"""Relations between places of one text: which must change together, or not at all. One module a question."""
