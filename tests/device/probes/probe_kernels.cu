// SPDX-License-Identifier: MIT
// Kernels of the probes: what the device's clock says, one that lasts, and reads of memory. Blocks of 256 threads. They
// are compiled for the host as well (tests/device/fake_kernels.cpp). probe_kernels.ptx is made from this by
// make_ptx.sh.
namespace kbv::probe_kernels {

using Word = unsigned;
using Count = unsigned long long;
constexpr unsigned k_threads = 256;
constexpr unsigned k_line_words = 32;  // 128 bytes

#ifdef __CUDACC__
__device__ __forceinline__ Count now_ns() {
  Count ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}
#endif

/// out[0]: the device's time; out[1]: its next value, from which its step is seen.
extern "C" __global__ void kbv_probe_time(Count* out) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const Count first = now_ns();
  Count next = first;
  for (int i = 0; i < 100000 && next == first; ++i) next = now_ns();
  out[0] = first;
  out[1] = next;
}

/// Lasts `ns`, by the device's own time.
extern "C" __global__ void kbv_probe_spin(Count ns) {
  if (threadIdx.x != 0) return;
  const Count start = now_ns();
  while (now_ns() - start < ns) {
  }
}

/// Follows `steps` links from line to line, each load after the one before it. out[0]: nanoseconds; out[1]: where it
/// ended.
extern "C" __global__ void kbv_probe_chase(const Word* chain, Word steps, Count* out) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  Word line = 0;
  const Count start = now_ns();
  for (Word i = 0; i < steps; ++i) line = __ldcg(chain + Count{line} * k_line_words);
  out[1] = line;  // before the time is taken: what it depends on must be there
  const Count end = line == ~0u ? 0 : now_ns();
  out[0] = end - start;
}

/// Reads `words` words into the L2 cache.
extern "C" __global__ void kbv_probe_read(const Word* data, Count words, Word* sink) {
  Word mix = 0;
  for (Count i = Count{blockIdx.x} * k_threads + threadIdx.x; i < words; i += Count{gridDim.x} * k_threads)
    mix |= __ldcg(data + i);
  if (mix == ~0u) *sink = mix;  // no chain has all bits set: it is never stored
}

/// Adds to out[0] the words that are `pattern`, to out[1] those that are not zero.
extern "C" __global__ void kbv_probe_count(const Word* data, Count words, Word pattern, Count* out) {
  Count same = 0, set = 0;
  for (Count i = Count{blockIdx.x} * k_threads + threadIdx.x; i < words; i += Count{gridDim.x} * k_threads) {
    const Word word = __ldcs(data + i);
    same += word == pattern;
    set += word != 0;
  }
  if (same != 0) atomicAdd(out, same);
  if (set != 0) atomicAdd(out + 1, set);
}

}  // namespace kbv::probe_kernels
