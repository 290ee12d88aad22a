// SPDX-License-Identifier: MIT
// What only the CUDA backend has. Skipped, with the reason, where there is no GPU.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "backends.h"

namespace kbv::test {
namespace {

class CudaDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    device_ = shared_device("cuda", reason);
    if (device_ == nullptr) GTEST_SKIP() << reason;
  }

  bool has_free(std::uint64_t bytes) {
    const auto used = device_->memory_used_bytes();
    return used && device_->info().total_bytes - *used > bytes;
  }

  Device* device_ = nullptr;
};

TEST_F(CudaDeviceTest, MappedBytesAreWholeGranules) {
  auto buffer = device_->allocate_shared(1);
  ASSERT_TRUE(buffer);
  EXPECT_EQ((*buffer)->mapped_bytes() % (64 << 10), 0u);
  EXPECT_EQ((*buffer)->address() % (64 << 10), 0u);
}

TEST_F(CudaDeviceTest, MemoryUsedFollowsAllocations) {
  const std::uint64_t size = 256u << 20;
  if (!has_free(2 * size)) GTEST_SKIP() << "not enough free memory";
  const auto before = device_->memory_used_bytes();
  auto buffer = device_->allocate_private(size);
  ASSERT_TRUE(buffer);
  const auto during = device_->memory_used_bytes();
  buffer->reset();
  const auto after = device_->memory_used_bytes();
  ASSERT_TRUE(before && during && after);
  // Other processes may allocate meanwhile: this test is for a GPU of one's own.
  const double tolerance = 16 << 20;  // page tables, and the driver's own pools
  EXPECT_NEAR(static_cast<double>(*during - *before), static_cast<double>(size), tolerance);
  EXPECT_NEAR(static_cast<double>(*after), static_cast<double>(*before), tolerance);
}

TEST_F(CudaDeviceTest, MemoryUsedIsReadFromAnotherThreadWhileCopying) {
  const std::uint64_t size = 64u << 20;
  if (!has_free(3 * size)) GTEST_SKIP() << "not enough free memory";
  auto a = device_->allocate_private(size);
  auto b = device_->allocate_private(size);
  ASSERT_TRUE(a && b);
  std::atomic<bool> stop{false};
  std::atomic<int> readings{0};
  std::atomic<int> failures{0};
  std::thread poller([&] {
    while (!stop) {
      const auto used = device_->memory_used_bytes();
      if (used && *used >= 2 * size) ++readings;
      if (!used) ++failures;
    }
  });
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(device_->copy(i % 2 ? **a : **b, i % 2 ? **b : **a, size));
  EXPECT_TRUE(device_->sync());
  stop = true;
  poller.join();
  EXPECT_EQ(failures, 0);
  EXPECT_GT(readings, 0);
}

TEST_F(CudaDeviceTest, TwoDevicesOnOneGpuAreIndependent) {
  auto other = open_cuda_device(0);
  ASSERT_TRUE(other) << other.error().message;
  auto a = (*other)->allocate_private(1 << 20);
  auto b = device_->allocate_private(1 << 20);
  ASSERT_TRUE(a && b);
  ASSERT_TRUE((*other)->fill(**a, 0x21));
  ASSERT_TRUE((*other)->sync());
  ASSERT_TRUE(device_->copy(**b, **a, 1 << 20));
  EXPECT_EQ(device_->bytes_equal(**a, **b, 1 << 20), true);
  a->reset();
  other->reset();
  EXPECT_TRUE(device_->sync()) << "the first device still has the primary context";
}

TEST_F(CudaDeviceTest, OutOfMemoryLeavesTheDeviceUsable) {
  std::vector<std::unique_ptr<Buffer>> hoard;
  const std::uint64_t step = device_->info().total_bytes / 8;
  Error error;
  for (int i = 0; i < 64; ++i) {
    auto buffer = device_->allocate_private(step);
    if (!buffer) {
      error = buffer.error();
      break;
    }
    hoard.push_back(std::move(*buffer));
  }
  EXPECT_EQ(error.code, "device_memory");
  EXPECT_NE(error.message.find("MiB free"), std::string::npos) << error.message;
  hoard.clear();
  EXPECT_TRUE(device_->allocate_private(step));
  EXPECT_TRUE(device_->sync());
}

TEST_F(CudaDeviceTest, AnAllocationThatFailsHalfwayLeavesNothing) {
  if (device_->info().name != "Fake GPU") GTEST_SKIP() << "only the fake driver fails on demand";
  const std::uint64_t before = device_->memory_used_bytes().value();
  for (const char* call : {"cuMemCreate", "cuMemExportToShareableHandle", "cuMemAddressReserve", "cuMemMap",
                           "cuMemSetAccess", "cuMemsetD32Async"}) {
    ::setenv("KBV_FAKE_FAIL", call, 1);
    const auto buffer = device_->allocate_shared(1 << 20);
    ::unsetenv("KBV_FAKE_FAIL");
    ASSERT_FALSE(buffer) << call;
    EXPECT_EQ(buffer.error().code, "device_memory");
    EXPECT_EQ(device_->memory_used_bytes(), before) << call;
  }
}

TEST_F(CudaDeviceTest, MoreElementsThan32BitsCount) {
  const std::uint64_t count = 5'000'000'003;
  if (!has_free(2 * count + (std::uint64_t{1} << 30))) GTEST_SKIP() << "needs 11 GB of free device memory";
  auto expected = device_->allocate_private(count);
  auto got = device_->allocate_private(count);
  ASSERT_TRUE(expected && got);
  ASSERT_TRUE(device_->fill(**expected, 3));
  ASSERT_TRUE(device_->fill(**got, 3));
  EXPECT_EQ(device_->bytes_equal(**expected, **got, count), true);
  for (const std::uint64_t at : {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 12345, count - 1}) {
    const unsigned char other = 7;
    const unsigned char same = 3;
    ASSERT_TRUE(device_->write(**got, at, &other, 1));
    const auto stats = device_->compare(DType::uint8, **expected, **got, count);
    ASSERT_TRUE(stats);
    EXPECT_EQ(stats->count, count);
    EXPECT_EQ(stats->unequal, 1u);
    EXPECT_EQ(stats->worst_index, at);
    EXPECT_EQ(stats->worst_got, 7);
    EXPECT_EQ(stats->tau, 1);
    EXPECT_EQ(stats->sum_sq_expected, 9.0 * static_cast<double>(count));
    EXPECT_EQ(device_->bytes_equal(**expected, **got, count), false);
    ASSERT_TRUE(device_->write(**got, at, &same, 1));
  }
}

}  // namespace
}  // namespace kbv::test
