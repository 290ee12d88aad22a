// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kbv {

/// The whole file, at most `limit_bytes`; a usage error that names `what` and the path otherwise.
Result<std::string> read_file(const std::string& path, const std::string& what, std::uint64_t limit_bytes = 16u << 20);

/// Writes through a temporary file beside it and a rename, so that a reader never sees half of it.
Result<void> write_file(const std::string& path, std::string_view bytes);

/// The folder `name` ("suite", "zoo") that belongs to this binary: $KBV_DATA/name, else ../share/kbv/name beside it.
Result<std::string> data_path(const std::string& name);

/// Where this user's `name` is kept: $XDG_STATE_HOME/kbv/name, else ~/.local/state/kbv/name. Nothing is made.
std::string state_path(const std::string& name);

/// Reads a small kernel file such as /proc/self/status; empty where it can't be read.
std::string read_small(const std::string& path);

}  // namespace kbv
