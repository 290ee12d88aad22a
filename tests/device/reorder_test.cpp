// SPDX-License-Identifier: MIT
// reorder() on each backend, against PyTorch's rule for strides written out.
#include <numeric>
#include <random>

#include "backends.h"

namespace kbv::test {
namespace {

class ReorderTest : public BackendTest {};
KBV_ON_EACH_BACKEND(ReorderTest);

Reorder plan_of(const std::vector<std::uint64_t>& extents, const std::vector<std::uint64_t>& strides) {
  Reorder plan;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    plan.extent[d] = extents[d];
    plan.from_stride[d] = strides[d];
  }
  plan.dims = static_cast<unsigned>(extents.size());
  return plan;
}

template <typename T>
std::vector<T> counted(std::uint64_t n) {
  std::vector<T> values(n);
  std::mt19937 engine(3);
  for (auto& value : values) {
    auto* bytes = reinterpret_cast<unsigned char*>(&value);
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(engine());
  }
  return values;
}

struct Sixteen {
  std::uint64_t a, b;
};

TEST_P(ReorderTest, EveryElementSizeAndChannelsLast) {
  const auto check = [&]<typename T>(T) {
    constexpr std::uint64_t n = 3, c = 5, h = 7, w = 11;
    const auto values = counted<T>(n * c * h * w);  // as they lie: n, h, w, c
    const auto from = upload(values);
    const auto to = allocate(values.size() * sizeof(T));
    ASSERT_TRUE(device().reorder(*to, *from, sizeof(T), plan_of({n, c, h, w}, {h * w * c, 1, w * c, c})));
    std::vector<T> expected;
    for (std::uint64_t i = 0; i < n; ++i)
      for (std::uint64_t j = 0; j < c; ++j)
        for (std::uint64_t k = 0; k < h; ++k)
          for (std::uint64_t l = 0; l < w; ++l) expected.push_back(values[((i * h + k) * w + l) * c + j]);
    const auto got = download(*to);
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size()), 0) << sizeof(T);
  };
  check(std::uint8_t());
  check(std::uint16_t());
  check(std::uint32_t());
  check(std::uint64_t());
  check(Sixteen());
}

TEST_P(ReorderTest, ManyElementsInEightDimensions) {
  const std::vector<std::uint64_t> extents{2, 3, 2, 5, 2, 7, 3, 13};
  const std::uint64_t count = std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
  std::vector<std::uint64_t> strides(8);  // the other way round
  for (std::uint64_t d = 0, step = 1; d < 8; step *= extents[d++]) strides[d] = step;
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0u);
  const auto from = upload(values);
  const auto to = allocate(count * 4);
  ASSERT_TRUE(device().reorder(*to, *from, 4, plan_of(extents, strides)));
  const auto bytes = download(*to);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t left = i, source = 0;
    for (std::size_t d = 8; d-- > 0; left /= extents[d]) source += left % extents[d] * strides[d];
    std::uint32_t got = 0;
    std::memcpy(&got, bytes.data() + 4 * i, 4);
    ASSERT_EQ(got, source) << i;
  }
}

TEST_P(ReorderTest, WhatWouldLeaveABufferIsRefused) {
  const auto from = allocate(24 * 4);
  const auto to = allocate(24 * 4);
  EXPECT_TRUE(device().reorder(*to, *from, 4, plan_of({4, 6}, {1, 4})));
  EXPECT_TRUE(device().reorder(*to, *from, 4, plan_of({0, 600}, {1, 4})));
  EXPECT_TRUE(device().reorder(*to, *from, 4, plan_of({}, {})));
  constexpr std::uint64_t k_huge = ~std::uint64_t{0};
  for (const auto& [extents, strides, bytes] :
       {std::tuple<std::vector<std::uint64_t>, std::vector<std::uint64_t>, std::uint64_t>{{4, 7}, {1, 4}, 4},
        {{4, 6}, {1, 5}, 4},
        {{4, 6}, {1, 4}, 8},
        {{4, 6}, {1, 4}, 3},
        {{4, 6}, {1, 4}, 0},
        {{2, 2}, {k_huge, k_huge}, 4},
        {{2, 2}, {k_huge / 2 + 12, k_huge / 2 + 12}, 4},
        {{k_huge, k_huge}, {1, 1}, 4},
        {{std::uint64_t{1} << 63, 2}, {0, 0}, 4}}) {
    const auto done = device().reorder(*to, *from, bytes, plan_of(extents, strides));
    ASSERT_FALSE(done) << extents[0];
    EXPECT_EQ(done.error().code, "device_range");
  }
  Reorder nine = plan_of({}, {});
  nine.dims = 9;
  EXPECT_FALSE(device().reorder(*to, *from, 4, nine));
}

}  // namespace
}  // namespace kbv::test
