// SPDX-License-Identifier: MIT
#include "tracer/cupti_api.h"

#include <dlfcn.h>

#include <cstdlib>

namespace kbv::tracer {

namespace {

constexpr const char* k_sonames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.0", "libcupti.so"};

void* open_library() {
  for (const char* name : k_sonames)
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return library;
  if (const char* path = std::getenv("KBV_CUPTI"); path && *path)
    if (void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  for (const char* name : k_sonames)
    if (void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

template <typename Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

std::string load_cupti(Cupti& cupti) {
  cupti = {};
  Cupti found;
  found.library = open_library();
  if (!found.library) return "no libcupti in this process, at KBV_CUPTI or on the library path";
  const char* missing = nullptr;
  const auto need = [&](const char* name, auto& function) {
    if (!find(found.library, name, function)) missing = name;
  };
  need("cuptiGetVersion", found.get_version);
  need("cuptiActivityRegisterCallbacks", found.register_callbacks);
  need("cuptiActivityEnable", found.enable);
  need("cuptiActivityDisable", found.disable);
  need("cuptiActivityFlushAll", found.flush_all);
  need("cuptiActivityGetNextRecord", found.next_record);
  if (missing) return std::string("this libcupti has no ") + missing;
  find(found.library, "cuptiActivityGetNumDroppedRecords", found.dropped_records);
  find(found.library, "cuptiGetResultString", found.result_string);

  if (const int result = found.get_version(&found.version); result != k_cupti_success)
    return cupti_problem(found, "cuptiGetVersion", result);
  if (found.version < k_min_cupti_version || found.version > k_max_cupti_version)
    return "CUPTI API version " + std::to_string(found.version) + ": the layout of its records is not known";
  cupti = found;
  return {};
}

std::string cupti_problem(const Cupti& cupti, const char* call, int result) {
  if (result == k_cupti_success) return {};
  std::string text = std::string(call) + ": ";
  const char* name = nullptr;
  if (cupti.result_string && cupti.result_string(result, &name) == k_cupti_success && name)
    text += std::string(name) + " ";
  return text + "(" + std::to_string(result) + ")";
}

}  // namespace kbv::tracer
