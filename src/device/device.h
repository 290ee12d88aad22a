// SPDX-License-Identifier: MIT
// One interface to the memory that judge and workers share: the host backend (memfd) and the CUDA backend (driver API
// by dlopen, so that one binary runs with and without a GPU).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "device/compare_stats.h"
#include "device/dtype.h"
#include "device/exact_stats.h"
#include "device/reorder.h"

namespace kbv {

/// Memory the judge owns. `address` is a device address on CUDA and a host address on the host backend.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::uint64_t address() const = 0;
  virtual std::uint64_t bytes() const = 0;         ///< as asked for
  virtual std::uint64_t mapped_bytes() const = 0;  ///< rounded up to the granularity; what an importer maps
  virtual int export_fd() const = 0;               ///< for SCM_RIGHTS; -1 for private memory
};

struct DeviceInfo {
  std::string backend;  ///< "host" or "cuda"
  std::string name;     ///< "NVIDIA H200", or the CPU's model name
  int index = 0;
  int compute_capability = 0;  ///< 90 for 9.0; 0 on the host
  int driver_version = 0;      ///< as cuDriverGetVersion tells it, 13000 for 13.0; 0 on the host
  std::uint64_t total_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::string uuid;
  std::string pci_bus_id;
};

/// One device. Calls are for one thread at a time, except memory_used_bytes(). Buffers may outlive it.
/// Errors are machine faults: "device_memory"; "device_lost", when this process can't use the GPU any more; "cuda" for
/// any other error of the driver's; "device_range", a caller's bug: beyond a buffer's end. No memory is touched then.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;

  /// Memory that a worker can map: memfd, or cuMemCreate with a POSIX descriptor. It starts as zeros, as private memory
  /// does, and its contents are destroyed with the Buffer, also for a worker that still maps it. Out of memory: fault
  /// machine, code "device_memory".
  virtual Result<std::unique_ptr<Buffer>> allocate_shared(std::uint64_t bytes) = 0;
  /// Memory that no other process can map.
  virtual Result<std::unique_ptr<Buffer>> allocate_private(std::uint64_t bytes) = 0;

  /// Starts a copy of `bytes` between two buffers' beginnings; ordered with the other operations; see sync().
  virtual Result<void> copy(Buffer& to, const Buffer& from, std::uint64_t bytes) = 0;
  /// Starts to fill the whole mapping with one byte, the padding up to mapped_bytes() included (0xFF makes every
  /// floating element a NaN).
  virtual Result<void> fill(Buffer& buffer, unsigned char byte) = 0;
  /// Starts to put elements of 1, 2, 4, 8 or 16 bytes into another order of memory. Both buffers hold at least as many elements as
  /// the plan has, and no element lies beyond them: otherwise "device_range".
  virtual Result<void> reorder(Buffer& to, const Buffer& from, std::uint64_t element_bytes, const Reorder& plan) = 0;
  /// Starts to move more than the last-level cache's size through it, so that what follows reads from memory.
  virtual Result<void> evict_cache() = 0;
  /// Returns when everything started is done.
  virtual Result<void> sync() = 0;

  /// Copies bytes out to, or in from, host memory, and waits.
  virtual Result<void> read(void* to, const Buffer& from, std::uint64_t offset, std::uint64_t bytes) = 0;
  virtual Result<void> write(Buffer& to, std::uint64_t offset, const void* from, std::uint64_t bytes) = 0;

  /// Compares `count` elements of two buffers on the device and waits for the result.
  virtual Result<CompareStats> compare(DType dtype, const Buffer& expected, const Buffer& got, std::uint64_t count) = 0;
  /// Compares `count` elements with a float64 oracle on the device and waits for the result. `exact` has `count`
  /// doubles (twice as many for complex). `rho` has one double, positive and finite, for each slice: slice i holds the
  /// real elements from i * slice_elements on, and the last one may be shorter. Another rho is "device_range" too.
  virtual Result<ExactStats> compare_exact(DType got, const Buffer& exact, const Buffer& rho, const Buffer& got_buffer,
                                           std::uint64_t count, std::uint64_t slice_elements) = 0;
  /// Whether the first `bytes` of two buffers are the same bits; waits. (Did a candidate write to its inputs?)
  virtual Result<bool> bytes_equal(const Buffer& a, const Buffer& b, std::uint64_t bytes) = 0;

  /// Device memory in use by all processes, now (CUDA: total minus free, some microseconds a reading). Host: 0.
  /// May be called from any thread.
  virtual Result<std::uint64_t> memory_used_bytes() = 0;
};

Result<std::unique_ptr<Device>> open_host_device();

/// Opens CUDA device `index`, counted as the driver counts under CUDA_VISIBLE_DEVICES. Fault machine, code "no_gpu",
/// where there is no driver or no such device.
Result<std::unique_ptr<Device>> open_cuda_device(int index);

/// The CUDA devices the driver shows, without making a context; empty, with the reason, where there is none.
struct CudaProbe {
  std::vector<DeviceInfo> devices;
  std::string reason;
};
CudaProbe probe_cuda();

/// The device nodes that a CUDA process may need, those that exist here: nvidiactl, nvidia-uvm, nvidia-uvm-tools, every
/// nvidiaN and nvidia-caps/*; on WSL dxg. (Which N is device `index` depends on more than the driver tells.)
std::vector<std::string> cuda_device_nodes();

}  // namespace kbv
