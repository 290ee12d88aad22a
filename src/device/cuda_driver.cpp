// SPDX-License-Identifier: MIT
#include "device/cuda_driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <string>

namespace kbv::cuda {
namespace {

struct Loaded {
  Api api;
  std::string problem;  ///< empty where the driver is usable
};

template <typename F>
void look_up(void* library, const char* name, F& function, std::string& problem) {
  function = reinterpret_cast<F>(::dlsym(library, name));
  if (function == nullptr && problem.empty())
    problem =
        std::string("the NVIDIA driver is too old: libcuda.so.1 has no ") + name + " (CUDA 11.4 or later is needed)";
}

Loaded load() {
  Loaded loaded;
  // The driver keeps what it compiles from PTX in a folder of the user's, and trusts what it finds there. A candidate
  // that once got to write there could exchange the kernels that judge it: this process does without that cache. Set
  // before the library is loaded, since it is not told when the driver reads it.
  ::setenv("CUDA_CACHE_DISABLE", "1", 1);
  // Never closed: the driver starts threads and registers exit handlers of its own.
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    loaded.problem = std::string("no NVIDIA driver here: ") + (reason != nullptr ? reason : "libcuda.so.1 not found");
    return loaded;
  }
#define KBV_LOOK_UP(member, name, version, parameters) \
  look_up(library, #name #version, loaded.api.member, loaded.problem);
  KBV_CUDA_FUNCTIONS(KBV_LOOK_UP)
#undef KBV_LOOK_UP
  return loaded;
}

/// After one of these every later call on the context fails too.
bool loses_device(Status status) {
  switch (status) {
    case 4:    // DEINITIALIZED
    case 46:   // DEVICE_UNAVAILABLE
    case 201:  // INVALID_CONTEXT
    case 214:  // ECC_UNCORRECTABLE
    case 220:  // NVLINK_UNCORRECTABLE
    case 226:  // CONTAINED
    case 700:  // ILLEGAL_ADDRESS
    case 702:  // LAUNCH_TIMEOUT
    case 709:  // CONTEXT_IS_DESTROYED
    case 710:  // ASSERT
    case 714:  // HARDWARE_STACK_ERROR
    case 715:  // ILLEGAL_INSTRUCTION
    case 716:  // MISALIGNED_ADDRESS
    case 717:  // INVALID_ADDRESS_SPACE
    case 718:  // INVALID_PC
    case 719:  // LAUNCH_FAILED
    case 810:  // MPS_CLIENT_TERMINATED
    case 999:  // UNKNOWN
      return true;
    default:
      return false;
  }
}

const char* code_of(Status status) {
  if (status == k_out_of_memory) return "device_memory";
  if (status == k_no_device || status == k_invalid_device) return "no_gpu";
  return loses_device(status) ? "device_lost" : "cuda";
}

}  // namespace

Result<const Api*> driver() {
  static const Loaded loaded = load();
  if (!loaded.problem.empty()) return fail(Fault::machine, "no_gpu", loaded.problem);
  static std::once_flag once;
  static Status initialised = k_success;
  std::call_once(once, [] { initialised = loaded.api.init(0); });
  if (initialised != k_success) {
    std::string message = "the NVIDIA driver does not start: " + error_text(loaded.api, initialised);
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"))
      message += std::string(" (CUDA_VISIBLE_DEVICES is \"") + visible + "\")";
    return fail(Fault::machine, "no_gpu", message);
  }
  return &loaded.api;
}

std::string error_text(const Api& api, Status status) {
  const char* text = nullptr;
  if (api.error_string == nullptr || api.error_string(status, &text) != k_success || text == nullptr)
    return "CUDA error " + std::to_string(status);
  return std::string(text) + " (CUDA error " + std::to_string(status) + ")";
}

tl::unexpected<Error> fail_cuda(const Api& api, Status status, const std::string& what) {
  return fail(Fault::machine, code_of(status), what + ": " + error_text(api, status));
}

}  // namespace kbv::cuda
