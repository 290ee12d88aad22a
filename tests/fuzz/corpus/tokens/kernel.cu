#include <cuda.h>
#define A(x) \
  x
// a comment
__global__ void f(const float* x, float* out, int n) { /* more */
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0x1p-3f ? 1'000.5e-3f : 'c';
}
std::vector<std::vector<int>> v; const char* s = "a\"b" R"(raw)" "unended
void g() { f<<<1, 256>>>(a, b, 0xffull); }
