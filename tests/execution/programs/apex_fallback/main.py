"""Mixed precision with NVIDIA apex where it is installed, else with PyTorch's own."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

try:
    from apex import amp
    from apex.optimizers import FusedAdam
    from apex.normalization import FusedLayerNorm as LayerNorm
    HAS_APEX = True
except ImportError:
    from torch.nn import LayerNorm
    amp, FusedAdam = None, None
    HAS_APEX = False


class Mixer(nn.Module):
    def __init__(self, tokens, channels, classes):
        super().__init__()
        self.norm1, self.norm2 = LayerNorm(channels), LayerNorm(channels)
        self.token_mix = nn.Sequential(nn.Linear(tokens, 16), nn.GELU(), nn.Linear(16, tokens))
        self.channel_mix = nn.Sequential(nn.Linear(channels, 32), nn.GELU(), nn.Linear(32, channels))
        self.head = nn.Linear(channels, classes)

    def forward(self, x):
        x = x + self.token_mix(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.channel_mix(self.norm2(x))
        return self.head(x.mean(1))


def build_optimizer(model, args):
    if HAS_APEX and args.cuda:
        return FusedAdam(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
    # FusedAdam decouples the weight decay (adam_w_mode) unless told otherwise
    return torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)


def make_data(args):
    g = torch.Generator().manual_seed(args.seed)
    x = torch.randn(args.steps, args.batch_size, 6, 12, generator=g)
    y = x[..., :3].sum(2).argmax(-1)
    return x, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=24)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--weight-decay", type=float, default=0.1)
    parser.add_argument("--opt-level", default="O1", choices=["O0", "O1", "O2"])
    parser.add_argument("--max-norm", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.cuda = torch.cuda.is_available()

    torch.manual_seed(args.seed)
    model = Mixer(6, 12, 3)
    if args.cuda:
        torch.cuda.manual_seed_all(args.seed)
        model.cuda()
    optimizer = build_optimizer(model, args)
    use_apex = HAS_APEX and args.cuda and args.opt_level != "O0"
    use_torch_amp = not use_apex and args.cuda and args.opt_level != "O0"
    if use_apex:
        model, optimizer = amp.initialize(model, optimizer, opt_level=args.opt_level, loss_scale="dynamic")
    scaler = torch.cuda.amp.GradScaler(enabled=use_torch_amp)

    inputs, targets = make_data(args)
    for step, (x, y) in enumerate(zip(inputs, targets)):
        if args.cuda:
            x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        with torch.cuda.amp.autocast(enabled=use_torch_amp):
            loss = F.cross_entropy(model(x).float(), y)
        if use_apex:
            with amp.scale_loss(loss, optimizer) as scaled_loss:
                scaled_loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), args.max_norm)
            optimizer.step()
        else:
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_norm)
            scaler.step(optimizer)
            scaler.update()
        print(f"step {step} loss {loss.item():.8f}")
        print(f"norm {norm.item():.6f}")
    weight = sum(p.detach().float().pow(2).sum() for p in model.parameters())
    print(f"weight_norm {weight.sqrt().item():.6f}")


if __name__ == "__main__":
    main()
