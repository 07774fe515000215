"""A custom torch.autograd.Function with custom_fwd / custom_bwd; its gradients are checked."""
import torch
import torch.nn as nn
from torch.amp import custom_bwd, custom_fwd
from torch.autograd import Function, gradcheck


class SwishFunction(Function):
    """x * sigmoid(beta * x) that keeps only its inputs for the backward pass."""

    @staticmethod
    @custom_fwd(device_type="cuda", cast_inputs=torch.float32)
    def forward(ctx, x, beta):
        ctx.save_for_backward(x, beta)
        return x * torch.sigmoid(beta * x)

    @staticmethod
    @custom_bwd(device_type="cuda")
    def backward(ctx, grad_output):
        x, beta = ctx.saved_tensors
        s = torch.sigmoid(beta * x)
        grad_x = grad_beta = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output * (s + beta * x * s * (1 - s))
        if ctx.needs_input_grad[1]:
            grad_beta = (grad_output * x * x * s * (1 - s)).sum()
        return grad_x, grad_beta


class BinarizeSTE(Function):
    """Sign with a straight-through gradient."""

    @staticmethod
    @custom_fwd(device_type="cuda")
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, torch.ones_like(x), -torch.ones_like(x))

    @staticmethod
    @custom_bwd(device_type="cuda")
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * (x.abs() <= 1).to(grad_output.dtype)


class Swish(nn.Module):
    def __init__(self, beta=1.0):
        super().__init__()
        self.beta = nn.Parameter(torch.tensor(beta))

    def forward(self, x):
        return SwishFunction.apply(x, self.beta)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 32)
        self.swish = Swish()
        self.second = nn.Linear(32, 16)
        self.last = nn.Linear(16, 1)

    def forward(self, x):
        x = self.swish(self.first(x))
        x = BinarizeSTE.apply(self.second(x))
        return self.last(x).squeeze(-1)


def check_gradients(device):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(3, 5, dtype=torch.double, generator=generator).to(device).requires_grad_()
    beta = torch.tensor(0.8, dtype=torch.double, device=device, requires_grad=True)
    assert gradcheck(SwishFunction.apply, (x, beta), eps=1e-6, atol=1e-6)

    # against autograd on the plain expression
    x = torch.linspace(-3, 3, 31, device=device, requires_grad=True)
    beta = torch.tensor(1.3, device=device, requires_grad=True)
    ours = torch.autograd.grad(SwishFunction.apply(x, beta).sum(), (x, beta))
    plain = torch.autograd.grad((x * torch.sigmoid(beta * x)).sum(), (x, beta))
    for a, b in zip(ours, plain):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)
    print("gradients_ok 1")

    # under autocast the inputs are cast up to float32
    if device.type == "cuda":
        with torch.autocast(device_type="cuda", dtype=torch.float16):
            half = torch.randn(4, 4, device=device).half().requires_grad_()
            out = SwishFunction.apply(half, beta)
        assert out.dtype == torch.float32, out.dtype
        out.sum().backward()
        assert half.grad.dtype == torch.float16


def main():
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    check_gradients(device)

    torch.manual_seed(5)
    model = Model().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(64, 8, generator=generator)
    y = (x[:, 0] * x[:, 1] + x[:, 2]).tanh()
    x, y = x.to(device), y.to(device)

    for step in range(25):
        optimizer.zero_grad()
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.8f}")
    print(f"beta {model.swish.beta.item():.6f}")


if __name__ == "__main__":
    main()
