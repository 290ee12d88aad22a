// SPDX-License-Identifier: MIT
#pragma once

namespace kbv {

/// Parses the command line and runs the verb; the process's exit code (ExitCode in verbs.h).
int run_cli(int argc, char** argv);

}  // namespace kbv
