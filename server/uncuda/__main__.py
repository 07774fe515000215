"""`python -m uncuda` is the command `uncuda`."""

import sys

from uncuda.cli import main

if __name__ == "__main__":
    sys.exit(main())
