"""A package with a Trainer: classification of drawn shapes."""
import argparse

from shapes.config import TrainConfig
from shapes.data import build_loaders
from shapes.engine import Trainer
from shapes.models import build_model
from shapes.utils import describe_device, get_device, seed_everything


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--model", default="resnet", choices=["resnet", "mlp"])
    parser.add_argument("--device", default=None)
    args = parser.parse_args()

    config = TrainConfig(epochs=args.epochs, model=args.model)
    if args.device:
        config.device = args.device

    seed_everything(config.seed)
    device = get_device(config.device)
    print("device", describe_device(device))

    train_loader, valid_loader = build_loaders(config, device)
    trainer = Trainer(build_model(config), config, device)
    trainer.fit(train_loader, valid_loader)

    best = trainer.load_best()
    print(f"best_accuracy {best:.4f}")


if __name__ == "__main__":
    main()
