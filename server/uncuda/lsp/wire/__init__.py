"""Messages to and from the client, and the processes of the server. Knows no document and no engine."""
