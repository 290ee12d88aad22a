// SPDX-License-Identifier: MIT
#include "device/cuda_exact.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "device/cuda_buffer.h"
#include "device/exact.h"

namespace kbv {

extern const std::string_view exact_kernels_ptx;  // by kbv_embed

namespace cuda {
namespace {

// As in exact_kernels.cu.
constexpr unsigned k_block_threads = 256;
constexpr unsigned k_blocks_per_multiprocessor = 4;
constexpr unsigned k_warp_threads = 32;
constexpr unsigned k_batch = 8;

constexpr unsigned k_max_blocks = 1024;
// Longer slices go to whole blocks.
constexpr std::uint64_t k_warp_elements = 4096;
// Slices are cut into parts where there would be fewer of them than this, which keeps many blocks evenly busy.
constexpr std::uint64_t k_parts = 16384;
// With parts of at least elements / k_parts, each slice longer than one of them: there are at most k_parts slices, and
// parts are k_parts for the elements, one more for each slice, and one for each whole part that the last slice lacks.
constexpr std::uint64_t k_max_items = 3 * k_parts + 1;
constexpr std::uint64_t k_partials_bytes = k_max_blocks * sizeof(exact_core::Partial);

/// How many threads share a slice or a part of one. Few enough to have loads to wait for together, yet with neighbours.
unsigned team_threads(const exact_core::Split& split, unsigned resident_blocks) {
  const std::uint64_t size = split.slice_elements;
  const bool too_few = split.slices <= resident_blocks && size > k_warp_threads * k_batch;
  if (size > k_warp_elements || too_few) return k_block_threads;
  const auto wanted = std::max<std::uint64_t>((size + k_batch - 1) / k_batch, std::min<std::uint64_t>(size, 4));
  return static_cast<unsigned>(std::min<std::uint64_t>(std::bit_ceil(wanted), k_warp_threads));
}

}  // namespace

Result<std::unique_ptr<ExactKernels>> ExactKernels::load(const std::shared_ptr<DeviceContext>& context) {
  std::unique_ptr<ExactKernels> self(new ExactKernels(context));
  KBV_TRY_ASSIGN(self->module_, KernelModule::load(context, exact_kernels_ptx));
  KBV_TRY_ASSIGN(self->results_, allocate(context, k_partials_bytes + k_max_items * sizeof(double), Sharing::none));
  return self;
}

Result<void> ExactKernels::read(void* to, DevicePointer from, std::uint64_t bytes) const {
  KBV_TRY(
      context_->check(context_->api().copy_device_to_host(to, from, bytes, context_->stream()), "cuMemcpyDtoHAsync"));
  return context_->sync();
}

Result<ExactStats> ExactKernels::compare(DType dtype, const Buffer& exact, const Buffer& rho, const Buffer& got,
                                         std::uint64_t count, std::uint64_t slice_elements) {
  if (count == 0) return ExactStats{};
  const RealElements elements = real_elements(dtype, count);
  exact_core::Split split =
      split_slices(elements.count, slice_elements, std::max(k_warp_elements, (elements.count - 1) / k_parts + 1));
  const unsigned resident =
      std::clamp(k_blocks_per_multiprocessor * static_cast<unsigned>(context_->multiprocessors()), 1u, k_max_blocks);
  unsigned team = team_threads(split, resident);
  const unsigned teams = k_block_threads / team;
  const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>((items(split) - 1) / teams + 1, resident));

  DevicePointer exact_address = exact.address();
  DevicePointer rho_address = rho.address();
  DevicePointer got_address = got.address();
  DevicePointer results = results_->address();
  DevicePointer sums_address = results + k_partials_bytes;
  void* parameters[] = {&exact_address, &rho_address, &got_address, &split, &team, &results, &sums_address};
  const std::string kernel = "kbv_exact_" + std::string(dtype_name(elements.dtype));
  KBV_TRY(module_->launch(kernel.c_str(), blocks, k_block_threads, parameters));

  std::vector<exact_core::Partial> partials(blocks);
  KBV_TRY(read(partials.data(), results, blocks * sizeof(exact_core::Partial)));
  std::vector<double> sums;
  std::vector<double> rhos;
  if (split.parts > 1) {
    sums.resize(items(split));
    rhos.resize(split.slices);
    KBV_TRY(read(sums.data(), sums_address, sums.size() * sizeof(double)));
    KBV_TRY(read(rhos.data(), rho_address, rhos.size() * sizeof(double)));
  }
  return finish_exact(split, partials, sums.data(), rhos.data(),
                      [&](bool of_got, std::uint64_t index) -> Result<double> {
                        const DType read_dtype = of_got ? elements.dtype : DType::float64;
                        const std::uint64_t bytes = dtype_bytes(read_dtype);
                        unsigned char element[8] = {};
                        KBV_TRY(read(element, (of_got ? got_address : exact_address) + index * bytes, bytes));
                        return element_value(read_dtype, element);
                      });
}

}  // namespace cuda
}  // namespace kbv
