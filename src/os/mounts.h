// SPDX-License-Identifier: MIT
// Mount primitives. All paths are as the calling process sees them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace kbv {

/// mkdir -p, mode 0755.
Result<void> make_folders(const std::string& path);

/// An empty file, for a bind to cover; parents are made.
Result<void> make_file(const std::string& path);

/// A file with these bytes and mode; parents are made. Never follows a link, never overwrites.
Result<void> write_new_file(const std::string& path, const std::string& bytes, mode_t mode);

/// A tmpfs of at most `bytes` at `path`, which is made if it doesn't exist. No set-uid, no devices.
Result<void> mount_tmpfs(const std::string& path, std::uint64_t bytes, mode_t mode);

enum class Access { read_only, read_write, device };

/// Shows `source` with all that is mounted below it at `target`, which is made if it doesn't exist.
Result<void> bind_mount(const std::string& source, const std::string& target, Access access);

/// Makes the one mount at `path` read-only.
Result<void> make_read_only(const std::string& path);

/// Makes `new_root` this mount namespace's root; the old one appears at `put_old` (both as paths before the change).
Result<void> pivot(const std::string& new_root, const std::string& put_old);

}  // namespace kbv
