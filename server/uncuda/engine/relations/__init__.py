"""What belongs together in a text, one question a module: what a question guards, and why it may have to stay."""
