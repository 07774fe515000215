"""`python -m uncuda` is the command `uncuda`."""

import os
import sys

# Python has put the current folder in front of all others: it may be one that nobody trusts.
if sys.path and sys.path[0] in ("", os.getcwd()):  # noqa: PTH109 pathlib would come from there
    del sys.path[0]

from uncuda.cli import main

if __name__ == "__main__":
    sys.exit(main())
