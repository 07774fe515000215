"""One source for CUDA and every accelerator: what a fix writes asks a module of the project, the helper."""
