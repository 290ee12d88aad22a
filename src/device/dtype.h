// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kbv {

/// Element types that tensors can have, named as PyTorch names them.
enum class DType : std::uint8_t {
  float64,
  float32,
  float16,
  bfloat16,
  complex64,
  complex128,
  int64,
  int32,
  int16,
  int8,
  uint8,
  boolean,
};

/// From "float32", "int64", "bool", ...; nothing for a type that is not supported.
std::optional<DType> dtype_from_name(std::string_view name);
std::string_view dtype_name(DType dtype);
std::uint64_t dtype_bytes(DType dtype);
bool is_floating(DType dtype);  ///< complex counts as floating
bool is_complex(DType dtype);

}  // namespace kbv
