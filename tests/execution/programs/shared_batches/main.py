"""Trains on batches that move themselves. The libraries beside PyTorch are in the folder `installed`."""
import sys
from pathlib import Path

import torch
import torch.nn as nn

sys.path.append(str(Path(__file__).parent / "installed"))

from batch import make_batch
from check import compare


def main():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(3, 9), nn.ReLU(), nn.Linear(9, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if torch.cuda.is_available():
        model.to("cuda")
    moves = 0
    g = torch.Generator().manual_seed(5)
    for step in range(8):
        batch = make_batch(g).cuda()
        loss = (model(batch.x).squeeze(1) - batch.y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        moves += batch.moves
        print(f"step {step} loss {loss.item():.8f}")
    print(f"moves {moves} alike {compare([1.0, 2.5])}")


if __name__ == "__main__":
    main()
