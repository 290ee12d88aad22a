// SPDX-License-Identifier: MIT
// Allocation, copies and fills, on each backend.
#include <algorithm>
#include <random>

#include "backends.h"

namespace kbv::test {
namespace {

class MemoryTest : public BackendTest {};
KBV_ON_EACH_BACKEND(MemoryTest);

std::vector<unsigned char> random_bytes(std::size_t n, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<unsigned char> bytes(n);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(engine());
  return bytes;
}

bool all_are(const std::vector<unsigned char>& bytes, unsigned char value) {
  return std::all_of(bytes.begin(), bytes.end(), [=](unsigned char byte) { return byte == value; });
}

TEST_P(MemoryTest, InfoTellsTheDevice) {
  const DeviceInfo& info = device().info();
  EXPECT_EQ(info.backend, GetParam());
  EXPECT_FALSE(info.name.empty());
  EXPECT_GT(info.total_bytes, 64u << 20);
  EXPECT_LT(info.l2_bytes, info.total_bytes);
  if (GetParam() == "cuda") {
    EXPECT_GE(info.compute_capability, 75);
    EXPECT_GE(info.driver_version, 11040);
    EXPECT_EQ(info.uuid.size(), 40u) << info.uuid;
    EXPECT_EQ(std::count(info.pci_bus_id.begin(), info.pci_bus_id.end(), ':'), 2) << info.pci_bus_id;
    EXPECT_GT(info.l2_bytes, 0u);
  }
}

TEST_P(MemoryTest, BuffersAreRoundedUpAndStartAsZeros) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{3} << 20}) {
    for (const bool shared : {false, true}) {
      auto buffer = shared ? device().allocate_shared(bytes) : device().allocate_private(bytes);
      ASSERT_TRUE(buffer) << buffer.error().message;
      EXPECT_EQ((*buffer)->bytes(), bytes);
      EXPECT_GE((*buffer)->mapped_bytes(), std::max<std::uint64_t>(bytes, 1));
      EXPECT_EQ((*buffer)->mapped_bytes() % 4096, 0u);
      EXPECT_NE((*buffer)->address(), 0u);
      EXPECT_EQ((*buffer)->address() % 4096, 0u);
      EXPECT_EQ((*buffer)->export_fd() >= 0, shared);
      EXPECT_TRUE(all_are(download(**buffer), 0));
    }
  }
}

TEST_P(MemoryTest, FreedMemoryIsNotSeenByTheNext) {
  for (int round = 0; round < 4; ++round) {
    auto buffer = device().allocate_shared(8 << 20);
    ASSERT_TRUE(buffer);
    EXPECT_TRUE(all_are(download(**buffer), 0));
    ASSERT_TRUE(device().fill(**buffer, 0xAB));
  }
}

TEST_P(MemoryTest, TooMuchMemoryIsAMachineFault) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 50, ~std::uint64_t{0}, ~std::uint64_t{0} - 4096}) {
    for (const bool shared : {false, true}) {
      auto buffer = shared ? device().allocate_shared(bytes) : device().allocate_private(bytes);
      ASSERT_FALSE(buffer);
      EXPECT_EQ(buffer.error().fault, Fault::machine);
      EXPECT_EQ(buffer.error().code, "device_memory");
      EXPECT_NE(buffer.error().message.find("MiB"), std::string::npos) << buffer.error().message;
    }
  }
  EXPECT_TRUE(device().allocate_shared(1 << 20)) << "usable afterwards";
}

TEST_P(MemoryTest, WriteThenReadGivesTheBytesBack) {
  const auto bytes = random_bytes((5 << 20) + 3, 1);
  auto buffer = upload(bytes);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(download(*buffer), bytes);
}

