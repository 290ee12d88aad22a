// SPDX-License-Identifier: MIT
#include "device/compare.h"

#include <cstring>
#include <string>

namespace kbv {
namespace {

template <typename Element>
double value_at(const void* element) {
  typename Element::Stored stored;
  std::memcpy(&stored, element, sizeof stored);
  return Element::value(stored);
}

}  // namespace

RealElements real_elements(DType dtype, std::uint64_t count) {
  if (dtype == DType::complex64) return {DType::float32, 2 * count, 4};
  if (dtype == DType::complex128) return {DType::float64, 2 * count, 8};
  return {dtype, count, dtype_bytes(dtype)};
}

double element_value(DType real_dtype, const void* element) {
  return with_element(real_dtype, [&](auto type) { return value_at<decltype(type)>(element); });
}

Result<CompareStats> finish_compare(const RealElements& elements, const compare_core::Partial* partials, std::size_t n,
                                    const std::function<Result<double>(bool got, std::uint64_t index)>& read_element) {
  compare_core::Partial total = compare_core::empty_partial();
  for (std::size_t i = 0; i < n; ++i) compare_core::merge(total, partials[i]);

  CompareStats stats;
  stats.count = elements.count;
  stats.nonfinite = total.nonfinite;
  stats.unequal = total.unequal;
  stats.max_abs = total.max_abs;
  stats.sum_abs = total.sum_abs;
  stats.sum_sq_diff = total.sum_sq_diff;
  stats.sum_sq_expected = total.sum_sq_expected;
  stats.tau = total.tau;
  if (elements.count == 0) return stats;
  if (total.nonfinite != 0)
    stats.worst_index = total.first_nonfinite;
  else if (total.tau_index != compare_core::k_none)
    stats.worst_index = total.tau_index;
  KBV_TRY_ASSIGN(stats.worst_expected, read_element(false, stats.worst_index));
  KBV_TRY_ASSIGN(stats.worst_got, read_element(true, stats.worst_index));
  return stats;
}

Result<void> check_range(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, const char* operation) {
  if (offset <= buffer.bytes() && bytes <= buffer.bytes() - offset) return {};
  return fail(Fault::machine, "device_range",
              std::string(operation) + ": " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) +
                  " of a buffer of " + std::to_string(buffer.bytes()));
}

Result<void> check_elements(DType dtype, const Buffer& expected, const Buffer& got, std::uint64_t count) {
  const std::uint64_t size = dtype_bytes(dtype);
  if (count <= expected.bytes() / size && count <= got.bytes() / size) return {};
  return fail(Fault::machine, "device_range",
              "compare: " + std::to_string(count) + " elements of " + std::string(dtype_name(dtype)) +
                  " in buffers of " + std::to_string(expected.bytes()) + " and " + std::to_string(got.bytes()) +
                  " bytes");
}

std::uint64_t reordered_elements(const Reorder& plan) {
  std::uint64_t count = 1;
  for (unsigned d = 0; d < plan.dims; ++d) count *= plan.extent[d];
  return count;
}

Result<void> check_reorder(const Buffer& to, const Buffer& from, std::uint64_t element_bytes, const Reorder& plan) {
  const auto refuse = [](const char* what) { return fail(Fault::machine, "device_range", std::string("reorder: ") + what); };
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
    return refuse("an element of another size");
  if (plan.dims > Reorder::k_max_dims) return refuse("too many dimensions");
  const std::uint64_t fits_to = to.bytes() / element_bytes;
  const std::uint64_t fits_from = from.bytes() / element_bytes;
  std::uint64_t count = 1;
  std::uint64_t last = 0;
  for (unsigned d = 0; d < plan.dims; ++d)
    if (plan.extent[d] == 0) return {};
  for (unsigned d = 0; d < plan.dims; ++d) {
    if (plan.extent[d] > fits_to / count) return refuse("beyond the end of its result");
    count *= plan.extent[d];
    if (plan.extent[d] > 1 && plan.from_stride[d] > (fits_from - std::min(last, fits_from)) / (plan.extent[d] - 1))
      return refuse("beyond the end of its source");
    last += (plan.extent[d] - 1) * plan.from_stride[d];
  }
  return count <= fits_to && last < fits_from ? Result<void>() : refuse("beyond the end");
}

}  // namespace kbv
