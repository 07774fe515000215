"""On a terminal: colours and a progress bar; elsewhere neither."""

import os
import re
import subprocess
import sys

import pytest

from cli.command import SAFE, environment, make

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo terminal")


def on_terminal(*arguments: str, **env: str) -> str:
    """What a terminal shows, standard output and standard error together."""
    main, side = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "uncuda", *arguments],
        stdin=subprocess.DEVNULL, stdout=side, stderr=side, env=environment(**{"TERM": "xterm", **env}),
    )  # fmt: skip
    os.close(side)
    shown = b""
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(main)
    process.wait()
    return shown.decode()


def test_colours() -> None:
    make({"a.py": SAFE})
    assert "\x1b[31merror\x1b[0m" in on_terminal("check", "--target", "npu")
    assert "\x1b[32m" in on_terminal("fix", "--target", "npu", "--diff")


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours(env: dict[str, str]) -> None:
    make({"a.py": SAFE})
    assert "\x1b[3" not in on_terminal("check", "--target", "npu", **env)


def test_a_bar_if_it_takes_a_while() -> None:
    make({"a.py": SAFE})
    assert "[#" not in on_terminal("check", "--target", "npu")
    make({f"f{number}.py": SAFE * 50 for number in range(400)})
    assert re.search(r"\[#*\.*\] \d+/401\r\x1b\[K", on_terminal("check", "--target", "npu", "--exit-zero"))
    assert "/401" not in on_terminal("check", "--target", "npu", "--quiet")
