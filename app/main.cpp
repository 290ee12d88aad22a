// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstring>

#include "cli/cli.h"
#include "cli/verbs.h"
#include "os/process.h"

int main(int argc, char** argv) {
  // The judge starts itself again to set a box up: see os/launcher.cpp.
  if (argc >= 2 && std::strcmp(argv[1], "internal-launch") == 0) return kbv::run_launcher(argc - 1, argv + 1);
  if (const auto hidden = kbv::hide_own_memory(); !hidden) {
    std::fprintf(stderr, "kbv: %s\n", hidden.error().message.c_str());
    return 3;  // the machine's fault
  }
  return kbv::run_cli(argc, argv);
}
