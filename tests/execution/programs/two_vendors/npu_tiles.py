"""Tile sizes for Ascend: one tile."""
TILE = 1 << 20
