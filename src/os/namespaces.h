// SPDX-License-Identifier: MIT
// Namespaces: new ones for a child, and the maps of a user namespace.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kbv {

/// Writes a file of /proc or of the cgroups, whole and at once. Error: errno's, with the path.
Result<void> write_kernel_file(const std::string& path, std::string_view text);

/// fork() into new namespaces (CLONE_NEW* flags). 0 in the child.
Result<pid_t> fork_into(std::uint64_t flags);

/// Fills the maps of `child`'s user namespace: each id to itself. Without privilege only the own id can be mapped, and
/// the namespace loses setgroups().
Result<void> map_ids(pid_t child, const std::vector<uid_t>& uids, const std::vector<gid_t>& gids, bool privileged);

/// A uid (and gid of the same number) that no user and no other box of this machine has; 0 if none is mapped here.
uid_t pick_box_uid();

/// No process of this user namespace can make another one, in which it would hold all capabilities again.
Result<void> forbid_user_namespaces();

}  // namespace kbv
