"""The state of the server: documents, folders, projects, analyses, diagnostics, and the processes that compute them."""
