// SPDX-License-Identifier: MIT
#include <cstring>

#include "cli/cli.h"
#include "os/process.h"

int main(int argc, char** argv) {
  // The judge starts itself again to set a box up: see os/launcher.cpp.
  if (argc >= 2 && std::strcmp(argv[1], "internal-launch") == 0) return kbv::run_launcher(argc - 1, argv + 1);
  return kbv::run_cli(argc, argv);
}
