"""Draws vscode-extension/images/icon.png: an arrow that leaves a chip.

    python server/scripts/make_icon.py [--check]

With --check the script only compares, pixel by pixel; it exits with 1 if the picture is stale.
"""

from __future__ import annotations

import argparse
import struct
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
ICON = ROOT / "vscode-extension" / "images" / "icon.png"
SIZE, SAMPLES = 128, 3
NIGHT, SILVER, ORANGE = (20, 33, 61), (229, 233, 240), (252, 163, 17)


class Box(NamedTuple):
    """A rectangle with round corners, in pixels from the top left corner of the picture."""

    left: float
    top: float
    right: float
    bottom: float
    corner: float

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is inside the rectangle."""
        if not (self.left <= x <= self.right and self.top <= y <= self.bottom):
            return False  # the answer for most points
        across = max(self.left + self.corner - x, x - self.right + self.corner, 0.0)
        down = max(self.top + self.corner - y, y - self.bottom + self.corner, 0.0)
        return across * across + down * down <= self.corner * self.corner


GROUND = Box(0, 0, 128, 128, 26)
CHIP, INSIDE, DOOR = Box(30, 34, 90, 94, 10), Box(38, 42, 82, 86, 4), Box(80, 52, 92, 76, 0)
PINS = [Box(x, y, x + 7, y + 12, 3) for x in (40, 56.5, 73) for y in (19, 97)]
PINS += [Box(15, y, 27, y + 7, 3) for y in (44, 60.5, 77)]
SHAFT = Box(50, 60, 100, 68, 3)


def _color(x: float, y: float) -> tuple[int, int, int]:
    in_head = 94 <= x <= 116 and abs(y - 64) <= (116 - x) * 0.8
    if SHAFT.holds(x, y) or in_head:
        return ORANGE
    is_frame = CHIP.holds(x, y) and not INSIDE.holds(x, y) and not DOOR.holds(x, y)
    return SILVER if is_frame or any(pin.holds(x, y) for pin in PINS) else NIGHT


def _pixel(column: int, row: int) -> bytes:
    steps = [(step + 0.5) / SAMPLES for step in range(SAMPLES)]
    points = [(column + x, row + y) for x in steps for y in steps]
    colors = [_color(x, y) for x, y in points if GROUND.holds(x, y)]
    mean = [sum(channel) // len(colors) for channel in zip(*colors)] if colors else [0, 0, 0]
    return bytes([*mean, 255 * len(colors) // len(points)])


def pixels() -> bytes:
    """Return the uncompressed pixel data of the PNG file; each row begins with its filter type, which is "none"."""
    return b"".join(b"\0" + b"".join(_pixel(column, row) for column in range(SIZE)) for row in range(SIZE))


def png(raw: bytes) -> bytes:
    """The picture as the bytes of a PNG file."""
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def is_fresh(raw: bytes) -> bool:
    """Return whether the existing file has these pixels, even if it was compressed differently."""
    if not ICON.is_file():
        return False
    data = ICON.read_bytes()
    begin = data.find(b"IDAT")
    (size,) = struct.unpack(">I", data[begin - 4 : begin])
    try:
        return zlib.decompress(data[begin + 4 : begin + 4 + size]) == raw
    except zlib.error:
        return False


def main() -> int:
    """Write the picture, or compare it with the existing one; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    raw = pixels()
    if is_fresh(raw):
        return 0
    if check:
        print(f"{ICON.relative_to(ROOT)} is stale", file=sys.stderr)
        return 1
    ICON.parent.mkdir(exist_ok=True)
    ICON.write_bytes(png(raw))
    return 0


if __name__ == "__main__":
    sys.exit(main())
