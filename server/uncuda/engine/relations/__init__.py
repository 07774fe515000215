"""Relations between hits of one text: which are fixed together, and which tests must stay CUDA's. One module each."""
