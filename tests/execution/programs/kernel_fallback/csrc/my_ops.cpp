#include <torch/extension.h>

torch::Tensor leaky_gate_forward(torch::Tensor x, torch::Tensor gate, double slope);
std::vector<torch::Tensor> leaky_gate_backward(torch::Tensor grad, torch::Tensor x, torch::Tensor gate, double slope);
torch::Tensor segment_mean(torch::Tensor x, torch::Tensor index, int64_t segments);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("leaky_gate_forward", &leaky_gate_forward);
  m.def("leaky_gate_backward", &leaky_gate_backward);
  m.def("segment_mean", &segment_mean);
}
