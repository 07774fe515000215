"""What the server knows: documents, folders, projects, analyses, diagnostics; and the processes that work it out."""
