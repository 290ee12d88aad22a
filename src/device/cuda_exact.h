// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "device/cuda_context.h"
#include "device/cuda_module.h"

namespace kbv::cuda {

/// The kernels of exact_kernels.cu on one device.
class ExactKernels {
 public:
  static Result<std::unique_ptr<ExactKernels>> load(const std::shared_ptr<DeviceContext>& context);

  /// Of buffers that check_exact() accepts.
  Result<ExactStats> compare(DType dtype, const Buffer& exact, const Buffer& rho, const Buffer& got,
                             std::uint64_t count, std::uint64_t slice_elements);

 private:
  explicit ExactKernels(std::shared_ptr<DeviceContext> context) : context_(std::move(context)) {}

  Result<void> read(void* to, DevicePointer from, std::uint64_t bytes) const;

  std::shared_ptr<DeviceContext> context_;
  std::unique_ptr<KernelModule> module_;
  std::unique_ptr<Buffer> results_;  ///< one partial result a block, then one sum an item where slices have parts
};

}  // namespace kbv::cuda
