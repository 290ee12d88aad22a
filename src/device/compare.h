// SPDX-License-Identifier: MIT
// What both backends' compare() share around compare_core.h. Private to this layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/result.h"
#include "device/compare_core.h"
#include "device/compare_stats.h"
#include "device/device.h"
#include "device/dtype.h"

namespace kbv {

/// A complex element is two real ones, which lie one after the other.
struct RealElements {
  DType dtype;          ///< never complex
  std::uint64_t count;  ///< of real elements
  std::uint64_t bytes;  ///< of one
};
RealElements real_elements(DType dtype, std::uint64_t count);

/// Calls visit(compare_core::X()) for a real dtype's X; a default result for a complex one.
template <typename Visit>
auto with_element(DType real_dtype, Visit visit) {
  using namespace compare_core;
  switch (real_dtype) {
    case DType::float64:
      return visit(Float64());
    case DType::float32:
      return visit(Float32());
    case DType::float16:
      return visit(Float16());
    case DType::bfloat16:
      return visit(BFloat16());
    case DType::int64:
      return visit(Int64());
    case DType::int32:
      return visit(Int32());
    case DType::int16:
      return visit(Int16());
    case DType::int8:
      return visit(Int8());
    case DType::uint8:
      return visit(UInt8());
    case DType::boolean:
      return visit(Boolean());
    case DType::complex64:
    case DType::complex128:
      break;
  }
  return decltype(visit(Float64()))();
}

/// An element's value as the comparison sees it.
double element_value(DType real_dtype, const void* element);

/// Folds partial results in the order given, which makes the sums reproducible, and looks up the worst element through
/// `read_element(buffer, index)`.
Result<CompareStats> finish_compare(const RealElements& elements, const compare_core::Partial* partials, std::size_t n,
                                    const std::function<Result<double>(bool got, std::uint64_t index)>& read_element);

/// How many elements a plan that check_reorder() accepts has.
std::uint64_t reordered_elements(const Reorder& plan);

/// Bounds of the operations, in one place for both backends. A violation is a bug of the caller's.
Result<void> check_range(const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, const char* operation);
Result<void> check_reorder(const Buffer& to, const Buffer& from, std::uint64_t element_bytes, const Reorder& plan);
Result<void> check_elements(DType dtype, const Buffer& expected, const Buffer& got, std::uint64_t count);

}  // namespace kbv
