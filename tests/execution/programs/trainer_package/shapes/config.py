from dataclasses import asdict, dataclass, field


@dataclass
class OptimConfig:
    lr: float = 0.01
    momentum: float = 0.9
    weight_decay: float = 1e-4


@dataclass
class TrainConfig:
    model: str = "resnet"
    epochs: int = 2
    batch_size: int = 32
    train_size: int = 320
    valid_size: int = 96
    image_size: int = 16
    classes: int = 3
    seed: int = 21
    device: str = "cuda"
    checkpoint: str = "best.pth"
    optim: OptimConfig = field(default_factory=OptimConfig)

    def to_dict(self):
        return asdict(self)
