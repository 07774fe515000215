"""`make lock` writes the same file on every machine: it uses the uv version named in the Makefile, whichever is
installed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.imports import ROOT

# A script in place of Python, which creates a script `pip`. `pip` logs its own arguments and creates a script `uv`,
# which logs its arguments, too.
PYTHON = """#!/bin/sh
mkdir -p .cache/lock/bin
cat > .cache/lock/bin/pip <<'PIP'
#!/bin/sh
echo "pip $*" >> log
printf '#!/bin/sh\\necho "uv named $*" >> log\\n' > .cache/lock/bin/uv
chmod +x .cache/lock/bin/uv
PIP
chmod +x .cache/lock/bin/pip
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs sh")
def test_the_uv_is_named_and_no_other_is_run(tmp_path: Path) -> None:
    scripts = tmp_path / "server" / "scripts"
    scripts.mkdir(parents=True)
    shutil.copy(ROOT / "server" / "scripts" / "lock.sh", scripts)
    (tmp_path / "requirements").mkdir()
    programs = {"python": PYTHON, "uv": f'#!/bin/sh\necho "uv other $*" >> {tmp_path}/log\n'}
    (tmp_path / "bin").mkdir()
    for name, text in programs.items():
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "PYTHON": "python"}
    subprocess.run(["sh", str(scripts / "lock.sh")], check=True, env=environment)
    installed, *runs = (tmp_path / "log").read_text().splitlines()
    assert re.fullmatch(r"pip .* uv==\d+\.\d+\.\d+", installed)
    assert runs
    assert all(run.startswith("uv named pip compile ") for run in runs)
