"""The part of apex that exists in every build: those for CUDA, Ascend and MUSA."""
