// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "liar.h"
#include "os/process.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "internal-launch") == 0) return kbv::run_launcher(argc - 1, argv + 1);
  // As Python it is started by a link whose name says how it shall misbehave.
  const std::string name = argv[0];
  if (const auto at = name.find("/liar-"); at != std::string::npos) return kbv::test::lie(name.substr(at + 6));
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
