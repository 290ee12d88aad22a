// SPDX-License-Identifier: MIT
#pragma once

namespace kbv {

/// What the tests run in boxes: "os_test program <name> ...".
int run_test_program(int argc, char** argv);

}  // namespace kbv
