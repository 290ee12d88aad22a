// SPDX-License-Identifier: MIT
// What stands in for a candidate: this program again, in a box, that does what it is told in packets of JSON on
// descriptor 3.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpu.h"
#include "os/shared_page.h"
#include "os/socket.h"

namespace kbv::cuda::probes {

using nlohmann::json;

inline constexpr int k_socket_fd = 3;
inline constexpr int k_page_fd = 4;
inline constexpr std::size_t k_page_bytes = 4096;
inline constexpr std::size_t k_reply_offset = 64;  ///< in the page: the request's number at 0, the reply's here

/// An imported allocation, mapped once or more.
struct Slot {
  AllocationHandle handle = 0;
  std::uint64_t bytes = 0;
  std::vector<DevicePointer> addresses;
};

struct WorkerState {
  Socket socket{Fd(k_socket_fd)};
  std::unique_ptr<Gpu> gpu;
  std::vector<Slot> slots;
  std::vector<std::pair<DevicePointer, std::uint64_t>> plain;  ///< memory of its own
  DevicePointer chain = 0;                                     ///< for the L2 probe
  std::uint64_t chain_bytes = 0;
  Fd to_send;  ///< goes with the next answer
};

// Each does one command and says what came of it. An error is told as {"error": text}, and the worker goes on.
Result<json> do_memory(WorkerState& state, const json& command,
                       std::vector<Fd>& fds);  ///< nothing (null) if it is none of its
Result<json> do_cache(WorkerState& state, const json& command);
json do_nvml(const json& command);

/// The program "worker".
int run_worker();

}  // namespace kbv::cuda::probes
