import torch
from torch.utils.data import DataLoader, Dataset


class Shapes(Dataset):
    """Images of one channel with a square, a cross or stripes in noise."""

    def __init__(self, size, image_size, seed):
        generator = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, 3, (size,), generator=generator)
        self.images = 0.6 * torch.randn(size, 1, image_size, image_size, generator=generator)
        middle, quarter = image_size // 2, image_size // 4
        for image, label in zip(self.images[:, 0], self.labels.tolist()):
            if label == 0:
                image[quarter:-quarter, quarter:-quarter] += 1.0
            elif label == 1:
                image[middle - 1:middle + 1] += 1.0
                image[:, middle - 1:middle + 1] += 1.0
            else:
                image[::3] += 1.0

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return {"image": self.images[index], "label": self.labels[index]}


def build_loaders(config, device):
    common = dict(batch_size=config.batch_size, pin_memory=device.type == "cuda")
    train = DataLoader(
        Shapes(config.train_size, config.image_size, config.seed), shuffle=True, drop_last=True,
        generator=torch.Generator().manual_seed(config.seed), **common)
    valid = DataLoader(Shapes(config.valid_size, config.image_size, config.seed + 1), **common)
    return train, valid
