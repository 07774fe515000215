"""The features of the server, one module each with `register(session)`; no feature imports another.

A new LSP method is one module here and one line in `FEATURES` of `server.py`.
"""
