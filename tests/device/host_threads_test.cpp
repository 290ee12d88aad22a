// SPDX-License-Identifier: MIT
#include "device/host_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace kbv {
namespace {

TEST(HostThreads, EveryIndexOnceInChunksOfTheirNumber) {
  for (const std::uint64_t count : {0u, 1u, 9u, 10u, 11u, 999u, 1000u}) {
    std::vector<std::atomic<int>> visits(count);
    std::atomic<std::uint64_t> chunks{0};
    for_each_chunk(count, 10, [&](std::uint64_t chunk, std::uint64_t begin, std::uint64_t end) {
      EXPECT_EQ(begin, chunk * 10);
      EXPECT_GT(end, begin);
      EXPECT_LE(end, std::min<std::uint64_t>(begin + 10, count));
      for (std::uint64_t i = begin; i < end; ++i) ++visits[i];
      ++chunks;
    });
    EXPECT_EQ(chunks, (count + 9) / 10);
    for (const auto& n : visits) EXPECT_EQ(n, 1);
  }
}

}  // namespace
}  // namespace kbv
