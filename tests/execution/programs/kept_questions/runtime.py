"""The CUDA runtime, where the program talks to it itself."""
import unittest

import torch
import torch.cuda as gpu

HAS_RUNTIME = torch.cuda.is_available()
READY = torch.cuda.is_available()
MAY_TRACE = READY and not torch.are_deterministic_algorithms_enabled()


def start():
    if HAS_RUNTIME:
        torch.cuda.cudart()


def trace():
    if MAY_TRACE:
        return torch.cuda.cudart()


def load():
    if gpu.is_available():
        gpu.synchronize()
        gpu.cudart()


def loader():
    return torch.cuda.cudart if torch.cuda.is_available() else None


class Pool:
    """The memory that graphs share."""

    def __init__(self):
        self.ids = None
        if torch.cuda.is_available():
            torch.cuda.cudart()
            self.ids = (*torch.cuda.graph_pool_handle(),)

    def name(self):
        if torch.cuda.is_available():
            capturing = torch.cuda.is_current_stream_capturing()
            return "-".join(map(str, (*self.ids, capturing)))
        return ""


class Copies:
    """Copies to the device in the background."""

    def __init__(self):
        self.stream, self.place = None, "cpu"
        if torch.cuda.is_available():
            torch.cuda.cudart()
            self.stream = torch.cuda.Stream()

    def finish(self):
        if torch.cuda.is_available():
            torch.cuda.current_stream().wait_stream(self.stream)


def in_background(batch):
    streams = [None]
    if torch.cuda.is_available():
        torch.cuda.cudart()
        streams = [torch.cuda.Stream()]
    batch = batch * 2
    if torch.cuda.is_available():
        side = streams[0]
        torch.cuda.default_stream().wait_stream(side)
    return batch


def to_place(batch):
    place = "cpu"
    if torch.cuda.is_available():
        torch.cuda.cudart()
        place = "cuda:0"
    if torch.cuda.is_available():
        return batch.cuda(place)
    return batch


class TestRuntime(unittest.TestCase):
    @unittest.skipIf(not torch.cuda.is_available(), "needs a GPU")
    def test_loads(self):
        torch.cuda.cudart()

    def test_loader(self):
        load_runtime = loader()
        if load_runtime is not None:
            load_runtime()

    def test_streams(self):
        Copies().finish()
        Pool().name()
        self.assertEqual(in_background(torch.ones(2)).sum(), 4)
        self.assertEqual(to_place(torch.ones(2)).sum(), 2)
