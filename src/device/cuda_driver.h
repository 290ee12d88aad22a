// SPDX-License-Identifier: MIT
// The part of the CUDA driver API that kbv uses, declared here and looked up in libcuda.so.1 at run time, so that kbv
// builds without a CUDA toolkit and starts without a driver. Names and layouts follow cuda.h;
// tests/device/cuda_driver_test.cpp compares them with a toolkit's header where there is one.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

// The driver's opaque handles, by the tags that cuda.h gives them.
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;

namespace kbv::cuda {

using Status = int;  ///< CUresult
inline constexpr Status k_success = 0;
inline constexpr Status k_out_of_memory = 2;
inline constexpr Status k_no_device = 100;
inline constexpr Status k_invalid_device = 101;

using DeviceHandle = int;                     ///< CUdevice
using DevicePointer = unsigned long long;     ///< CUdeviceptr
using AllocationHandle = unsigned long long;  ///< CUmemGenericAllocationHandle
using Context = CUctx_st*;
using Module = CUmod_st*;
using Function = CUfunc_st*;
using Stream = CUstream_st*;

struct Uuid {
  unsigned char bytes[16];
};

enum Attribute : int {  ///< CUdevice_attribute
  k_multiprocessor_count = 16,
  k_l2_cache_size = 38,
  k_compute_capability_major = 75,
  k_compute_capability_minor = 76,
  k_virtual_memory_management_supported = 102,
  k_posix_file_descriptor_supported = 103,
};

inline constexpr unsigned k_stream_non_blocking = 1;
inline constexpr int k_allocation_pinned = 1;
inline constexpr int k_handle_none = 0;
inline constexpr int k_handle_posix_file_descriptor = 1;
inline constexpr int k_location_device = 1;
inline constexpr int k_access_read_write = 3;
inline constexpr int k_granularity_minimum = 0;

struct Location {  ///< CUmemLocation
  int type;
  int id;
};

struct AllocationProperties {  ///< CUmemAllocationProp
  int type;
  int requested_handle_types;
  Location location;
  void* win32_handle_metadata;
  struct {
    unsigned char compression_type;
    unsigned char gpu_direct_rdma_capable;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};

struct AccessDescriptor {  ///< CUmemAccessDesc
  Location location;
  int flags;
};

static_assert(sizeof(void*) == 8, "the driver API's layouts are those of a 64-bit Linux");
static_assert(sizeof(Location) == 8);
static_assert(sizeof(AllocationProperties) == 32);
static_assert(offsetof(AllocationProperties, location) == 8);
static_assert(offsetof(AllocationProperties, win32_handle_metadata) == 16);
static_assert(offsetof(AllocationProperties, flags) == 24);
static_assert(sizeof(AccessDescriptor) == 12);
static_assert(offsetof(AccessDescriptor, flags) == 8);

// X(member, name in cuda.h, the version suffix that cuda.h's macro adds, parameters)
#define KBV_CUDA_FUNCTIONS(X)                                                                                          \
  X(init, cuInit, , (unsigned flags))                                                                                  \
  X(driver_version, cuDriverGetVersion, , (int* version))                                                              \
  X(error_string, cuGetErrorString, , (Status error, const char** text))                                               \
  X(device_count, cuDeviceGetCount, , (int* count))                                                                    \
  X(device_get, cuDeviceGet, , (DeviceHandle * device, int ordinal))                                                   \
  X(device_name, cuDeviceGetName, , (char* name, int length, DeviceHandle device))                                     \
  X(device_attribute, cuDeviceGetAttribute, , (int* value, Attribute attribute, DeviceHandle device))                  \
  X(device_total_memory, cuDeviceTotalMem, _v2, (std::size_t* bytes, DeviceHandle device))                             \
  X(device_uuid, cuDeviceGetUuid, _v2, (Uuid * uuid, DeviceHandle device))                                             \
  X(device_pci_bus_id, cuDeviceGetPCIBusId, , (char* text, int length, DeviceHandle device))                           \
  X(primary_context_retain, cuDevicePrimaryCtxRetain, , (Context * context, DeviceHandle device))                      \
  X(primary_context_release, cuDevicePrimaryCtxRelease, _v2, (DeviceHandle device))                                    \
  X(context_get_current, cuCtxGetCurrent, , (Context * context))                                                       \
  X(context_set_current, cuCtxSetCurrent, , (Context context))                                                         \
  X(reset_persisting_l2, cuCtxResetPersistingL2Cache, , ())                                                            \
  X(stream_create, cuStreamCreate, , (Stream * stream, unsigned flags))                                                \
  X(stream_destroy, cuStreamDestroy, _v2, (Stream stream))                                                             \
  X(stream_synchronize, cuStreamSynchronize, , (Stream stream))                                                        \
  X(memory_info, cuMemGetInfo, _v2, (std::size_t* free, std::size_t* total))                                           \
  X(memory_granularity, cuMemGetAllocationGranularity, ,                                                               \
    (std::size_t* granularity, const AllocationProperties* properties, int option))                                    \
  X(memory_create, cuMemCreate, ,                                                                                      \
    (AllocationHandle * handle, std::size_t bytes, const AllocationProperties* properties, unsigned long long flags))  \
  X(memory_release, cuMemRelease, , (AllocationHandle handle))                                                         \
  X(memory_export, cuMemExportToShareableHandle, ,                                                                     \
    (void* shareable, AllocationHandle handle, int handle_type, unsigned long long flags))                             \
  X(memory_import, cuMemImportFromShareableHandle, , (AllocationHandle * handle, void* shareable, int handle_type))    \
  X(address_reserve, cuMemAddressReserve, ,                                                                            \
    (DevicePointer * address, std::size_t bytes, std::size_t alignment, DevicePointer wish, unsigned long long flags)) \
  X(address_free, cuMemAddressFree, , (DevicePointer address, std::size_t bytes))                                      \
  X(memory_map, cuMemMap, ,                                                                                            \
    (DevicePointer address, std::size_t bytes, std::size_t offset, AllocationHandle handle, unsigned long long flags)) \
  X(memory_unmap, cuMemUnmap, , (DevicePointer address, std::size_t bytes))                                            \
  X(memory_set_access, cuMemSetAccess, ,                                                                               \
    (DevicePointer address, std::size_t bytes, const AccessDescriptor* access, std::size_t count))                     \
  X(copy_device_to_device, cuMemcpyDtoDAsync, _v2,                                                                     \
    (DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream))                                          \
  X(copy_host_to_device, cuMemcpyHtoDAsync, _v2,                                                                       \
    (DevicePointer to, const void* from, std::size_t bytes, Stream stream))                                            \
  X(copy_device_to_host, cuMemcpyDtoHAsync, _v2, (void* to, DevicePointer from, std::size_t bytes, Stream stream))     \
  X(set_words, cuMemsetD32Async, , (DevicePointer to, unsigned value, std::size_t words, Stream stream))               \
  X(module_load, cuModuleLoadData, , (Module * module, const void* image))                                             \
  X(module_unload, cuModuleUnload, , (Module module))                                                                  \
  X(module_function, cuModuleGetFunction, , (Function * function, Module module, const char* name))                    \
  X(launch, cuLaunchKernel, ,                                                                                          \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,         \
     unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters, void** extra))

/// The functions of one loaded driver.
struct Api {
#define KBV_DECLARE(member, name, version, parameters) Status(*member) parameters = nullptr;
  KBV_CUDA_FUNCTIONS(KBV_DECLARE)
#undef KBV_DECLARE
};

/// The driver, loaded and initialised (cuInit), both once a process; it stays loaded. Fault machine, code "no_gpu",
/// with a sentence for a person, where there is none.
Result<const Api*> driver();

/// The driver's own text for an error.
std::string error_text(const Api& api, Status status);

/// A machine fault: code "device_memory" for out of memory, "no_gpu" for a missing device, "device_lost" where this
/// process can't use the device any more, else "cuda".
tl::unexpected<Error> fail_cuda(const Api& api, Status status, const std::string& what);

}  // namespace kbv::cuda
