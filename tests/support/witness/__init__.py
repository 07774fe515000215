"""The witness finds places that a port left half for CUDA and half for the target, by comparing the texts before and
after; it shares no code with the engine."""

from .reader import witness
from .record import KINDS, Record

__all__ = ["KINDS", "Record", "witness"]
