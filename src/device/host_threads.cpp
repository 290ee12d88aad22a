// SPDX-License-Identifier: MIT
#include "device/host_threads.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace kbv {
namespace {

// Memory bandwidth is used up by about this many, whatever the machine.
constexpr unsigned k_max_threads = 16;

}  // namespace

void for_each_chunk(std::uint64_t count, std::uint64_t chunk_size,
                    const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& body) {
  const std::uint64_t chunks = count / chunk_size + (count % chunk_size != 0 ? 1 : 0);
  std::atomic<std::uint64_t> next{0};
  const auto work = [&] {
    for (std::uint64_t chunk = next++; chunk < chunks; chunk = next++) {
      const std::uint64_t begin = chunk * chunk_size;
      body(chunk, begin, begin + std::min(chunk_size, count - begin));
    }
  };
  const std::uint64_t threads =
      std::min<std::uint64_t>(chunks, std::min(k_max_threads, std::max(1u, std::thread::hardware_concurrency())));
  std::vector<std::jthread> helpers;
  for (std::uint64_t i = 1; i < threads; ++i) {
    try {
      helpers.emplace_back(work);
    } catch (const std::system_error&) {
      break;  // a limit on processes: those that there are do the work
    }
  }
  work();
}

}  // namespace kbv
