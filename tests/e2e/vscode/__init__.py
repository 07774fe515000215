"""Tests with VS Code in the browser. As a package, the folder has fixtures that end with its last test."""
