"""The part of apex that every build has: those for CUDA, Ascend and MUSA."""
