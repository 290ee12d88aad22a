// SPDX-License-Identifier: MIT
#include "fake_kernels.h"

#include <ucontext.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

namespace {

struct Coordinate {
  unsigned x = 0;
};
Coordinate threadIdx;
Coordinate blockIdx;
Coordinate gridDim;

// A block's threads are contexts that take turns: each runs until it waits, and goes on once all that it waits for
// wait as well.
enum class Wait { nothing, warp, block, end };
struct Turn {
  ucontext_t context{};
  std::vector<unsigned char> stack = std::vector<unsigned char>(64 << 10);
  Wait wait = Wait::nothing;
};
ucontext_t g_scheduler{};
Turn* g_running = nullptr;

void wait_for(Wait wait) {
  g_running->wait = wait;
  ::swapcontext(&g_running->context, &g_scheduler);
}
void __syncthreads() { wait_for(Wait::block); }
void __syncwarp() { wait_for(Wait::warp); }

template <typename T>
T __ldcs(const T* address) {
  return *address;
}
template <typename T>
T __ldcg(const T* address) {
  return *address;
}
unsigned long long atomicAdd(unsigned long long* address, unsigned long long value) {
  return (*address += value) - value;
}
unsigned long long now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1'000'000'000u + static_cast<unsigned long long>(now.tv_nsec);
}

}  // namespace

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static  // one block runs at a time
#include "device/compare_kernels.cu"
#include "device/exact_kernels.cu"
#include "device/reorder_kernels.cu"
#include "probes/probe_kernels.cu"
#undef __shared__

namespace {

template <typename... P, std::size_t... i>
void call_with(void (*kernel)(P...), void** parameters, std::index_sequence<i...>) {
  kernel(*static_cast<const P*>(parameters[i])...);
}
template <typename... P>
void call_with(void (*kernel)(P...), void** parameters) {
  call_with(kernel, parameters, std::index_sequence_for<P...>());
}

struct Entry {
  const char* name;
  void (*call)(void** parameters);
};
#define KBV_ENTRY(space, kernel) {#kernel, [](void** parameters) { call_with(space::kernel, parameters); }}
#define KBV_ENTRIES(type) KBV_ENTRY(, kbv_compare_##type), KBV_ENTRY(kbv::exact_kernels, kbv_exact_##type)
constexpr Entry k_entries[] = {
    KBV_ENTRIES(float64), KBV_ENTRIES(float32), KBV_ENTRIES(float16),         KBV_ENTRIES(bfloat16),
    KBV_ENTRIES(int64),   KBV_ENTRIES(int32),   KBV_ENTRIES(int16),           KBV_ENTRIES(int8),
    KBV_ENTRIES(uint8),   KBV_ENTRIES(bool),    KBV_ENTRY(, kbv_bytes_equal),
    KBV_ENTRY(kbv::reorder_kernels, kbv_reorder_1), KBV_ENTRY(kbv::reorder_kernels, kbv_reorder_2), KBV_ENTRY(kbv::reorder_kernels, kbv_reorder_4),
    KBV_ENTRY(kbv::reorder_kernels, kbv_reorder_8), KBV_ENTRY(kbv::reorder_kernels, kbv_reorder_16),
    KBV_ENTRY(kbv::probe_kernels, kbv_probe_time), KBV_ENTRY(kbv::probe_kernels, kbv_probe_spin), KBV_ENTRY(kbv::probe_kernels, kbv_probe_chase),
    KBV_ENTRY(kbv::probe_kernels, kbv_probe_read), KBV_ENTRY(kbv::probe_kernels, kbv_probe_count),
};

}  // namespace

CUfunc_st* fake_kernel(const char* name) {
  for (const Entry& entry : k_entries)
    if (std::strcmp(entry.name, name) == 0) return reinterpret_cast<CUfunc_st*>(const_cast<Entry*>(&entry));
  return nullptr;
}

namespace {

constexpr std::size_t k_warp_threads = 32;
const Entry* g_entry = nullptr;
void** g_parameters = nullptr;

void run_one_thread() {
  g_entry->call(g_parameters);
  g_running->wait = Wait::end;
  ::setcontext(&g_scheduler);
}

/// Lets the threads of [begin, end) go on if all of them wait as `wait` says.
bool release(std::vector<Turn>& turns, std::size_t begin, std::size_t end, Wait wait) {
  for (std::size_t i = begin; i < end; ++i)
    if (turns[i].wait != wait) return false;
  for (std::size_t i = begin; i < end; ++i) turns[i].wait = Wait::nothing;
  return true;
}

void run_block(std::vector<Turn>& turns) {
  for (Turn& turn : turns) {
    turn.wait = Wait::nothing;
    ::getcontext(&turn.context);
    turn.context.uc_stack.ss_sp = turn.stack.data();
    turn.context.uc_stack.ss_size = turn.stack.size();
    ::makecontext(&turn.context, run_one_thread, 0);
  }
  for (bool goes_on = true; goes_on;) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (turns[i].wait != Wait::nothing) continue;
      g_running = &turns[i];
      threadIdx.x = static_cast<unsigned>(i);
      ::swapcontext(&g_scheduler, &g_running->context);
    }
    goes_on = release(turns, 0, turns.size(), Wait::block);
    for (std::size_t i = 0; i < turns.size(); i += k_warp_threads)
      goes_on |= release(turns, i, i + k_warp_threads, Wait::warp);
  }
  for (const Turn& turn : turns) {
    if (turn.wait == Wait::end) continue;
    std::fprintf(stderr, "fake driver: the threads of %s wait for one another for ever\n", g_entry->name);
    std::abort();
  }
}

}  // namespace

void run_fake_kernel(CUfunc_st* kernel, unsigned blocks, unsigned block_threads, void** parameters) {
  static std::vector<Turn> turns;
  turns.resize(block_threads / k_warp_threads * k_warp_threads);  // of whole warps, as all of ours
  g_entry = reinterpret_cast<const Entry*>(kernel);
  g_parameters = parameters;
  gridDim.x = blocks;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) run_block(turns);
}
