// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "device/cuda_context.h"

namespace kbv::cuda {

/// The kernels of compare_kernels.cu on one device, compiled by the driver from the PTX in this binary.
class CompareKernels {
 public:
  static Result<std::unique_ptr<CompareKernels>> load(const std::shared_ptr<DeviceContext>& context);
  ~CompareKernels();
  CompareKernels(const CompareKernels&) = delete;
  CompareKernels& operator=(const CompareKernels&) = delete;

  Result<CompareStats> compare(DType dtype, const Buffer& expected, const Buffer& got, std::uint64_t count);
  Result<bool> bytes_equal(const Buffer& a, const Buffer& b, std::uint64_t bytes);

 private:
  explicit CompareKernels(std::shared_ptr<DeviceContext> context) : context_(std::move(context)) {}

  Result<void> run(const char* name, unsigned blocks, const Buffer& a, const Buffer& b, std::uint64_t count);
  unsigned blocks_for(std::uint64_t bytes) const;

  std::shared_ptr<DeviceContext> context_;
  Module module_ = nullptr;
  std::unique_ptr<Buffer> results_;  ///< one partial result a block, or one flag
};

}  // namespace kbv::cuda
