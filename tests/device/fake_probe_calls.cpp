// SPDX-License-Identifier: MIT
// What tests/device/probes asks of the driver beyond what the judge does, for fake_driver.cpp.
#include <map>

#include "probes/more_calls.h"

using namespace kbv::cuda;
using kbv::cuda::probes::StreamAttribute;

extern "C" {

#define KBV_DECLARE_FAKE(member, name, version, parameters) Status name##version parameters;
KBV_CUDA_FUNCTIONS(KBV_DECLARE_FAKE)
KBV_PROBE_FUNCTIONS(KBV_DECLARE_FAKE)

namespace {
struct Plain {
  AllocationHandle handle;
  std::size_t bytes;
};
std::map<DevicePointer, Plain> g_plain;
}  // namespace

Status cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  constexpr std::size_t granularity = 2u << 20;
  AllocationProperties properties{};
  properties.type = k_allocation_pinned;
  properties.location = {k_location_device, 0};
  Plain plain{0, (bytes + granularity - 1) / granularity * granularity};
  if (const Status status = cuMemCreate(&plain.handle, plain.bytes, &properties, 0); status != k_success) return status;
  if (const Status status = cuMemAddressReserve(address, plain.bytes, 0, 0, 0); status != k_success) return status;
  if (const Status status = cuMemMap(*address, plain.bytes, 0, plain.handle, 0); status != k_success) return status;
  const AccessDescriptor access{properties.location, k_access_read_write};
  g_plain[*address] = plain;
  return cuMemSetAccess(*address, plain.bytes, &access, 1);
}
Status cuMemFree_v2(DevicePointer address) {
  const auto found = g_plain.find(address);
  if (found == g_plain.end()) return 1;
  const Plain plain = found->second;
  g_plain.erase(found);
  (void)cuMemUnmap(address, plain.bytes);
  (void)cuMemAddressFree(address, plain.bytes);
  return cuMemRelease(plain.handle);
}
Status cuMemGetAccess(unsigned long long* flags, const Location*, DevicePointer) { return *flags = 1, k_success; }
Status cuCtxSetLimit(int limit, std::size_t) { return limit == probes::k_limit_persisting_l2 ? k_success : 1; }
Status cuStreamSetAttribute(Stream, int attribute, const StreamAttribute*) {
  return attribute == probes::k_stream_access_window ? k_success : 1;
}

}  // extern "C"
