"""Training in half precision with apex's amp_C kernels, checked against float64 on the CPU."""
import torch
import torch.nn.functional as F
from clipping import FusedScaler, Overflow, average


def batches(steps, device):
    g = torch.Generator().manual_seed(3)
    for step in range(steps):
        x = torch.randn(24, 10, generator=g)
        y = x[:, :3].sin().sum(1, keepdim=True)
        # two batches are so large that gradients in float16 overflow
        yield x.to(device), (y * (30000.0 if step in (4, 9) else 1.0)).to(device)


def reference_norm(grads):
    return sum(float(grad.detach().cpu().double().pow(2).sum()) for grad in grads) ** 0.5


def main():
    torch.manual_seed(0)
    device = torch.device("cuda", torch.cuda.current_device())
    master = [torch.nn.Parameter((torch.randn(shape) * 0.3).to(device)) for shape in ((10, 16), (16,), (16, 1), (1,))]
    averages = [parameter.detach().clone() for parameter in master]
    optimizer = torch.optim.SGD(master, lr=0.05, momentum=0.9)
    scaler = FusedScaler(device)
    skipped = 0

    for step, (x, y) in enumerate(batches(14, device)):
        halves = [parameter.detach().half().requires_grad_() for parameter in master]
        hidden = torch.tanh(x.half() @ halves[0] + halves[1])
        loss = F.mse_loss((hidden @ halves[2] + halves[3]).float(), y)
        grads = torch.autograd.grad(loss * scaler.scale, halves)
        print(f"step {step} loss {loss.item():.8f}")

        total, each = scaler.norms(list(grads))
        expected = reference_norm(grads)
        if expected == expected and expected != float("inf"):
            assert abs(total.item() - expected) <= 1e-3 * expected, (total.item(), expected)
            assert len(each) == len(grads)

        for parameter in master:
            parameter.grad = torch.zeros_like(parameter)
        try:
            scaler.unscale(list(grads), [parameter.grad for parameter in master])
        except Overflow:
            skipped += 1
            print(f"step {step} overflow")
            continue
        norm = scaler.clip([parameter.grad for parameter in master], most=1.0)
        print(f"step {step} norm_loss {norm.item():.8f}")
        optimizer.step()
        average(averages, [parameter.detach() for parameter in master], 0.9, scaler.overflow_buf)

    print(f"skipped {skipped}")
    assert skipped == 2
    assert all(value.is_cuda for value in averages)
    drift = sum(float((a.double().cpu() - p.detach().double().cpu()).abs().sum()) for a, p in zip(averages, master))
    print(f"drift_loss {drift:.8f}")


if __name__ == "__main__":
    main()
