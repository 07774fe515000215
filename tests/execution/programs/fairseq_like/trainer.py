"""Trainer: moves samples, keeps float32 master weights for a half model, survives running out of memory."""
import sys

import torch
import torch.nn.functional as F

import utils


class FP16Optimizer:
    """Adam on float32 copies of the parameters, with a dynamic loss scale."""

    def __init__(self, params, lr, init_scale):
        self.fp16_params = params
        self.fp32_params = [torch.nn.Parameter(p.detach().float()) for p in params]
        self.optimizer = torch.optim.Adam(self.fp32_params, lr=lr, betas=(0.9, 0.98))
        self.scale = init_scale

    def backward(self, loss):
        (loss * self.scale).backward()

    def zero_grad(self):
        for p in self.fp16_params:
            p.grad = None

    def step(self, clip_norm):
        for p32, p in zip(self.fp32_params, self.fp16_params):
            p32.grad = p.grad.float() / self.scale
        grad_norm = utils.item(torch.nn.utils.clip_grad_norm_(self.fp32_params, clip_norm))
        if grad_norm == float("inf") or grad_norm != grad_norm:
            self.scale /= 2
            raise OverflowError(f"setting the scale to {self.scale}")
        self.optimizer.step()
        with torch.no_grad():
            for p32, p in zip(self.fp32_params, self.fp16_params):
                p.copy_(p32)
        return grad_norm


class Trainer:
    def __init__(self, args, model):
        self.args = args
        self.cuda = torch.cuda.is_available() and not args.cpu
        self._model = model
        if args.fp16:
            self._model = self._model.half()
        if self.cuda:
            self._model = self._model.cuda()
        self.device = torch.device("cuda") if self.cuda else torch.device("cpu")
        params = [p for p in self._model.parameters() if p.requires_grad]
        self.optimizer = FP16Optimizer(params, args.lr, 2.0 ** 21)
        self.num_updates = 0
        self.oom = 0
        self._dummy_batch = None

    def _prepare_sample(self, sample):
        if sample is None or len(sample) == 0:
            sample = self._dummy_batch
        if self.cuda:
            sample = utils.move_to_cuda(sample)
        return utils.to_half(sample) if self.args.fp16 else sample

    def criterion(self, sample):
        logits = self._model(**sample["net_input"])
        lprobs = F.log_softmax(logits, dim=-1, dtype=torch.float32).flatten(0, 1)
        loss = F.nll_loss(lprobs, sample["target"].flatten(), ignore_index=0, reduction="sum")
        return loss / sample["ntokens"]

    def train_step(self, sample):
        self._set_seed()
        self._model.train()
        if self._dummy_batch is None:
            self._dummy_batch = sample
        self.optimizer.zero_grad()
        sample = self._prepare_sample(sample)
        assert utils.has_parameters_on_cuda(self._model) == self.cuda == sample["target"].is_cuda
        try:
            loss = self.criterion(sample)
            self.optimizer.backward(loss)
        except RuntimeError as e:
            if "out of memory" in str(e):
                self._log_oom(e)
                self.optimizer.zero_grad()
                return None
            raise
        try:
            norm = self.optimizer.step(self.args.clip_norm)
        except OverflowError as e:
            print(f"NOTE: overflow detected, {e}")
            return None
        self.num_updates += 1
        if self.cuda and self.args.empty_cache_freq > 0 and self.num_updates % self.args.empty_cache_freq == 0:
            torch.cuda.empty_cache()
        return {"loss": loss.item(), "gnorm": norm, "scale": self.optimizer.scale}

    def valid_step(self, sample):
        self._model.eval()
        with torch.no_grad():
            return utils.item(self.criterion(self._prepare_sample(sample)))

    def _set_seed(self):
        # set seed based on args.seed and the update number so that we get reproducible results when resuming
        seed = self.args.seed + self.num_updates
        torch.manual_seed(seed)
        if self.cuda:
            torch.cuda.manual_seed(seed)

    def _log_oom(self, exc):
        print(f"OOM: Ran out of memory with exception: {exc}", file=sys.stderr)
        self.oom += 1
        if torch.cuda.is_available() and hasattr(torch.cuda, "memory_summary"):
            for device_idx in range(torch.cuda.device_count()):
                print(torch.cuda.memory_summary(device=device_idx), file=sys.stderr)
        if self.cuda:
            torch.cuda.empty_cache()
