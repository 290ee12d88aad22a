// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstring>

#include "os/process.h"

// The test binary is its own launcher.
int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "internal-launch") == 0) return kbv::run_launcher(argc - 1, argv + 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
