"""What findings have to do with one another: one question a module."""
