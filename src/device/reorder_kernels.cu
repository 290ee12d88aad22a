// SPDX-License-Identifier: MIT
// The CUDA backend's reorder(). make_ptx.sh compiles it to reorder_kernels.ptx, which is committed and embedded.
#include "reorder_core.h"

namespace kbv::reorder_kernels {

using reorder_core::Index;

constexpr unsigned k_block_threads = 256;  // as in cuda_reorder.cpp

template <typename Bits>
__device__ __forceinline__ void reorder(const Bits* from, Bits* to, const Reorder& plan, Index count) {
  const Index stride = static_cast<Index>(gridDim.x) * k_block_threads;
#pragma unroll 1
  for (Index i = static_cast<Index>(blockIdx.x) * k_block_threads + threadIdx.x; i < count; i += stride)
    to[i] = from[reorder_core::source_of(plan, i)];
}

#define KBV_REORDER(bytes, Bits)                                                                                  \
  extern "C" __global__ void kbv_reorder_##bytes(const void* from, void* to, Reorder plan, Index count) {         \
    reorder(static_cast<const Bits*>(from), static_cast<Bits*>(to), plan, count);                                 \
  }

KBV_REORDER(1, unsigned char)
KBV_REORDER(2, unsigned short)
KBV_REORDER(4, unsigned)
KBV_REORDER(8, unsigned long long)
KBV_REORDER(16, reorder_core::Bits128)

}  // namespace kbv::reorder_kernels
