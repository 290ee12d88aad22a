// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "device/cuda_context.h"
#include "device/device.h"

namespace kbv {
namespace {
namespace fs = std::filesystem;

/// "nvidia0", but not "nvidiactl" or "nvidia-modeset".
bool is_numbered_node(const std::string& name) {
  constexpr std::string_view prefix = "nvidia";
  return name.size() > prefix.size() && name.rfind(prefix, 0) == 0 &&
         std::all_of(name.begin() + prefix.size(), name.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

std::string uuid_text(const cuda::Uuid& uuid) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[uuid.bytes[i] >> 4];
    text += digits[uuid.bytes[i] & 15];
  }
  return text;
}

}  // namespace

namespace cuda {

Result<DeviceInfo> describe_device(const Api& api, int index) {
  int count = 0;
  if (const Status status = api.device_count(&count); status != k_success)
    return fail_cuda(api, status, "cuDeviceGetCount");
  if (index < 0 || index >= count)
    return fail(Fault::machine, "no_gpu",
                "no CUDA device " + std::to_string(index) + ": the driver shows " + std::to_string(count));
  DeviceHandle device = 0;
  if (const Status status = api.device_get(&device, index); status != k_success)
    return fail_cuda(api, status, "cuDeviceGet");

  DeviceInfo info;
  info.backend = "cuda";
  info.index = index;
  char text[256] = {};
  if (api.device_name(text, sizeof text, device) == k_success) info.name = text;
  char bus[32] = {};
  if (api.device_pci_bus_id(bus, sizeof bus, device) == k_success) info.pci_bus_id = bus;
  Uuid uuid{};
  if (api.device_uuid(&uuid, device) == k_success) info.uuid = uuid_text(uuid);
  std::size_t total = 0;
  if (api.device_total_memory(&total, device) == k_success) info.total_bytes = total;
  int major = 0;
  int minor = 0;
  int l2 = 0;
  (void)api.device_attribute(&major, k_compute_capability_major, device);
  (void)api.device_attribute(&minor, k_compute_capability_minor, device);
  (void)api.device_attribute(&l2, k_l2_cache_size, device);
  (void)api.driver_version(&info.driver_version);
  info.compute_capability = 10 * major + minor;
  info.l2_bytes = static_cast<std::uint64_t>(std::max(l2, 0));
  return info;
}

}  // namespace cuda

CudaProbe probe_cuda() {
  CudaProbe probe;
  const auto api = cuda::driver();
  if (!api) {
    probe.reason = api.error().message;
    return probe;
  }
  int count = 0;
  if (const cuda::Status status = (*api)->device_count(&count); status != cuda::k_success) {
    probe.reason = "the NVIDIA driver can't count its devices: " + cuda::error_text(**api, status);
    return probe;
  }
  for (int i = 0; i < count; ++i) {
    if (auto info = cuda::describe_device(**api, i))
      probe.devices.push_back(std::move(*info));
    else
      probe.reason = info.error().message;
  }
  if (count == 0) probe.reason = "the NVIDIA driver shows no device";
  return probe;
}

std::vector<std::string> cuda_device_nodes() {
  std::vector<std::string> nodes;
  std::error_code error;
  for (const char* path : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/dxg"})
    if (fs::exists(path, error)) nodes.emplace_back(path);
  const std::size_t fixed = nodes.size();
  for (fs::directory_iterator it("/dev", error), end; !error && it != end; it.increment(error))
    if (is_numbered_node(it->path().filename().string())) nodes.push_back(it->path().string());
  for (fs::directory_iterator it("/dev/nvidia-caps", error), end; !error && it != end; it.increment(error))
    nodes.push_back(it->path().string());
  std::sort(nodes.begin() + static_cast<std::ptrdiff_t>(fixed), nodes.end());
  return nodes;
}

}  // namespace kbv
