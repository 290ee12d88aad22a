// SPDX-License-Identifier: MIT
// The box's own folder, {box}: tmp, home, build and the injected files.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "os/process.h"

namespace kbv {

/// A relative path of plain components: nothing that could leave the box.
Result<void> check_file_name(const std::string& name);

/// Writes the files below `folder`. `owner` (0: the caller) gets the writable ones.
Result<void> write_files(const std::string& folder, const std::vector<InjectedFile>& files, uid_t owner);

/// A new folder below $TMPDIR with tmp, home and build, for a box that sees the host's files.
Result<std::string> make_host_folder(const LaunchSpec& spec, uid_t owner);

/// Removes `folder` with all that is in it, whatever a hostile program left there: links, closed or very deep folders.
void remove_folder(const std::string& folder);

}  // namespace kbv
