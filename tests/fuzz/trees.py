"""The folders of files on which a run of the fuzzer works."""

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fuzz.model import Find
from fuzz.processes import Done, run

GOOD = 'import torch.distributed as dist\n\ndist.init_process_group("nccl")\n'
CANARY = "canary/good.py"  # this file must be reported whatever other files there are


@contextmanager
def tree() -> Iterator[Path]:
    """An empty folder outside of any checkout, which is removed at the end with its contents."""
    base = Path(tempfile.mkdtemp(prefix="uncuda-fuzz-"))
    try:
        folder = base / "tree"
        folder.mkdir()
        yield folder
    finally:
        shutil.rmtree(base, ignore_errors=True)


def put_canary(folder: Path) -> None:
    """Write the file that must be reported whatever other files there are."""
    (folder / CANARY).parent.mkdir()
    (folder / CANARY).write_text(GOOD, encoding="utf-8")


def state(folder: Path) -> dict[bytes, bytes]:
    """Every entry below a folder with its content: a file's bytes, a link's target, or only its kind."""
    found: dict[bytes, bytes] = {}
    below = [os.fsencode(folder)]
    while below:
        with os.scandir(below.pop()) as entries:
            for entry in entries:
                name = os.path.relpath(entry.path, os.fsencode(folder))
                found[name] = _content(entry)
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
    return found


def _content(entry: "os.DirEntry[bytes]") -> bytes:
    if entry.is_symlink():
        return b"-> " + os.readlink(entry.path)  # noqa: PTH115 - a Path holds no bytes
    information = entry.stat(follow_symlinks=False)
    mode = oct(information.st_mode).encode() + b" "
    if stat.S_ISREG(information.st_mode) and information.st_size < 10_000_000:
        with open(entry.path, "rb") as file:
            return mode + file.read()
    return mode


def changes(
    before: dict[bytes, bytes], after: dict[bytes, bytes], allowed: Sequence[bytes] | None = ()
) -> Iterator[Find]:
    """Yield a failure for each changed entry of a folder, except for `allowed`, the entries that the command may change
    (None: all existing entries)."""
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            yield Find("something is left behind", f"{name!r}\nleft behind")
        elif name not in after:
            yield Find("something is gone", f"{name!r}\ngone")
        elif before[name] != after[name] and allowed is not None and name not in allowed:
            yield Find("a file was changed", f"{name!r}\nchanged")


def patched(folder: Path, diff: bytes) -> tuple[Path, Done]:
    """A copy of a folder after `git apply` of a diff."""
    copy = folder.parent / "patched"
    shutil.rmtree(copy, ignore_errors=True)
    subprocess.run(["cp", "-a", "--", str(folder), str(copy)], check=True)
    if not diff:
        return copy, Done(0, b"", b"", False, ())
    (folder.parent / "diff").write_bytes(diff)
    done = run(["git", "apply", "--whitespace=nowarn", "-p1", "../diff"], copy, env={"HOME": str(folder.parent)})
    return copy, done
