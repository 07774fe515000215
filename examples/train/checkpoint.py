"""Saving, loading and reporting."""

import os

import torch


def save(path: str, model, optimizer, scaler, epoch: int) -> None:
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scaler": scaler.state_dict()}
    torch.save({**state, "epoch": epoch, "rng": torch.get_rng_state()}, path)


def load(path: str, model, optimizer, scaler, local_rank: int) -> int:
    """Loads a checkpoint onto this process's card and returns the epoch to go on with."""
    if not os.path.exists(path):
        return 0
    location = "cuda:%d" % local_rank if torch.cuda.is_available() else "cpu"
    state = torch.load(path, map_location=location)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scaler.load_state_dict(state["scaler"])
    return state["epoch"] + 1


def load_weights(path: str, model) -> None:
    """Loads weights that were saved on the first card."""
    model.load_state_dict(torch.load(path, map_location={"cuda:0": "cpu"})["model"])


def memory_report(device: torch.device) -> str:
    if device.type != "cuda":
        return "memory: on the CPU"
    used = torch.cuda.max_memory_allocated(device) / 2**20
    reserved = torch.cuda.memory_reserved(device) / 2**20
    name = torch.cuda.get_device_properties(device).name
    torch.cuda.reset_peak_memory_stats(device)
    return f"memory: {used:.0f} MiB used, {reserved:.0f} MiB reserved on {name}"
