"""What the server does for a client: one module a feature, each with `register(session)`. None imports another.

A new method of the protocol is one module here and one line in `FEATURES` of `server.py`.
"""
