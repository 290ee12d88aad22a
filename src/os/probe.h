// SPDX-License-Identifier: MIT
#pragma once

namespace kbv {

/// The child's side of probe_isolation(): tries everything and writes what it found to stdout.
void run_probe();

}  // namespace kbv
