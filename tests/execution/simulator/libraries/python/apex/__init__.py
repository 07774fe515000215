"""The part of apex that every build contains: those for CUDA, Ascend and MUSA."""
