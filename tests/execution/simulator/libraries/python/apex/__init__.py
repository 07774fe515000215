"""The part of apex that is in every build: for CUDA, for Ascend and for MUSA."""
