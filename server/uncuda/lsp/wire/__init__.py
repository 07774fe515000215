"""Messages to and from the client, and child processes; nothing here knows documents or engines."""
