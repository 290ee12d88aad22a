// SPDX-License-Identifier: MIT
#include "device/dtype.h"

#include <array>

namespace kbv {
namespace {

struct Entry {
  DType dtype;
  std::string_view name;
  std::uint64_t bytes;
  bool floating;
};

constexpr std::array<Entry, 12> k_dtypes{{
    {DType::float64, "float64", 8, true},
    {DType::float32, "float32", 4, true},
    {DType::float16, "float16", 2, true},
    {DType::bfloat16, "bfloat16", 2, true},
    {DType::complex64, "complex64", 8, true},
    {DType::complex128, "complex128", 16, true},
    {DType::int64, "int64", 8, false},
    {DType::int32, "int32", 4, false},
    {DType::int16, "int16", 2, false},
    {DType::int8, "int8", 1, false},
    {DType::uint8, "uint8", 1, false},
    {DType::boolean, "bool", 1, false},
}};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < k_dtypes.size(); ++i)
    if (static_cast<std::size_t>(k_dtypes[i].dtype) != i) return false;
  return true;
}
static_assert(in_enum_order(), "k_dtypes is indexed by the enumerator");

const Entry& entry(DType dtype) { return k_dtypes[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Entry& e : k_dtypes)
    if (e.name == name) return e.dtype;
  return std::nullopt;
}

std::string_view dtype_name(DType dtype) { return entry(dtype).name; }
std::uint64_t dtype_bytes(DType dtype) { return entry(dtype).bytes; }
bool is_complex(DType dtype) { return dtype == DType::complex64 || dtype == DType::complex128; }

bool is_floating(DType dtype) { return entry(dtype).floating; }

}  // namespace kbv
