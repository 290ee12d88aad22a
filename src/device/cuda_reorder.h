// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "device/cuda_module.h"
#include "device/device.h"

namespace kbv::cuda {

/// Device::reorder() on one device.
class ReorderKernels {
 public:
  static Result<std::unique_ptr<ReorderKernels>> load(const std::shared_ptr<DeviceContext>& context);

  /// Starts it, of buffers that check_reorder() accepts.
  Result<void> reorder(Buffer& to, const Buffer& from, std::uint64_t element_bytes, const Reorder& plan) const;

 private:
  explicit ReorderKernels(std::shared_ptr<DeviceContext> context) : context_(std::move(context)) {}

  std::shared_ptr<DeviceContext> context_;
  std::unique_ptr<KernelModule> module_;
};

}  // namespace kbv::cuda
