"""The part of apex that every build has: CUDA's, Ascend's and that of MUSA."""
