"""Reads and writes single files: size limits, permissions, atomic replacement."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from uncuda.limits import LimitExceeded, Limits
from uncuda.reading import TooLargeError, read_bytes

_ACCESS_LIST = "system.posix_acl_access"
_NOT_KEPT = {errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.ENODATA, errno.EINVAL}
"""Errors for attributes that cannot be copied, because only the system may set them or the file system does not support
them."""


class FileProblem(Exception):
    """Raised if a file cannot be read or written; the message says why and, if possible, what to do."""


Stamp = tuple[int, int]
"""(modification time in nanoseconds, size in bytes)."""


def stamp_of(path: str) -> Stamp | None:
    """The stamp of a file, which changes when the file changes; None if there is no such file."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def read_file(path: str, most: int = Limits.bytes) -> bytes:
    """The bytes of a file; FileProblem if it cannot be read, LimitExceeded if it has more than `most` bytes."""
    try:
        return read_bytes(path, most)
    except TooLargeError:
        raise LimitExceeded("bytes", most) from None
    except OSError as error:
        raise FileProblem(f"cannot be read: {error.strerror or error}") from None


def write_atomically(path: str, data: bytes) -> int:
    """Replace the contents of a file atomically; returns how many other hard links keep the old contents.

    The file keeps its mode, owner, symbolic links and, on Linux, extended attributes and ACLs. Raises FileProblem if
    the file cannot be replaced. After an interruption, the file has the old or the new bytes and no temporary file is
    left (except after SIGKILL). At no time can the new bytes be read by a user who could not read the old bytes.
    """
    try:
        real = Path(path).resolve(strict=True)
        before = real.stat()
    except OSError as error:
        raise FileProblem(f"cannot be written: {error.strerror or error}") from None
    if not _may_write(real):
        raise FileProblem("is read-only; nothing was written")
    try:
        _replace(real, data, before)
    except OSError as error:
        reason = error.strerror or str(error)
        if not _may_write(real.parent):
            reason = f"the folder {real.parent} is read-only ({reason})"
        raise FileProblem(f"cannot be written: {reason}; the file is as it was") from None
    return before.st_nlink - 1


def create_atomically(path: str, data: bytes) -> None:
    """Create a file atomically, with the mode of new files; FileProblem if that fails."""
    real = Path(path)
    try:
        real = real.parent.resolve(strict=True) / real.name
        if real.is_symlink():
            raise FileProblem("cannot be written: it is a link that leads nowhere")
        _replace(real, data, None)
    except OSError as error:
        raise FileProblem(f"cannot be written: {error.strerror or error}") from None


def put_atomically(path: str, data: bytes) -> None:
    """Create or replace a file; raises FileProblem. If the path is, for example, a pipe and not a regular file, the
    data is written to it."""
    if not os.path.lexists(path):
        create_atomically(path, data)
    elif os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113
        try:
            Path(path).write_bytes(data)
        except OSError as error:
            raise FileProblem(f"cannot be written: {error.strerror or error}") from None
    else:
        write_atomically(path, data)


def _replace(real: Path, data: bytes, before: os.stat_result | None) -> None:
    from tempfile import mkstemp  # imported here because it costs start-up time, and most runs write nothing

    # Until its mode is set, only the owner can read the temporary file. The prefix is cut to 50 characters, which are
    # at most 200 bytes in UTF-8.
    file, temporary = mkstemp(prefix=f".{real.name[:50]}.uncuda-", dir=real.parent)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(data)
            stream.flush()
            if before is not None:
                _keep_properties(file, real, before)
            elif os.chmod in os.supports_fd:
                os.chmod(file, 0o666 & ~_mask())  # noqa: PTH101 a descriptor
        os.replace(temporary, real)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise


def _mask() -> int:
    """The process's umask."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _keep_properties(file: int, real: Path, before: os.stat_result) -> None:
    """Give an open file the owner, mode and attributes of the file `real`, which it will replace."""
    if os.chmod not in os.supports_fd:
        return  # on Windows, the folder determines who may read a file
    mode = _keep_owner(file, before, stat.S_IMODE(before.st_mode))
    _keep_attributes(file, real)
    os.chmod(file, mode)


def _keep_owner(file: int, before: os.stat_result, mode: int) -> int:
    """Give an open file the owner and group of the file that it will replace (`before`), as far as the system allows;
    returns `mode` without the permissions that the file must not have under another owner or group."""
    now = os.fstat(file)
    if (now.st_uid, now.st_gid) == (before.st_uid, before.st_gid):
        return mode
    with suppress(PermissionError):
        os.chown(file, before.st_uid, before.st_gid)
        return mode
    mode &= ~(stat.S_ISUID | stat.S_ISGID)  # only root may give a file to another owner
    with suppress(PermissionError):
        os.chown(file, -1, before.st_gid)
        return mode
    # the old group was not kept, so its members get the rights of other users
    return mode & ~stat.S_IRWXG | (mode & stat.S_IRWXO) << 3


def _keep_attributes(file: int, real: Path) -> None:
    """Give an open file the extended attributes of the file `real`, including ACLs and security labels."""
    if sys.platform != "linux":
        return  # Python supports extended attributes on Linux only
    attributes = _attributes(real)
    if _ACCESS_LIST in _attributes(file):
        os.removexattr(file, _ACCESS_LIST)  # the folder's default ACL may give more users access than before
    for name, value in attributes.items():
        try:
            os.setxattr(file, name, value)
        except OSError as error:
            if name == _ACCESS_LIST or error.errno not in _NOT_KEPT:
                raise


def _attributes(file: Path | int) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    if sys.platform == "linux":
        with suppress(OSError):  # the file system may not support extended attributes
            for name in os.listxattr(file):
                with suppress(OSError):
                    found[name] = os.getxattr(file, name)
    return found


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
