"""Whether a session kept to the protocol, and to what its client can do."""

from lsp.traffic import Traffic


def problems(traffic: Traffic) -> list[str]:
    """What is wrong with the messages of a session; empty if nothing is."""
    return []
