// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "device/cuda_context.h"
#include "device/cuda_module.h"

namespace kbv::cuda {

/// The kernels of compare_kernels.cu on one device.
class CompareKernels {
 public:
  static Result<std::unique_ptr<CompareKernels>> load(const std::shared_ptr<DeviceContext>& context);

  Result<CompareStats> compare(DType dtype, const Buffer& expected, const Buffer& got, std::uint64_t count);
  Result<bool> bytes_equal(const Buffer& a, const Buffer& b, std::uint64_t bytes);

 private:
  explicit CompareKernels(std::shared_ptr<DeviceContext> context) : context_(std::move(context)) {}

  Result<void> run(const char* name, unsigned blocks, const Buffer& a, const Buffer& b, std::uint64_t count);
  unsigned blocks_for(std::uint64_t bytes) const;

  std::shared_ptr<DeviceContext> context_;
  std::unique_ptr<KernelModule> module_;
  std::unique_ptr<Buffer> results_;  ///< one partial result a block, or one flag
};

}  // namespace kbv::cuda
