// SPDX-License-Identifier: MIT
// Where the CUDA or C++ source stands in a candidate, which is a Python file.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kbv {

/// The bytes between a string literal's quotes: offsets into the file.
struct PythonLiteral {
  std::size_t begin = 0, end = 0;
  bool raw = false;        ///< r"": a backslash stands for itself
  bool formatted = false;  ///< f"" or t"": braces are not the literal's own
};

/// Every string literal, in order; comments are passed over. One that does not end is left out, and so is what follows.
std::vector<PythonLiteral> python_literals(std::string_view file);

/// Those that hold CUDA or C++ whose bytes are what the compiler sees: with a body in braces and a statement in it, not
/// formatted, and raw where there is a backslash. A declaration alone, such as cpp_sources often is, has no body.
std::vector<PythonLiteral> cxx_literals(std::string_view file);

}  // namespace kbv
