// y = gelu(x + bias), with x of shape [rows, columns] and bias of shape [columns], float32.
#include <torch/extension.h>

__global__ void bias_gelu_kernel(const float* x, const float* bias, float* y, int64_t count, int64_t columns) {
  int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) {
    float value = x[i] + bias[i % columns];
    y[i] = 0.5f * value * (1.0f + erff(value * 0.70710678f));
  }
}

torch::Tensor bias_gelu(torch::Tensor x, torch::Tensor bias) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.scalar_type() == torch::kFloat, "x: contiguous float32 on CUDA");
  auto y = torch::empty_like(x);
  const int threads = 256;
  const int64_t blocks = (x.numel() + threads - 1) / threads;
  bias_gelu_kernel<<<blocks, threads>>>(
      x.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), x.numel(), bias.numel());
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("bias_gelu", &bias_gelu); }
