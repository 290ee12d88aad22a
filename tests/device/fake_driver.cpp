// SPDX-License-Identifier: MIT
// A stand-in for libcuda.so.1 over host memory, so that the CUDA backend's own code, and its kernels' source, run
// where there is no GPU. device_test runs with it as the ctest device.cuda_on_a_fake_driver. It is strict where the
// real driver is (a context must be current, sizes must be whole granules), counts what is not given back, and knows
// nothing of time: everything is done when a call returns.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "device/cuda_driver.h"
#include "fake_kernels.h"

namespace {

using namespace kbv::cuda;

constexpr std::size_t k_granularity = 2u << 20;
constexpr std::size_t k_total_bytes = std::size_t{1} << 30;
constexpr Status k_invalid_value = 1;
constexpr Status k_invalid_context = 201;
constexpr Status k_invalid_handle = 400;

struct Allocation {
  int fd;
  std::size_t bytes;
  bool exportable;
};

std::mutex g_mutex;
bool g_initialised = false;
int g_context_references = 0;
unsigned long long g_next_handle = 1;
std::map<AllocationHandle, Allocation> g_handles;
std::map<DevicePointer, std::size_t> g_reservations;
struct Mapping {
  std::size_t bytes;
  int access;  ///< 0, 1 (reads) or k_access_read_write
};
std::map<DevicePointer, Mapping> g_mappings;

CUctx_st* const k_context = reinterpret_cast<CUctx_st*>(0x1000);
CUstream_st* const k_stream = reinterpret_cast<CUstream_st*>(0x2000);
thread_local Context t_current = nullptr;

bool whole_granules(std::size_t bytes) { return bytes != 0 && bytes % k_granularity == 0; }

/// Whether [address, address + bytes) lies in mapped memory with that access.
bool accessible(DevicePointer address, std::size_t bytes, int access = k_access_read_write) {
  const std::lock_guard lock(g_mutex);
  auto after = g_mappings.upper_bound(address);
  if (after == g_mappings.begin()) return false;
  const auto& [start, mapping] = *--after;
  return (mapping.access & access) == access && address - start <= mapping.bytes && bytes <= mapping.bytes - (address - start);
}

void* host(DevicePointer address) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address)); }

/// Whether the test wants this call to run out of memory.
bool fails(const char* call) {
  const char* wanted = std::getenv("KBV_FAKE_FAIL");
  return wanted != nullptr && std::strcmp(wanted, call) == 0;
}

/// Physical memory lives as long as a handle or a mapping; here a descriptor or a mapping keeps it, so this is enough.
std::size_t used() {
  std::size_t bytes = 0;
  for (const auto& [address, mapping] : g_mappings) bytes += mapping.bytes;
  return bytes;
}

}  // namespace

#define NEEDS(condition, status) \
  if (!(condition)) return status
#define NEEDS_CONTEXT NEEDS(t_current == k_context && g_context_references > 0, k_invalid_context)

