// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "device/cuda_context.h"

namespace kbv::cuda {

/// Kernels of ours on one device, compiled by the driver from a PTX text in this binary.
class KernelModule {
 public:
  /// `ptx` ends with a NUL, which an embedded file has after its bytes.
  static Result<std::unique_ptr<KernelModule>> load(const std::shared_ptr<DeviceContext>& context,
                                                    std::string_view ptx);
  ~KernelModule();
  KernelModule(const KernelModule&) = delete;
  KernelModule& operator=(const KernelModule&) = delete;

  /// Starts kernel `name` on the context's stream; `parameters` points to each parameter in turn.
  Result<void> launch(const char* name, unsigned blocks, unsigned block_threads, void** parameters) const;

 private:
  explicit KernelModule(std::shared_ptr<DeviceContext> context) : context_(std::move(context)) {}

  std::shared_ptr<DeviceContext> context_;
  Module module_ = nullptr;
};

}  // namespace kbv::cuda
