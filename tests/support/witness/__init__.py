"""Finds places that a port left half CUDA and half target, from the texts before and after; shares no code with the
engine."""

from .reader import witness
from .record import KINDS, Record

__all__ = ["KINDS", "Record", "witness"]
