// SPDX-License-Identifier: MIT
#include "device/exact.h"

#include <algorithm>
#include <string>

namespace kbv {
namespace {

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace

Result<void> check_exact(DType dtype, const Buffer& exact, const Buffer& rho, const Buffer& got, std::uint64_t count,
                         std::uint64_t slice_elements) {
  if (count == 0) return {};
  const std::uint64_t reals = real_elements(dtype, 1).count;
  const bool fits = count <= got.bytes() / dtype_bytes(dtype) && count <= exact.bytes() / sizeof(double) / reals &&
                    slice_elements != 0 && divide_up(count * reals, slice_elements) <= rho.bytes() / sizeof(double);
  if (fits) return {};
  return fail(Fault::machine, "device_range",
              "compare_exact: " + std::to_string(count) + " elements of " + std::string(dtype_name(dtype)) +
                  " in slices of " + std::to_string(slice_elements) + ", in buffers of " + std::to_string(got.bytes()) +
                  " bytes, " + std::to_string(exact.bytes()) + " (oracle) and " + std::to_string(rho.bytes()) +
                  " (rho)");
}

exact_core::Split split_slices(std::uint64_t elements, std::uint64_t slice_elements, std::uint64_t part_limit) {
  exact_core::Split split{};
  split.elements = elements;
  split.slice_elements = std::min(slice_elements, elements);  // so that no sum of these overflows
  split.slices = divide_up(elements, split.slice_elements);
  split.parts = divide_up(split.slice_elements, part_limit);
  split.part_elements = split.slice_elements;
  if (split.parts > 1) {
    // Of one size, so that none is a remnant, and in whole lines of memory.
    constexpr std::uint64_t k_line = 128;
    split.part_elements = divide_up(divide_up(split.slice_elements, split.parts), k_line) * k_line;
    split.parts = divide_up(split.slice_elements, split.part_elements);
  }
  return split;
}

Result<ExactStats> finish_exact(const exact_core::Split& split, const std::vector<exact_core::Partial>& partials,
                                const double* sums, const double* rho,
                                const std::function<Result<double>(bool of_got, std::uint64_t index)>& read_element) {
  exact_core::Partial total = exact_core::empty_partial();
  for (const exact_core::Partial& partial : partials) exact_core::merge(total, partial);
  if (total.bad_slice != exact_core::k_none)
    return fail(Fault::machine, "device_range",
                "compare_exact: the rho of slice " + std::to_string(total.bad_slice) + " is not positive and finite");
  if (split.parts > 1) {
    for (std::uint64_t slice = 0; slice < split.slices; ++slice) {
      double sum = 0;
      for (std::uint64_t part = 0; part < split.parts; ++part) sum += sums[slice * split.parts + part];
      const std::uint64_t size = exact_core::item_at(split, slice * split.parts).slice_size;
      exact_core::raise(total.e_rms, total.rms_slice, exact_core::rms_error(sum, size, rho[slice]), slice);
    }
  }

  ExactStats stats;
  stats.count = split.elements;
  stats.free = total.free;
  stats.nonfinite = total.nonfinite;
  stats.unequal = total.unequal;
  stats.e_max = total.e_max;
  stats.e_rms = total.e_rms;
  stats.sum_sq_diff = total.sum_sq_diff;
  if (total.nonfinite != 0)
    stats.worst_index = total.first_nonfinite;
  else if (total.e_index != exact_core::k_none)
    stats.worst_index = total.e_index;
  if (total.rms_slice != exact_core::k_none) stats.worst_slice = total.rms_slice;
  KBV_TRY_ASSIGN(stats.worst_expected, read_element(false, stats.worst_index));
  KBV_TRY_ASSIGN(stats.worst_got, read_element(true, stats.worst_index));
  return stats;
}

}  // namespace kbv
