// SPDX-License-Identifier: MIT
// The CUDA backend's comparison. make_ptx.sh compiles it to compare_kernels.ptx, which is committed and embedded.
//
// Each thread walks both arrays in ascending order with a stride of the whole grid, up to 16 bytes of each at a time;
// each block leaves one partial result, and the host merges these in block order. So a result does not depend on
// scheduling. Both arrays begin at the beginning of an allocation, hence are aligned.
#include "compare_core.h"

// Not in an unnamed namespace: nvcc would put a hash into its names, and the PTX would depend on where it was made.
namespace kbv::kernels {

using namespace compare_core;

// As in cuda_compare.cpp.
constexpr unsigned k_block_threads = 256;
constexpr unsigned k_blocks_per_multiprocessor = 4;

template <unsigned bytes>
struct Word;
template <>
struct Word<8> {
  using Type = uint2;
};
template <>
struct Word<16> {
  using Type = uint4;
};

/// What one load brings. At most 8 elements: each is a copy of the loop's body, which the driver must compile.
template <typename Stored>
union Vector {
  static constexpr unsigned length = sizeof(Stored) == 1 ? 8 : 16 / sizeof(Stored);
  using Bits = typename Word<length * sizeof(Stored)>::Type;
  Bits bits;
  Stored elements[length];
};

template <typename Element>
__device__ __forceinline__ void compare(const void* expected, const void* got, Index count, Partial* results) {
  using Stored = typename Element::Stored;
  using Block = Vector<Stored>;
  const auto* expected_vectors = static_cast<const typename Block::Bits*>(expected);
  const auto* got_vectors = static_cast<const typename Block::Bits*>(got);
  const Index first = static_cast<Index>(blockIdx.x) * k_block_threads + threadIdx.x;
  const Index stride = static_cast<Index>(gridDim.x) * k_block_threads;
  const Index vectors = count / Block::length;

  Accumulator<Element> accumulator;
  for (Index v = first; v < vectors; v += stride) {
    Block e, g;
    e.bits = __ldcs(expected_vectors + v);
    g.bits = __ldcs(got_vectors + v);
#pragma unroll
    for (unsigned i = 0; i < Block::length; ++i) accumulator.add(e.elements[i], g.elements[i], v * Block::length + i);
  }
  const Index tail = vectors * Block::length + first;  // fewer than Block::length, one thread each
  if (tail < count)
    accumulator.add(static_cast<const Stored*>(expected)[tail], static_cast<const Stored*>(got)[tail], tail);

  __shared__ Partial partials[k_block_threads];
  partials[threadIdx.x] = accumulator.partial;
#pragma unroll 1  // less for the driver to compile
  for (unsigned half = k_block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) merge(partials[threadIdx.x], partials[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) results[blockIdx.x] = partials[0];
}

}  // namespace kbv::kernels

using namespace kbv::kernels;

#define KBV_COMPARE(name, Element)                                                                            \
  extern "C" __global__ void __launch_bounds__(k_block_threads, k_blocks_per_multiprocessor)                  \
      kbv_compare_##name(const void* expected, const void* got, unsigned long long count, Partial* results) { \
    compare<Element>(expected, got, count, results);                                                          \
  }

KBV_COMPARE(float64, Float64)
KBV_COMPARE(float32, Float32)
KBV_COMPARE(float16, Float16)
KBV_COMPARE(bfloat16, BFloat16)
KBV_COMPARE(int64, Int64)
KBV_COMPARE(int32, Int32)
KBV_COMPARE(int16, Int16)
KBV_COMPARE(int8, Int8)
KBV_COMPARE(uint8, UInt8)
KBV_COMPARE(bool, Boolean)

/// Sets *differ, which is 0 before, where any of the bytes differ.
extern "C" __global__ void __launch_bounds__(k_block_threads, k_blocks_per_multiprocessor)
    kbv_bytes_equal(const void* a, const void* b, unsigned long long bytes, unsigned* differ) {
  const auto* a_vectors = static_cast<const uint4*>(a);
  const auto* b_vectors = static_cast<const uint4*>(b);
  const Index first = static_cast<Index>(blockIdx.x) * k_block_threads + threadIdx.x;
  const Index stride = static_cast<Index>(gridDim.x) * k_block_threads;
  const Index vectors = bytes / 16;

  unsigned difference = 0;
#pragma unroll 4
  for (Index v = first; v < vectors; v += stride) {
    const uint4 x = __ldcs(a_vectors + v);
    const uint4 y = __ldcs(b_vectors + v);
    difference |= (x.x ^ y.x) | (x.y ^ y.y) | (x.z ^ y.z) | (x.w ^ y.w);
  }
  const Index tail = vectors * 16 + first;
  if (tail < bytes)
    difference |= static_cast<const unsigned char*>(a)[tail] ^ static_cast<const unsigned char*>(b)[tail];
  if (difference != 0) *differ = 1;  // every writer writes the same
}
