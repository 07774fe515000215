import torch.nn as nn
import torch.nn.functional as F


class BasicBlock(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        self.shortcut = nn.Identity()
        if stride != 1 or cin != cout:
            self.shortcut = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + self.shortcut(x))


class SmallResNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Conv2d(1, 8, 3, 1, 1)
        self.blocks = nn.Sequential(BasicBlock(8, 8), BasicBlock(8, 16, 2))
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        x = self.blocks(F.relu(self.stem(x)))
        return self.head(self.dropout(x.mean(dim=(2, 3))))


def build_model(config):
    if config.model == "resnet":
        return SmallResNet(config.classes)
    pixels = config.image_size ** 2
    return nn.Sequential(nn.Flatten(), nn.Linear(pixels, 64), nn.ReLU(), nn.Linear(64, config.classes))
