"""Tests with VS Code in the browser. The folder is a package, so that its fixtures end with its last test."""
