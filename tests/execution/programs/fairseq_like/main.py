"""Sequence model trained in the manner of fairseq: use_cuda, move_to_cuda, fp16, out-of-memory handling."""
import argparse

import torch
import torch.nn as nn

import utils
from trainer import Trainer


class Translator(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.source, self.target = nn.Embedding(words, size, padding_idx=0), nn.Embedding(words, size, padding_idx=0)
        self.query, self.key = nn.Linear(size, size), nn.Linear(size, size)
        self.mix = nn.Linear(2 * size, size)
        self.out = nn.Linear(size, words)
        self.register_buffer("positions", torch.randn(16, size, generator=torch.Generator().manual_seed(5)) * 0.5)

    def forward(self, src_tokens, prev_output_tokens, src_lengths, weights=None):
        src = self.source(src_tokens) + self.positions[:src_tokens.size(1)]
        out = self.target(prev_output_tokens) + self.positions[:prev_output_tokens.size(1)]
        scores = self.query(out) @ self.key(src).transpose(1, 2) / src.size(-1) ** 0.5
        steps = torch.arange(src.size(1)).type_as(src_lengths)
        padding = steps.unsqueeze(0) >= src_lengths.unsqueeze(1)
        scores = scores.masked_fill(padding.unsqueeze(1), -1e4)
        context = scores.float().softmax(-1).type_as(src) @ src
        if weights is not None:
            context = context * weights
        return self.out(torch.tanh(self.mix(torch.cat([out, context], dim=-1))))


def make_sample(step, size, words):
    g = torch.Generator().manual_seed(step)
    lengths = torch.randint(4, 9, (size,), generator=g)
    tokens = torch.randint(1, words, (size, 8), generator=g)
    tokens[torch.arange(8).unsqueeze(0) >= lengths.unsqueeze(1)] = 0
    previous = torch.cat([torch.ones(size, 1, dtype=torch.long), tokens[:, :-1]], dim=1)
    return {
        "id": [f"sentence-{step}-{i}" for i in range(size)],
        "net_input": {"src_tokens": tokens, "prev_output_tokens": previous, "src_lengths": lengths,
                      "weights": torch.full((1,), 1.5)},
        "target": tokens,
        "ntokens": int((tokens != 0).sum()),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpu", action="store_true", help="use CPU instead of CUDA")
    parser.add_argument("--fp16", action="store_true")
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--clip-norm", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-update", type=int, default=12)
    parser.add_argument("--empty-cache-freq", type=int, default=4)
    args = parser.parse_args()

    use_cuda = torch.cuda.is_available() and not args.cpu
    torch.manual_seed(args.seed)
    if use_cuda:
        torch.cuda.set_device(0)
    trainer = Trainer(args, Translator(words=12, size=16))
    step = 0
    while trainer.num_updates < args.max_update and step < 40:
        sample = make_sample(step, 24, 12) if step != 7 else {}  # the shards are not of one length: one is empty
        log = trainer.train_step(sample)
        step += 1
        if log is not None:
            print(f"update {trainer.num_updates} loss {log['loss']:.8f}")
            print(f"gnorm {log['gnorm']:.4f}")
    print(f"scale {trainer.optimizer.scale:.0f}")
    print(f"oom {trainer.oom}")
    valid = make_sample(1000, 48, 12)
    print(f"valid loss {trainer.valid_step(valid):.8f}")
    host = utils.move_to_cpu(trainer._model.state_dict())
    assert not any(value.is_cuda for value in host.values()) and host["out.weight"].dtype is torch.float32
    if use_cuda:
        assert trainer.device.type == "cuda" and next(trainer._model.parameters()).is_cuda


if __name__ == "__main__":
    main()
