// SPDX-License-Identifier: MIT
#include "device/cuda_reorder.h"

#include <algorithm>
#include <string>

#include "device/compare.h"

namespace kbv {

extern const std::string_view reorder_kernels_ptx;  // by kbv_embed

namespace cuda {
namespace {

constexpr unsigned k_block_threads = 256;  // as in reorder_kernels.cu
constexpr unsigned k_blocks_per_multiprocessor = 8;

}  // namespace

Result<std::unique_ptr<ReorderKernels>> ReorderKernels::load(const std::shared_ptr<DeviceContext>& context) {
  std::unique_ptr<ReorderKernels> self(new ReorderKernels(context));
  KBV_TRY_ASSIGN(self->module_, KernelModule::load(context, reorder_kernels_ptx));
  return self;
}

Result<void> ReorderKernels::reorder(Buffer& to, const Buffer& from, std::uint64_t element_bytes,
                                     const Reorder& plan) const {
  unsigned long long count = reordered_elements(plan);
  if (count == 0) return {};
  DevicePointer from_address = from.address();
  DevicePointer to_address = to.address();
  Reorder copy = plan;
  void* parameters[] = {&from_address, &to_address, &copy, &count};
  const auto most = k_blocks_per_multiprocessor * static_cast<unsigned long long>(context_->multiprocessors());
  const auto blocks = static_cast<unsigned>(std::clamp((count - 1) / k_block_threads + 1, 1ull, std::max(most, 1ull)));
  const std::string kernel = "kbv_reorder_" + std::to_string(element_bytes);
  return module_->launch(kernel.c_str(), blocks, k_block_threads, parameters);
}

}  // namespace cuda
}  // namespace kbv