TEST_P(MemoryTest, ReadAndWriteAtOffsets) {
  auto expected = random_bytes(10'000, 2);
  auto buffer = upload(expected);
  ASSERT_TRUE(buffer);
  const auto patch = random_bytes(777, 3);
  ASSERT_TRUE(device().write(*buffer, 1234, patch.data(), patch.size()));
  std::copy(patch.begin(), patch.end(), expected.begin() + 1234);
  EXPECT_EQ(download(*buffer), expected);
  std::vector<unsigned char> middle(100);
  ASSERT_TRUE(device().read(middle.data(), *buffer, 1200, middle.size()));
  EXPECT_TRUE(std::equal(middle.begin(), middle.end(), expected.begin() + 1200));
}

TEST_P(MemoryTest, CopyCopiesJustTheBytesAskedFor) {
  const auto bytes = random_bytes((9 << 20) + 5, 4);
  auto from = upload(bytes);
  auto to = allocate(bytes.size());
  ASSERT_TRUE(from && to);
  ASSERT_TRUE(device().fill(*to, 0x11));
  ASSERT_TRUE(device().copy(*to, *from, bytes.size() - 2));
  ASSERT_TRUE(device().sync());
  auto expected = bytes;
  expected[expected.size() - 1] = expected[expected.size() - 2] = 0x11;
  EXPECT_EQ(download(*to), expected);
}

TEST_P(MemoryTest, CopyBetweenSharedAndPrivate) {
  const auto bytes = random_bytes(100'000, 5);
  auto from = upload(bytes);
  auto shared = device().allocate_shared(bytes.size());
  auto back = allocate(bytes.size());
  ASSERT_TRUE(from && shared && back);
  ASSERT_TRUE(device().copy(**shared, *from, bytes.size()));
  ASSERT_TRUE(device().copy(*back, **shared, bytes.size()));
  ASSERT_TRUE(device().sync());
  EXPECT_EQ(download(*back), bytes);
}

TEST_P(MemoryTest, FillFillsEveryByte) {
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{7}, (std::uint64_t{6} << 20) + 1}) {
    auto buffer = allocate(bytes);
    ASSERT_TRUE(buffer);
    for (const int byte : {0xFF, 0x00, 0x5A}) {
      ASSERT_TRUE(device().fill(*buffer, static_cast<unsigned char>(byte)));
      ASSERT_TRUE(device().sync());
      EXPECT_TRUE(all_are(download(*buffer), static_cast<unsigned char>(byte)));
    }
  }
}

TEST_P(MemoryTest, OutOfRangeIsAnErrorAndNotAnAccess) {
  auto small = allocate(100);
  auto large = allocate(200);
  ASSERT_TRUE(small && large);
  unsigned char bytes[400] = {};
  const std::uint64_t huge = ~std::uint64_t{0};
  EXPECT_FALSE(device().copy(*small, *large, 101));
  EXPECT_FALSE(device().copy(*large, *small, 101));
  EXPECT_FALSE(device().read(bytes, *small, 0, 101));
  EXPECT_FALSE(device().read(bytes, *small, 50, 51));
  EXPECT_FALSE(device().read(bytes, *small, huge, 2));
  EXPECT_FALSE(device().write(*small, 99, bytes, huge));
  EXPECT_FALSE(device().bytes_equal(*small, *large, 101));
  EXPECT_FALSE(device().compare(DType::float32, *small, *large, 26));
  EXPECT_FALSE(device().compare(DType::complex128, *small, *large, huge / 8));
  EXPECT_EQ(device().copy(*small, *large, 101).error().code, "device_range");
  EXPECT_TRUE(device().read(bytes, *small, 100, 0));
  EXPECT_TRUE(device().copy(*small, *large, 0));
}

TEST_P(MemoryTest, EvictCacheLeavesBuffersAlone) {
  const auto bytes = random_bytes(4096, 6);
  auto buffer = upload(bytes);
  ASSERT_TRUE(buffer);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(device().evict_cache());
  ASSERT_TRUE(device().sync());
  EXPECT_EQ(download(*buffer), bytes);
}

TEST_P(MemoryTest, BytesEqualSeesOneBitAnywhere) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{4099}, std::size_t{5} << 20}) {
    const auto bytes = random_bytes(size, 7);
    auto a = upload(bytes);
    auto b = upload(bytes);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(device().bytes_equal(*a, *b, size), true);
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      const auto flipped = static_cast<unsigned char>(bytes[at] ^ 0x80);
      ASSERT_TRUE(device().write(*b, at, &flipped, 1));
      EXPECT_EQ(device().bytes_equal(*a, *b, size), false) << at;
      EXPECT_EQ(device().bytes_equal(*a, *b, at), true) << at;
      ASSERT_TRUE(device().write(*b, at, &bytes[at], 1));
    }
    EXPECT_EQ(device().bytes_equal(*a, *b, size), true);
    EXPECT_EQ(device().bytes_equal(*a, *b, 0), true);
  }
}

TEST_P(MemoryTest, BuffersMayOutliveTheDevice) {
  auto opened = GetParam() == "host" ? open_host_device() : open_cuda_device(0);
  ASSERT_TRUE(opened);
  auto buffer = (*opened)->allocate_shared(1 << 20);
  ASSERT_TRUE(buffer);
  opened->reset();
  buffer->reset();
  EXPECT_TRUE(device().sync());
}

}  // namespace
}  // namespace kbv::test
