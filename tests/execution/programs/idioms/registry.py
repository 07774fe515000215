"""List of the idioms and the helper with which they look where their data are."""

IDIOMS = []


def idiom(function):
    IDIOMS.append(function)
    return function


def on_gpu(*tensors):
    """Returns the first tensor; all of them have to be on a GPU."""
    for tensor in tensors:
        if tensor.device.type == "cpu":
            raise AssertionError(f"left on {tensor.device}")
    return tensors[0]
