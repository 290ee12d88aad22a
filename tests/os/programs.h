// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace kbv {

/// What the tests run in boxes: "os_test program <name> ...".
int run_test_program(int argc, char** argv);

// calls_program.cpp; each line of output is "call errno", or "call done".
int make_refused_calls();
int write_outside(const std::string& path);

}  // namespace kbv
