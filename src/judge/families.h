// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace kbv {

/// The families of inputs beyond a problem's own draw, see src/worker/families.py; those that find most come first.
inline constexpr const char* k_families[] = {"S1", "S10", "S3", "S4",      "S6", "S11", "S5",    "S7",
                                             "S8", "S9",  "S2", "S3-rows", "X2", "X1",  "S2-far"};

/// A way to change parameters, see src/worker/vary.py, and the families of inputs under which it is tried.
struct ParameterChange {
  const char* name;
  std::vector<const char*> families;
  /// What the reference's listing of its parameters must tell of the model, as a number other than 0; empty: nothing.
  const char* needs = "";
};
/// P1: everything varied; PI: whole numbers, with which products are exact; P+, P-: biases far up and far down besides,
/// so that what is cut off at a bound comes to light; PB: what products give is made of one size, so that the first layers of a deep
/// model still tell, only for models that have such products; PR: biases shifted so far that an activation that idles under all
/// others does something, see src/worker/reach.py. Only for models that have such an activation.
inline const std::array k_parameter_changes{ParameterChange{"P1", {"S1", "S10"}}, ParameterChange{"PI", {"S7"}},
                                            ParameterChange{"P+", {"S1"}}, ParameterChange{"P-", {"S1"}},
                                            ParameterChange{"PB", {"S1"}, "products"}, ParameterChange{"PR", {"S1"}, "reach"}};

inline constexpr std::uint64_t k_most_varied_bytes = 4ull
                                                     << 30;  ///< of parameters; an evaluation holds four copies of them

}  // namespace kbv
