"""Messages to and from the client, and child processes; modules of this package use no documents or engines."""
