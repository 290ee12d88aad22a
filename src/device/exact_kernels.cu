// SPDX-License-Identifier: MIT
// The CUDA backend's compare_exact(). make_ptx.sh compiles it to exact_kernels.ptx, which is committed and embedded.
//
// A team of threads, of a power of two up to a warp or of a whole block, does one item (exact_core.h) at a time: each
// thread walks over it in ascending order with a stride of the team, and the team adds its sums up in a fixed tree.
// Teams take items in a fixed order too, and the host merges the blocks' results in block order. So a result does not
// depend on scheduling. Loads are of single elements, since a slice may begin anywhere; neighbours' loads are one
// access of memory all the same.
#include "exact_core.h"

namespace kbv::exact_kernels {

using namespace exact_core;

// As in cuda_exact.cpp.
constexpr unsigned k_block_threads = 256;
constexpr unsigned k_blocks_per_multiprocessor = 4;

constexpr unsigned k_warp_threads = 32;
constexpr unsigned k_batch = 8;  // loads under way in each thread, which hide memory's latency

__device__ __forceinline__ void wait_for_team(unsigned team) {
  if (team > k_warp_threads)
    __syncthreads();
  else
    __syncwarp();
}

/// The sum of the team's values, for its first thread. Each thread of the block calls it equally often.
__device__ __forceinline__ double add_up(double* sums, unsigned team, unsigned rank, double value) {
  wait_for_team(team);  // for those that still read from the call before
  sums[threadIdx.x] = value;
#pragma unroll 1  // less for the driver to compile
  for (unsigned half = team / 2; half > 0; half /= 2) {
    wait_for_team(team);
    if (rank < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  return sums[threadIdx.x];
}

template <typename Element>
__device__ __forceinline__ void walk(Accumulator<Element>& accumulator, const double* exact,
                                     const typename Element::Stored* got, Index first, Index end, unsigned stride) {
  const unsigned step = k_batch * stride;
#pragma unroll 1
  for (Index i = first; i < end; i += step) {
    const unsigned left = static_cast<unsigned>(lesser(end - i, step));
    double e[k_batch];
    typename Element::Stored g[k_batch];
#pragma unroll
    for (unsigned n = 0; n < k_batch; ++n) {  // beyond the end zeros, which change nothing
      e[n] = n * stride < left ? __ldcs(exact + i + n * stride) : 0;
      g[n] = n * stride < left ? __ldcs(got + i + n * stride) : typename Element::Stored{};
    }
    unsigned unusual = 0;
#pragma unroll
    for (unsigned n = 0; n < k_batch; ++n) unusual |= accumulator.add(e[n], g[n]) ? 0u : 1u << n;
    // Loaded once more, since registers can't be indexed.
#pragma unroll 1
    for (Index at = i; unusual != 0; unusual >>= 1, at += stride)
      if (unusual & 1u) accumulator.look(exact[at], got[at], at);
  }
}

template <typename Element>
__device__ __forceinline__ void compare_exact(const double* exact, const double* rho, const void* got,
                                              const Split& split, unsigned team, Partial* results, double* item_sums) {
  const unsigned teams = k_block_threads / team;
  const unsigned rank = threadIdx.x % team;
  const Index items = split.slices * split.parts;
  const Index stride = static_cast<Index>(gridDim.x) * teams;

  __shared__ double sums[k_block_threads];
  __shared__ Partial partials[k_block_threads];
  Partial& partial = partials[threadIdx.x];
  partial = empty_partial();
  Accumulator<Element> accumulator(partial);
  // All threads of a block go round equally often, since they wait for one another.
  for (Index base = static_cast<Index>(blockIdx.x) * teams; base < items; base += stride) {
    const Index index = base + threadIdx.x / team;
    const bool busy = index < items;
    const Item item = item_at(split, busy ? index : 0);
    if (busy) {
      accumulator.begin(item.slice, rho[item.slice]);
      walk(accumulator, exact, static_cast<const typename Element::Stored*>(got), item.begin + rank, item.end, team);
      accumulator.end();
    }
    const double sum = add_up(sums, team, rank, accumulator.sum_sq);
    if (busy && rank == 0) {
      if (split.parts > 1)
        item_sums[index] = sum;  // for the host to finish
      else
        raise(partial.e_rms, partial.rms_slice, rms_error(sum, item.slice_size, accumulator.rho), item.slice);
    }
  }

#pragma unroll 1
  for (unsigned half = k_block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) merge(partials[threadIdx.x], partials[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) results[blockIdx.x] = partials[0];
}

#define KBV_EXACT(name, Element)                                                                            \
  extern "C" __global__ void __launch_bounds__(k_block_threads, k_blocks_per_multiprocessor)                \
      kbv_exact_##name(const double* exact, const double* rho, const void* got, Split split, unsigned team, \
                       Partial* results, double* item_sums) {                                               \
    compare_exact<Element>(exact, rho, got, split, team, results, item_sums);                               \
  }

KBV_EXACT(float64, compare_core::Float64)
KBV_EXACT(float32, compare_core::Float32)
KBV_EXACT(float16, compare_core::Float16)
KBV_EXACT(bfloat16, compare_core::BFloat16)
KBV_EXACT(int64, compare_core::Int64)
KBV_EXACT(int32, compare_core::Int32)
KBV_EXACT(int16, compare_core::Int16)
KBV_EXACT(int8, compare_core::Int8)
KBV_EXACT(uint8, compare_core::UInt8)
KBV_EXACT(bool, compare_core::Boolean)

}  // namespace kbv::exact_kernels
