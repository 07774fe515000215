"""What every accelerator can do."""
import torch


class Accelerator:
    @staticmethod
    def is_available():
        return True

    def device(self):
        return torch.device("cpu")

    def synchronize(self):
        pass
