// SPDX-License-Identifier: MIT
// The little of CUPTI that the tracer needs, declared by ourselves: the library is found at run time, and no toolkit or
// header of NVIDIA's is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kbv::tracer {

constexpr int k_cupti_success = 0;
constexpr std::uint32_t k_kind_copy = 1;               ///< CUPTI_ACTIVITY_KIND_MEMCPY
constexpr std::uint32_t k_kind_set = 2;                ///< CUPTI_ACTIVITY_KIND_MEMSET
constexpr std::uint32_t k_kind_concurrent_kernel = 10; ///< CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
constexpr std::uint32_t k_flush_forced = 1;            ///< CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
constexpr std::size_t k_buffer_alignment = 8;          ///< what CUPTI asks of an activity buffer

/// The API versions whose records begin as the prefixes below: CUDA 11.0 (13) to CUDA 13.x (13xxyy). A version above is
/// refused: reading a pointer at a wrong offset would crash the process that is observed.
constexpr std::uint32_t k_min_cupti_version = 13;
constexpr std::uint32_t k_max_cupti_version = 139999;

/// What every activity record begins with.
struct RecordHead {
  std::uint32_t kind;
};

/// How a kernel's record begins: CUpti_ActivityKernel3 to Kernel13. NVIDIA appends fields and has moved none since
/// Kernel3; the sizes of whole records (120 to 248 bytes) do not matter, since CUPTI itself steps to the next record.
struct KernelRecordPrefix {
  std::uint32_t kind;
  std::uint8_t cache_config;
  std::uint8_t shared_memory_config;
  std::uint16_t registers_per_thread;
  std::uint32_t partitioned_cache_requested, partitioned_cache_executed;
  std::uint64_t start_ns, end_ns, completed_ns;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared_bytes, dynamic_shared_bytes;
  std::uint32_t local_bytes_per_thread, local_bytes_total;
  std::uint32_t correlation;
  std::int64_t grid_number;
  const char* name;  ///< mangled; CUPTI's, alive as long as the kernel's module
};
static_assert(offsetof(KernelRecordPrefix, registers_per_thread) == 6);
static_assert(offsetof(KernelRecordPrefix, start_ns) == 16 && offsetof(KernelRecordPrefix, end_ns) == 24);
static_assert(offsetof(KernelRecordPrefix, grid) == 52 && offsetof(KernelRecordPrefix, block) == 64);
static_assert(offsetof(KernelRecordPrefix, static_shared_bytes) == 76);
static_assert(offsetof(KernelRecordPrefix, dynamic_shared_bytes) == 80);
static_assert(offsetof(KernelRecordPrefix, name) == 104);

/// How the records of a memcpy (CUpti_ActivityMemcpy to Memcpy7) and of a memset (Memset to Memset5) begin.
struct TransferRecordPrefix {
  std::uint32_t kind;
  std::uint32_t kinds_or_value;
  std::uint64_t bytes;
  std::uint64_t start_ns, end_ns;
};
static_assert(offsetof(TransferRecordPrefix, bytes) == 8 && offsetof(TransferRecordPrefix, start_ns) == 16);

extern "C" {
using BufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size_bytes, std::size_t* max_records);
using BufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size_bytes,
                                 std::size_t valid_bytes);
}

/// CUPTI's functions. Calls return k_cupti_success or a CUptiResult.
struct Cupti {
  void* library = nullptr;
  std::uint32_t version = 0;
  int (*get_version)(std::uint32_t*) = nullptr;
  int (*register_callbacks)(BufferRequested, BufferCompleted) = nullptr;
  int (*enable)(std::uint32_t kind) = nullptr;
  int (*disable)(std::uint32_t kind) = nullptr;
  int (*flush_all)(std::uint32_t flag) = nullptr;
  int (*next_record)(std::uint8_t* buffer, std::size_t valid_bytes, RecordHead** record) = nullptr;
  int (*dropped_records)(void* context, std::uint32_t stream, std::size_t* count) = nullptr;  ///< may be absent
  int (*result_string)(int result, const char** text) = nullptr;                              ///< may be absent
};

/// Finds libcupti and its functions: one that the process has already (PyTorch brings its own, and two in one process
/// would be rivals), then the path in KBV_CUPTI, then the usual names. Returns why it could not, or "".
std::string load_cupti(Cupti& cupti);

/// "cuptiActivityEnable: CUPTI_ERROR_X (15)", or "" for success.
std::string cupti_problem(const Cupti& cupti, const char* call, int result);

}  // namespace kbv::tracer
