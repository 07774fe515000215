#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <typename T>
__global__ void gate_kernel(const T* x, const T* gate, T* out, float slope, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    out[i] = (v > 0 ? v : v * slope) / (1.f + __expf(-(float)gate[i]));
  }
}

template <typename T>
__global__ void gate_grad_kernel(const T* grad, const T* x, const T* gate, T* gx, T* gg, float slope, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) {
    float s = 1.f / (1.f + __expf(-(float)gate[i])), v = x[i], g = grad[i];
    gx[i] = g * s * (v > 0 ? 1.f : slope);
    gg[i] = g * (v > 0 ? v : v * slope) * s * (1.f - s);
  }
}

torch::Tensor leaky_gate_forward(torch::Tensor x, torch::Tensor gate, double slope) {
  auto out = torch::empty_like(x);
  int64_t n = x.numel();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "leaky_gate", [&] {
    gate_kernel<scalar_t><<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<scalar_t>(), gate.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), slope, n);
  });
  return out;
}

std::vector<torch::Tensor> leaky_gate_backward(torch::Tensor grad, torch::Tensor x, torch::Tensor gate, double slope) {
  auto gx = torch::empty_like(x), gg = torch::empty_like(x);
  int64_t n = x.numel();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "leaky_gate_grad", [&] {
    gate_grad_kernel<scalar_t><<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        grad.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), gate.data_ptr<scalar_t>(), gx.data_ptr<scalar_t>(),
        gg.data_ptr<scalar_t>(), slope, n);
  });
  return {gx, gg};
}

torch::Tensor segment_mean(torch::Tensor x, torch::Tensor index, int64_t segments) {
  auto sum = torch::zeros({segments, x.size(1)}, x.options()).index_add_(0, index, x);
  auto count = torch::zeros({segments}, x.options()).index_add_(0, index, torch::ones_like(index, x.options()));
  return sum / count.clamp_min(1).unsqueeze(1);
}
