"""Least squares and LBFGS in double precision on the GPU."""
import math

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_default_dtype(torch.float64)


def problem(points=60):
    """A damped oscillation with noise."""
    g = torch.Generator().manual_seed(17)
    t = torch.linspace(0.0, 3.0, points)
    noise = 0.05 * torch.randn(points, generator=g)
    y = 1.5 * torch.exp(-0.6 * t) * torch.cos(2.5 * t + 0.3) + noise
    return t.to(device), y.to(device)


def design_matrix(t, degree):
    """Chebyshev polynomials: well conditioned."""
    x = 2.0 * t / 3.0 - 1.0
    columns = [torch.ones_like(x), x]
    while len(columns) <= degree:
        columns.append(2.0 * x * columns[-1] - columns[-2])
    return torch.stack(columns[:degree + 1], dim=1)


def polynomial(t, y):
    for degree in range(1, 7):
        a = design_matrix(t, degree)
        gram = a.T @ a
        coefficients = torch.linalg.solve(gram, a.T @ y)
        cholesky = torch.cholesky_solve((a.T @ y).unsqueeze(1), torch.linalg.cholesky(gram)).squeeze(1)
        assert torch.allclose(coefficients, cholesky, rtol=1e-3, atol=1e-4)
        loss = (a @ coefficients - y).square().mean()
        assert loss.dtype == torch.float64 or loss.dtype == torch.float32
        print(f"degree {degree} loss {loss.item():.8f}")


class Oscillation(torch.nn.Module):
    def __init__(self):
        super().__init__()
        start = {"amplitude": 1.0, "damping": 0.3, "frequency": 2.2, "phase": 0.0}
        for name, value in start.items():
            self.register_parameter(name, torch.nn.Parameter(torch.tensor(value, device=device, dtype=torch.double)))

    def forward(self, t):
        return self.amplitude * torch.exp(-self.damping * t) * torch.cos(self.frequency * t + self.phase)


def fit_lbfgs(t, y):
    model = Oscillation().to(device)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=8, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = (model(t) - y).square().mean()
        loss.backward()
        return loss

    for step in range(5):
        optimizer.step(closure)
        with torch.no_grad():
            loss = (model(t) - y).square().mean()
        print(f"step {step} loss {loss.item():.8f}")
    for name, value in model.named_parameters():
        print(f"{name} {value.item():.4f}")
    return model


def gauss_newton(t, y):
    """The same fit with Gauss-Newton steps; the Jacobian is written out."""
    p = torch.tensor([1.0, 0.3, 2.2, 0.0], dtype=torch.float64).to(device)
    for step in range(6):
        amplitude, damping, frequency, phase = p
        decay, angle = torch.exp(-damping * t), frequency * t + phase
        value = amplitude * decay * torch.cos(angle)
        jacobian = torch.stack([decay * torch.cos(angle), -t * value, -t * amplitude * decay * torch.sin(angle),
                                -amplitude * decay * torch.sin(angle)], dim=1)
        residual = y - value
        p = p + torch.linalg.solve(jacobian.T @ jacobian, jacobian.T @ residual)
        print(f"newton {step} loss {residual.square().mean().item():.8f}")
    return p


def main():
    t, y = problem()
    if torch.cuda.is_available():
        assert t.is_cuda and y.device.type == torch.device(device).type
    polynomial(t, y)
    model = fit_lbfgs(t, y)
    p = gauss_newton(t, y)
    found = torch.stack([v.detach() for v in model.parameters()])
    assert (found - p).abs().max().item() < 1e-2
    spectrum = torch.fft.rfft(y - y.mean()).abs().square()
    parseval = (spectrum[1:].sum() * 2 - spectrum[-1]) / len(y) ** 2
    print(f"variance {y.var(unbiased=False).item():.6f}")
    assert math.isclose(parseval.item(), y.var(unbiased=False).item(), rel_tol=1e-4)


if __name__ == "__main__":
    main()
