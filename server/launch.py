"""Runs the copy of uncuda that is beside this file: `python -I launch.py ARGUMENTS...` is `uncuda ARGUMENTS...`.

The syntax of this file is valid in every Python version, so that a Python that is too old can print an error.
"""

import os
import sys

if sys.version_info < (3, 10):
    found = "%d.%d.%d" % sys.version_info[:3]
    sys.stderr.write("uncuda needs Python 3.10 or newer; %s is Python %s\n" % (sys.executable, found))
    sys.exit(2)

libs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libs")
sys.path.insert(0, libs)

from uncuda.bundled import isolate  # noqa: E402

isolate(libs)

from uncuda.cli import main  # noqa: E402

sys.exit(main())
