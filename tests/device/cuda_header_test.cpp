// SPDX-License-Identifier: MIT
// Compares our declarations of the driver API with a toolkit's cuda.h, at compile time. Built only where there is one.
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "device/cuda_driver.h"
#include "probes/more_calls.h"

namespace kbv::cuda {
namespace {

/// What the calling convention sees of a type: integers and enumerations by size and signedness, pointers as pointers.
template <typename T>
constexpr auto abi_of() {
  if constexpr (std::is_pointer_v<T>) {
    return std::type_identity<void*>{};
  } else if constexpr (std::is_enum_v<T>) {
    return std::type_identity<std::make_signed_t<std::underlying_type_t<T>>>{};
  } else {
    return std::type_identity<std::make_signed_t<T>>{};
  }
}
template <typename T>
using Abi = typename decltype(abi_of<T>())::type;

template <typename Ours, typename Theirs>
struct SameAbi : std::false_type {};
template <typename R1, typename... P1, typename R2, typename... P2>
struct SameAbi<R1 (*)(P1...), R2 (*)(P2...)> {
  static constexpr bool value =
      std::is_same_v<Abi<R1>, Abi<R2>> && std::is_same_v<std::tuple<Abi<P1>...>, std::tuple<Abi<P2>...>>;
};

#define KBV_CHECK_SIGNATURE(member, name, version, parameters) \
  static_assert(SameAbi<decltype(Api::member), decltype(&::name##version)>::value, #name);
KBV_CUDA_FUNCTIONS(KBV_CHECK_SIGNATURE)

// cuda.h renames a function to its newest version. Ours are the same, but where we keep to an older one on purpose.
#define KBV_TEXT_INNER(x) #x
#define KBV_TEXT(x) KBV_TEXT_INNER(x)
#define KBV_CHECK_VERSION(member, name, version, parameters) \
  static_assert(std::string_view(#name #version) == KBV_TEXT(name), #name);
KBV_CUDA_FUNCTIONS(KBV_CHECK_VERSION)

#define KBV_CHECK_MORE(member, name, version, parameters)                                  \
  static_assert(SameAbi<decltype(probes::MoreApi::member), decltype(&::name##version)>::value, #name); \
  static_assert(std::string_view(#name #version) == KBV_TEXT(name), #name);
KBV_PROBE_FUNCTIONS(KBV_CHECK_MORE)
static_assert(sizeof(probes::StreamAttribute) == sizeof(CUstreamAttrValue) && sizeof(probes::Window) == sizeof(CUaccessPolicyWindow));
static_assert(offsetof(probes::Window, hit_ratio) == offsetof(CUaccessPolicyWindow, hitRatio) &&
              offsetof(probes::Window, hit) == offsetof(CUaccessPolicyWindow, hitProp) &&
              offsetof(probes::Window, miss) == offsetof(CUaccessPolicyWindow, missProp));
static_assert(probes::k_stream_access_window == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW && probes::k_persisting == CU_ACCESS_PROPERTY_PERSISTING &&
              probes::k_streaming == CU_ACCESS_PROPERTY_STREAMING && probes::k_limit_persisting_l2 == CU_LIMIT_PERSISTING_L2_CACHE_SIZE &&
              int{probes::k_max_persisting_l2} == CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE &&
              int{probes::k_max_access_window} == CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE &&
              probes::k_access_read == CU_MEM_ACCESS_FLAGS_PROT_READ);

static_assert(std::is_same_v<Context, CUcontext> && std::is_same_v<Module, CUmodule> &&
              std::is_same_v<Function, CUfunction> && std::is_same_v<Stream, CUstream>);
static_assert(std::is_same_v<DevicePointer, CUdeviceptr> && std::is_same_v<DeviceHandle, CUdevice> &&
              std::is_same_v<AllocationHandle, CUmemGenericAllocationHandle>);

#define KBV_CHECK_MEMBER(Ours, ours, Theirs, theirs) \
  static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs) && sizeof(Ours::ours) == sizeof(Theirs::theirs))
static_assert(sizeof(Uuid) == sizeof(CUuuid));
static_assert(sizeof(Location) == sizeof(CUmemLocation));
KBV_CHECK_MEMBER(Location, type, CUmemLocation, type);
KBV_CHECK_MEMBER(Location, id, CUmemLocation, id);
static_assert(sizeof(AllocationProperties) == sizeof(CUmemAllocationProp));
KBV_CHECK_MEMBER(AllocationProperties, type, CUmemAllocationProp, type);
KBV_CHECK_MEMBER(AllocationProperties, requested_handle_types, CUmemAllocationProp, requestedHandleTypes);
KBV_CHECK_MEMBER(AllocationProperties, location, CUmemAllocationProp, location);
KBV_CHECK_MEMBER(AllocationProperties, win32_handle_metadata, CUmemAllocationProp, win32HandleMetaData);
KBV_CHECK_MEMBER(AllocationProperties, flags, CUmemAllocationProp, allocFlags);
KBV_CHECK_MEMBER(AllocationProperties, flags.usage, CUmemAllocationProp, allocFlags.usage);
static_assert(sizeof(AccessDescriptor) == sizeof(CUmemAccessDesc));
KBV_CHECK_MEMBER(AccessDescriptor, location, CUmemAccessDesc, location);
KBV_CHECK_MEMBER(AccessDescriptor, flags, CUmemAccessDesc, flags);

#define KBV_CHECK_VALUE(ours, theirs) static_assert(static_cast<long>(ours) == static_cast<long>(theirs))
KBV_CHECK_VALUE(k_success, CUDA_SUCCESS);
KBV_CHECK_VALUE(k_out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
KBV_CHECK_VALUE(k_no_device, CUDA_ERROR_NO_DEVICE);
KBV_CHECK_VALUE(k_invalid_device, CUDA_ERROR_INVALID_DEVICE);
KBV_CHECK_VALUE(k_multiprocessor_count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
KBV_CHECK_VALUE(k_l2_cache_size, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
KBV_CHECK_VALUE(k_compute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
KBV_CHECK_VALUE(k_compute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
KBV_CHECK_VALUE(k_virtual_memory_management_supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
KBV_CHECK_VALUE(k_posix_file_descriptor_supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED);
KBV_CHECK_VALUE(k_stream_non_blocking, CU_STREAM_NON_BLOCKING);
KBV_CHECK_VALUE(k_allocation_pinned, CU_MEM_ALLOCATION_TYPE_PINNED);
KBV_CHECK_VALUE(k_handle_none, CU_MEM_HANDLE_TYPE_NONE);
KBV_CHECK_VALUE(k_handle_posix_file_descriptor, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
KBV_CHECK_VALUE(k_location_device, CU_MEM_LOCATION_TYPE_DEVICE);
KBV_CHECK_VALUE(k_access_read_write, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
KBV_CHECK_VALUE(k_granularity_minimum, CU_MEM_ALLOC_GRANULARITY_MINIMUM);

TEST(CudaHeader, AgreesWithOurDeclarations) { SUCCEED() << "cuda.h " << CUDA_VERSION << ", checked when compiled"; }

}  // namespace
}  // namespace kbv::cuda