extern "C" {

// Each function has the name and type of the table in cuda_driver.h: a mistake is a compile error here.
#define KBV_DECLARE_FAKE(member, name, version, parameters) Status name##version parameters;
KBV_CUDA_FUNCTIONS(KBV_DECLARE_FAKE)

Status cuInit(unsigned flags) {
  NEEDS(flags == 0, k_invalid_value);
  const char* failure = std::getenv("KBV_FAKE_CUINIT");
  if (failure != nullptr) return std::atoi(failure);
  g_initialised = true;
  return k_success;
}
Status cuDriverGetVersion(int* version) { return *version = 13000, k_success; }
Status cuGetErrorString(Status error, const char** text) {
  static const std::map<Status, const char*> texts = {{k_success, "no error"},
                                                      {k_invalid_value, "invalid argument"},
                                                      {k_out_of_memory, "out of memory"},
                                                      {k_no_device, "no CUDA-capable device is detected"},
                                                      {k_invalid_context, "invalid device context"},
                                                      {k_invalid_handle, "invalid resource handle"}};
  const auto found = texts.find(error);
  *text = found == texts.end() ? nullptr : found->second;
  return *text == nullptr ? k_invalid_value : k_success;
}
Status cuDeviceGetCount(int* count) {
  NEEDS(g_initialised, 3);
  return *count = 1, k_success;
}
Status cuDeviceGet(DeviceHandle* device, int ordinal) {
  NEEDS(ordinal == 0, k_invalid_device);
  return *device = 0, k_success;
}
Status cuDeviceGetName(char* name, int length, DeviceHandle) {
  std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU");
  return k_success;
}
Status cuDeviceGetAttribute(int* value, Attribute attribute, DeviceHandle) {
  static const std::map<int, int> values = {{k_multiprocessor_count, 2},
                                            {k_l2_cache_size, 1 << 20},
                                            {108, 1 << 19},
                                            {109, 1 << 19},
                                            {k_compute_capability_major, 9},
                                            {k_compute_capability_minor, 0},
                                            {k_virtual_memory_management_supported, 1},
                                            {k_posix_file_descriptor_supported, 1}};
  const auto found = values.find(attribute);
  NEEDS(found != values.end(), k_invalid_value);
  return *value = found->second, k_success;
}
Status cuDeviceTotalMem_v2(std::size_t* bytes, DeviceHandle) { return *bytes = k_total_bytes, k_success; }
Status cuDeviceGetUuid_v2(Uuid* uuid, DeviceHandle) { return std::memset(uuid, 0xA5, sizeof *uuid), k_success; }
Status cuDeviceGetPCIBusId(char* text, int length, DeviceHandle) {
  std::snprintf(text, static_cast<std::size_t>(length), "0000:1B:00.0");
  return k_success;
}

Status cuDevicePrimaryCtxRetain(Context* context, DeviceHandle) {
  const std::lock_guard lock(g_mutex);
  ++g_context_references;
  return *context = k_context, k_success;
}
Status cuDevicePrimaryCtxRelease_v2(DeviceHandle) {
  const std::lock_guard lock(g_mutex);
  NEEDS(g_context_references > 0, k_invalid_context);
  // What is left now is a leak of the backend's.
  if (--g_context_references == 0 && (!g_mappings.empty() || !g_handles.empty() || !g_reservations.empty())) {
    std::fprintf(stderr, "fake driver: memory was not given back\n");
    std::abort();
  }
  return k_success;
}
Status cuCtxGetCurrent(Context* context) { return *context = t_current, k_success; }
Status cuCtxSetCurrent(Context context) { return t_current = context, k_success; }
Status cuCtxResetPersistingL2Cache() {
  NEEDS_CONTEXT;
  return k_success;
}
Status cuStreamCreate(Stream* stream, unsigned flags) {
  NEEDS_CONTEXT;
  NEEDS(flags == k_stream_non_blocking, k_invalid_value);
  return *stream = k_stream, k_success;
}
Status cuStreamDestroy_v2(Stream stream) {
  NEEDS_CONTEXT;
  return stream == k_stream ? k_success : k_invalid_handle;
}
Status cuStreamSynchronize(Stream) {
  NEEDS_CONTEXT;
  return k_success;
}

Status cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  NEEDS_CONTEXT;
  const std::lock_guard lock(g_mutex);
  *total = k_total_bytes;
  return *free = k_total_bytes - used(), k_success;
}
Status cuMemGetAllocationGranularity(std::size_t* granularity, const AllocationProperties* properties, int option) {
  NEEDS(option == k_granularity_minimum && properties->type == k_allocation_pinned, k_invalid_value);
  return *granularity = k_granularity, k_success;
}
Status cuMemCreate(AllocationHandle* handle, std::size_t bytes, const AllocationProperties* properties,
                   unsigned long long flags) {
  NEEDS(!fails("cuMemCreate"), k_out_of_memory);
  NEEDS_CONTEXT;
  NEEDS(flags == 0 && whole_granules(bytes) && properties->type == k_allocation_pinned, k_invalid_value);
  NEEDS(properties->location.type == k_location_device && properties->location.id == 0, k_invalid_value);
  NEEDS(properties->win32_handle_metadata == nullptr, k_invalid_value);
  const std::lock_guard lock(g_mutex);
  NEEDS(bytes <= k_total_bytes - used(), k_out_of_memory);
  const int fd = ::memfd_create("fake device memory", 0);
  if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(bytes)) != 0) return k_out_of_memory;
  *handle = g_next_handle++;
  g_handles[*handle] = {fd, bytes, properties->requested_handle_types == k_handle_posix_file_descriptor};
  return k_success;
}
Status cuMemRelease(AllocationHandle handle) {
  const std::lock_guard lock(g_mutex);
  const auto found = g_handles.find(handle);
  NEEDS(found != g_handles.end(), k_invalid_handle);
  ::close(found->second.fd);
  g_handles.erase(found);
  return k_success;
}
Status cuMemExportToShareableHandle(void* shareable, AllocationHandle handle, int type, unsigned long long flags) {
  NEEDS(!fails("cuMemExportToShareableHandle"), k_out_of_memory);
  const std::lock_guard lock(g_mutex);
  const auto found = g_handles.find(handle);
  NEEDS(found != g_handles.end(), k_invalid_handle);
  NEEDS(type == k_handle_posix_file_descriptor && flags == 0 && found->second.exportable, k_invalid_value);
  *static_cast<int*>(shareable) = ::dup(found->second.fd);
  return k_success;
}
Status cuMemImportFromShareableHandle(AllocationHandle* handle, void* shareable, int type) {
  NEEDS_CONTEXT;
  NEEDS(type == k_handle_posix_file_descriptor, k_invalid_value);
  const int fd = ::dup(static_cast<int>(reinterpret_cast<std::intptr_t>(shareable)));
  NEEDS(fd >= 0, k_invalid_value);
  const std::lock_guard lock(g_mutex);
  *handle = g_next_handle++;
  g_handles[*handle] = {fd, static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)), true};
  return k_success;
}
Status cuMemAddressReserve(DevicePointer* address, std::size_t bytes, std::size_t alignment, DevicePointer wish,
                           unsigned long long flags) {
  NEEDS(!fails("cuMemAddressReserve"), k_out_of_memory);
  NEEDS_CONTEXT;
  NEEDS(whole_granules(bytes) && alignment == 0 && wish == 0 && flags == 0, k_invalid_value);
  void* memory = ::mmap(nullptr, bytes + k_granularity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  NEEDS(memory != MAP_FAILED, k_out_of_memory);
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  *address = (start + k_granularity - 1) / k_granularity * k_granularity;
  const std::lock_guard lock(g_mutex);
  g_reservations[*address] = bytes;
  return k_success;
}
Status cuMemAddressFree(DevicePointer address, std::size_t bytes) {
  const std::lock_guard lock(g_mutex);
  const auto found = g_reservations.find(address);
  NEEDS(found != g_reservations.end() && found->second == bytes, k_invalid_value);
  NEEDS(g_mappings.count(address) == 0, k_invalid_value);
  ::munmap(host(address), bytes);
  g_reservations.erase(found);
  return k_success;
}
Status cuMemMap(DevicePointer address, std::size_t bytes, std::size_t offset, AllocationHandle handle,
                unsigned long long flags) {
  NEEDS(!fails("cuMemMap"), k_out_of_memory);
  const std::lock_guard lock(g_mutex);
  const auto found = g_handles.find(handle);
  NEEDS(found != g_handles.end(), k_invalid_handle);
  NEEDS(offset == 0 && flags == 0 && bytes == found->second.bytes, k_invalid_value);
  NEEDS(g_reservations.count(address) == 1 && g_reservations[address] == bytes, k_invalid_value);
  void* memory = ::mmap(host(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, found->second.fd, 0);
  NEEDS(memory != MAP_FAILED, k_out_of_memory);
  g_mappings[address] = {bytes, 0};
  return k_success;
}
Status cuMemUnmap(DevicePointer address, std::size_t bytes) {
  const std::lock_guard lock(g_mutex);
  const auto found = g_mappings.find(address);
  NEEDS(found != g_mappings.end() && found->second.bytes == bytes, k_invalid_value);
  ::mmap(host(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  g_mappings.erase(found);
  return k_success;
}
Status cuMemSetAccess(DevicePointer address, std::size_t bytes, const AccessDescriptor* access, std::size_t count) {
  NEEDS(!fails("cuMemSetAccess"), k_out_of_memory);
  const std::lock_guard lock(g_mutex);
  const auto found = g_mappings.find(address);
  NEEDS(found != g_mappings.end() && found->second.bytes == bytes, k_invalid_value);
  NEEDS(count == 1 && access->location.type == k_location_device && access->location.id == 0, k_invalid_value);
  NEEDS(access->flags == 0 || access->flags == 1 || access->flags == k_access_read_write, k_invalid_value);
  found->second.access = access->flags;
  return k_success;
}

Status cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, Stream) {
  NEEDS_CONTEXT;
  NEEDS(accessible(to, bytes) && accessible(from, bytes, 1), k_invalid_value);
  return std::memcpy(host(to), host(from), bytes), k_success;
}
Status cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Stream) {
  NEEDS_CONTEXT;
  NEEDS(accessible(to, bytes), k_invalid_value);
  return std::memcpy(host(to), from, bytes), k_success;
}
Status cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, Stream) {
  NEEDS_CONTEXT;
  NEEDS(accessible(from, bytes, 1), k_invalid_value);
  return std::memcpy(to, host(from), bytes), k_success;
}
Status cuMemsetD32Async(DevicePointer to, unsigned value, std::size_t words, Stream) {
  NEEDS(!fails("cuMemsetD32Async"), k_out_of_memory);
  NEEDS_CONTEXT;
  NEEDS(to % 4 == 0 && accessible(to, 4 * words), k_invalid_value);
  for (std::size_t i = 0; i < words; ++i) static_cast<unsigned*>(host(to))[i] = value;
  return k_success;
}

// A module is its PTX, which is text that ends with a NUL. The caller's is a constant, and stays.
Status cuModuleLoadData(Module* module, const void* image) {
  NEEDS_CONTEXT;
  NEEDS(std::strstr(static_cast<const char*>(image), ".entry kbv_") != nullptr, 218);
  *module = static_cast<Module>(const_cast<void*>(image));
  return k_success;
}
Status cuModuleUnload(Module module) {
  NEEDS_CONTEXT;
  return module != nullptr ? k_success : k_invalid_handle;
}
Status cuModuleGetFunction(Function* function, Module module, const char* name) {
  NEEDS(module != nullptr, k_invalid_handle);
  const std::string entry = std::string(".entry ") + name + "(";
  NEEDS(std::strstr(reinterpret_cast<const char*>(module), entry.c_str()) != nullptr, 500);
  *function = fake_kernel(name);
  return *function != nullptr ? k_success : 500;
}
Status cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream, void** parameters,
                      void** extra) {
  NEEDS_CONTEXT;
  NEEDS(grid_x > 0 && grid_y == 1 && grid_z == 1 && block_y == 1 && block_z == 1, k_invalid_value);
  NEEDS(shared_bytes == 0 && extra == nullptr, k_invalid_value);
  run_fake_kernel(function, grid_x, block_x, parameters);
  return k_success;
}

}  // extern "C"
