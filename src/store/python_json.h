// SPDX-License-Identifier: MIT
// JSON as Python's json module writes it: with NaN, Infinity and -Infinity, which JSON itself has not.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kbv {

/// A value, and where it stands in its text.
struct PythonJson {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  std::string_view text;          ///< all of it, as it was written; a view of the text that was parsed
  bool truth = false;             ///< of a boolean
  double number = 0;              ///< of a number; infinite where it is larger than a double holds
  std::string string;             ///< of a string, decoded; half a surrogate pair becomes U+FFFD
  std::vector<std::string> keys;  ///< of an object, in their order: keys[i] names items[i]
  std::vector<PythonJson> items;  ///< of an array or object

  /// An object's value of that name, the last one if there are several (as Python takes it); else null.
  const PythonJson* find(std::string_view key) const;
  /// A key that an object has more than once.
  std::optional<std::string> repeated_key() const;
};

const char* to_string(PythonJson::Kind kind);  ///< "a list"

/// Bounds that no honest file of results comes near.
inline constexpr std::size_t k_python_json_bytes = 64u << 20;
inline constexpr std::size_t k_python_json_values = 1'000'000;
inline constexpr int k_python_json_depth = 64;

/// One value and nothing but white space around it; `text` must outlive it. A text that is not JSON, not UTF-8, or
/// beyond the bounds is a usage error "bad_json" that names `where` and the byte.
Result<PythonJson> parse_python_json(std::string_view text, const std::string& where);

}  // namespace kbv
