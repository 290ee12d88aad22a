// SPDX-License-Identifier: MIT
#include "more_calls.h"

#include <dlfcn.h>

namespace kbv::cuda::probes {

Result<const MoreApi*> more_calls() {
  static MoreApi api;
  static std::string missing;
  static const bool looked_up = [] {
    void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return missing = "libcuda.so.1", true;
#define KBV_LOOK_UP(member, name, version, parameters)                                   \
  api.member = reinterpret_cast<decltype(api.member)>(::dlsym(library, #name #version)); \
  if (api.member == nullptr) missing = #name #version;
    KBV_PROBE_FUNCTIONS(KBV_LOOK_UP)
#undef KBV_LOOK_UP
    return true;
  }();
  if (!looked_up || !missing.empty()) return fail(Fault::machine, "no_gpu", "the NVIDIA driver has no " + missing);
  return &api;
}

}  // namespace kbv::cuda::probes
