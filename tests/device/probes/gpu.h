// SPDX-License-Identifier: MIT
// A context with the probes' kernels: what the probes' workers, and the judge's side where Device is too little, work
// with.
#pragma once

#include <memory>
#include <vector>

#include "device/cuda_buffer.h"
#include "device/cuda_module.h"
#include "more_calls.h"

namespace kbv::cuda::probes {

class Gpu {
 public:
  static Result<std::unique_ptr<Gpu>> open();

  const Api& api() const { return context_->api(); }
  const MoreApi& more() const { return *more_; }
  const DeviceContext& context() const { return *context_; }

  Result<void> spin(unsigned long long ns, unsigned blocks) const;  ///< starts it, and does not wait
  /// The device's time, and its step to the next one. [ns]
  struct Time {
    unsigned long long now, step;
  };
  Result<Time> time() const;
  Result<void> read(DevicePointer data, std::uint64_t bytes) const;  ///< into the L2 cache
  /// Nanoseconds for a step of a chain of lines.
  Result<double> chase(DevicePointer chain, unsigned steps) const;
  struct Counted {
    unsigned long long same = 0, set = 0;  ///< words that are the pattern; that are not zero
  };
  Result<Counted> count(DevicePointer data, std::uint64_t bytes, unsigned pattern) const;

 private:
  Gpu() = default;
  Result<std::vector<unsigned long long>> results() const;

  std::shared_ptr<DeviceContext> context_;
  std::unique_ptr<KernelModule> kernels_;
  std::unique_ptr<Buffer> out_;
  const MoreApi* more_ = nullptr;
};

}  // namespace kbv::cuda::probes
