// SPDX-License-Identifier: MIT
#pragma once

namespace kbv {
inline constexpr const char* k_version = "0.1.0";
}
