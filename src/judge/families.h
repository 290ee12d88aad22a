// SPDX-License-Identifier: MIT
#pragma once

namespace kbv {

/// The families of inputs beyond a problem's own draw, see src/worker/families.py; those that find most come first.
inline constexpr const char* k_families[] = {"S1", "S10", "S3", "S4",      "S6", "S11", "S5",    "S7",
                                             "S8", "S9",  "S2", "S3-rows", "X2", "X1",  "S2-far"};

}  // namespace kbv
