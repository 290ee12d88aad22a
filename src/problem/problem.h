// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

namespace kbv {

/// Which problem, at which size.
struct ProblemSpec {
  std::string path;                              ///< as the user gave it
  std::string source;                            ///< frozen bytes
  std::string size;                              ///< an entry of the file's SIZES, or ""
  std::map<std::string, std::string> constants;  ///< module constants to set, value as JSON text
};

/// The four input distributions of the paper: name, and the factor on floating-point inputs.
struct Distribution {
  const char* name;
  double scale;
};
inline constexpr Distribution k_distributions[] = {{"D1", 1.0}, {"D2", 3.0}, {"D3", 0.01}, {"D4", -1.0}};

}  // namespace kbv
