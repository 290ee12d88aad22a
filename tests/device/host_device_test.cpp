// SPDX-License-Identifier: MIT
// What only the host backend has: memfds, and how a hostile holder of one might trouble the judge.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "device/device.h"

namespace kbv {
namespace {

class HostDeviceTest : public ::testing::Test {
 protected:
  std::unique_ptr<Buffer> shared(std::uint64_t bytes) {
    auto buffer = device_->allocate_shared(bytes);
    if (!buffer) ADD_FAILURE() << buffer.error().message;
    return buffer ? std::move(*buffer) : nullptr;
  }

  std::unique_ptr<Device> device_ = open_host_device().value();
};

TEST_F(HostDeviceTest, InfoIsThatOfTheMachine) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.backend, "host");
  EXPECT_EQ(info.name.find('\n'), std::string::npos);
  EXPECT_EQ(info.compute_capability, 0);
  EXPECT_EQ(info.driver_version, 0);
  EXPECT_EQ(device_->memory_used_bytes(), 0u);
}

TEST_F(HostDeviceTest, OthersMapTheDescriptorThroughProc) {
  auto buffer = shared(10'000);
  const Fd fd(::open(("/proc/self/fd/" + std::to_string(buffer->export_fd())).c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(fd);
  void* memory = ::mmap(nullptr, buffer->mapped_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  static_cast<char*>(memory)[9'999] = 'x';
  char seen = 0;
  ASSERT_TRUE(device_->read(&seen, *buffer, 9'999, 1));
  EXPECT_EQ(seen, 'x');
  ::munmap(memory, buffer->mapped_bytes());
}

TEST_F(HostDeviceTest, AWorkerCannotResizeOrSealTheMemory) {
  auto buffer = shared(10'000);
  const int fd = buffer->export_fd();
  EXPECT_EQ(::ftruncate(fd, 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(::ftruncate(fd, 1 << 20), -1);
  EXPECT_EQ(::fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
  const unsigned char byte = 7;
  EXPECT_TRUE(device_->write(*buffer, 9'999, &byte, 1));
}

TEST_F(HostDeviceTest, HolesThatAWorkerPunchesReadAsZeros) {
  auto buffer = shared(1 << 20);
  ASSERT_TRUE(device_->fill(*buffer, 0x77));
  ASSERT_EQ(::fallocate(buffer->export_fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20), 0);
  unsigned char byte = 1;
  ASSERT_TRUE(device_->read(&byte, *buffer, 4096, 1));
  EXPECT_EQ(byte, 0);
}

TEST_F(HostDeviceTest, AFreedBufferIsEmptyForThoseWhoStillMapIt) {
  auto buffer = shared(1 << 20);
  ASSERT_TRUE(device_->fill(*buffer, 0x77));
  void* memory = ::mmap(nullptr, 1 << 20, PROT_READ, MAP_SHARED, buffer->export_fd(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto* data = static_cast<const unsigned char*>(memory);
  EXPECT_EQ(data[12'345], 0x77);
  buffer.reset();
  EXPECT_EQ(data[12'345], 0);
  ::munmap(memory, 1 << 20);
}

}  // namespace
}  // namespace kbv
