// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace kbv {

/// The time of day in UTC, ISO 8601: "2026-08-01T12:00:00Z".
std::string utc_now();

}  // namespace kbv
