// SPDX-License-Identifier: MIT
// What the probes ask of the driver beyond device/cuda_driver.h: what a candidate may call, and the judge does not.
#pragma once

#include "device/cuda_driver.h"

namespace kbv::cuda::probes {

inline constexpr int k_stream_access_window = 1;  ///< CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW
inline constexpr int k_limit_persisting_l2 = 6;
inline constexpr int k_streaming = 1;
inline constexpr int k_persisting = 2;
inline constexpr int k_access_read = 1;
inline constexpr auto k_max_persisting_l2 = static_cast<Attribute>(108);
inline constexpr auto k_max_access_window = static_cast<Attribute>(109);

struct Window {  ///< CUaccessPolicyWindow
  void* base;
  std::size_t bytes;
  float hit_ratio;
  int hit, miss;
};
union StreamAttribute {  ///< CUstreamAttrValue
  char padding[64];
  Window window;
};

#define KBV_PROBE_FUNCTIONS(X)                                                                                  \
  X(allocate, cuMemAlloc, _v2, (DevicePointer * address, std::size_t bytes))                                    \
  X(release, cuMemFree, _v2, (DevicePointer address))                                                           \
  X(get_access, cuMemGetAccess, , (unsigned long long* flags, const Location* location, DevicePointer address)) \
  X(set_limit, cuCtxSetLimit, , (int limit, std::size_t value))                                                 \
  X(stream_set_attribute, cuStreamSetAttribute, , (Stream stream, int attribute, const StreamAttribute* value))

struct MoreApi {
#define KBV_DECLARE(member, name, version, parameters) Status(*member) parameters = nullptr;
  KBV_PROBE_FUNCTIONS(KBV_DECLARE)
#undef KBV_DECLARE
};

/// Those of the driver that cuda::driver() has loaded. Fault machine, code "no_gpu", where one is missing.
Result<const MoreApi*> more_calls();

}  // namespace kbv::cuda::probes
