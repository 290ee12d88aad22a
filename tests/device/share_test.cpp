// SPDX-License-Identifier: MIT
// Shared buffers as a worker meets them: another process, started afresh, that gets nothing but a descriptor. This
// same program is that process: run with KBV_TEST_SHARE it executes ShareChild alone, and is skipped otherwise.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "backends.h"
#include "device/cuda_driver.h"

namespace kbv::test {
namespace {

constexpr int k_child_fd = 17;

class ShareTest : public BackendTest {
 protected:
  /// The child's exit status. It reads `bytes` bytes, expects each to be 0x3C, and writes 0xC3 everywhere.
  int run_child(const Buffer& buffer) {
    const std::string task =
        GetParam() + " " + std::to_string(buffer.bytes()) + " " + std::to_string(buffer.mapped_bytes());
    const pid_t child = ::fork();
    if (child == 0) {
      // Only calls that are safe between fork and exec, but for setenv, which no other thread here disturbs.
      if (::dup2(buffer.export_fd(), k_child_fd) != k_child_fd) ::_exit(90);
      ::setenv("KBV_TEST_SHARE", task.c_str(), 1);
      ::execl("/proc/self/exe", "device_test", "--gtest_filter=ShareChild.*", static_cast<char*>(nullptr));
      ::_exit(91);
    }
    int status = -1;
    if (::waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};
KBV_ON_EACH_BACKEND(ShareTest);

TEST_P(ShareTest, AnotherProcessReadsAndWritesTheSameMemory) {
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{12345}, std::uint64_t{33} << 20}) {
    auto buffer = device().allocate_shared(bytes);
    ASSERT_TRUE(buffer) << buffer.error().message;
    ASSERT_TRUE(device().fill(**buffer, 0x3C));
    ASSERT_TRUE(device().sync());
    ASSERT_EQ(run_child(**buffer), 0);
    for (const unsigned char byte : download(**buffer)) ASSERT_EQ(byte, 0xC3);
  }
}

TEST_P(ShareTest, DescriptorsDoNotLeakIntoPrograms) {
  auto buffer = device().allocate_shared(4096);
  ASSERT_TRUE(buffer);
  EXPECT_NE(::fcntl((*buffer)->export_fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_P(ShareTest, ClosesItsDescriptor) {
  int fd = -1;
  {
    auto buffer = device().allocate_shared(4096);
    ASSERT_TRUE(buffer);
    fd = (*buffer)->export_fd();
    EXPECT_NE(::fcntl(fd, F_GETFD), -1);
  }
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
}

void play_host_worker(std::uint64_t bytes, std::uint64_t mapped) {
  void* memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, k_child_fd, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* data = static_cast<unsigned char*>(memory);
  for (std::uint64_t i = 0; i < bytes; ++i) ASSERT_EQ(data[i], 0x3C);
  std::memset(data, 0xC3, mapped);
  ::munmap(memory, mapped);
}

void play_cuda_worker(std::uint64_t bytes, std::uint64_t mapped) {
  const auto driver = cuda::driver();
  ASSERT_TRUE(driver) << driver.error().message;
  const cuda::Api& api = **driver;
  cuda::DeviceHandle device = 0;
  cuda::Context context = nullptr;
  ASSERT_EQ(api.device_get(&device, 0), 0);
  ASSERT_EQ(api.primary_context_retain(&context, device), 0);
  ASSERT_EQ(api.context_set_current(context), 0);
  cuda::AllocationHandle handle = 0;
  void* shareable = reinterpret_cast<void*>(std::uintptr_t{k_child_fd});
  ASSERT_EQ(api.memory_import(&handle, shareable, cuda::k_handle_posix_file_descriptor), 0);
  cuda::DevicePointer address = 0;
  ASSERT_EQ(api.address_reserve(&address, mapped, 0, 0, 0), 0);
  ASSERT_EQ(api.memory_map(address, mapped, 0, handle, 0), 0);
  const cuda::AccessDescriptor access{{cuda::k_location_device, device}, cuda::k_access_read_write};
  ASSERT_EQ(api.memory_set_access(address, mapped, &access, 1), 0);
  std::vector<unsigned char> data(bytes);
  ASSERT_EQ(api.copy_device_to_host(data.data(), address, bytes, nullptr), 0);
  ASSERT_EQ(api.stream_synchronize(nullptr), 0);
  for (const unsigned char byte : data) ASSERT_EQ(byte, 0x3C);
  ASSERT_EQ(api.set_words(address, 0xC3C3C3C3u, mapped / 4, nullptr), 0);
  ASSERT_EQ(api.stream_synchronize(nullptr), 0);
  ASSERT_EQ(api.memory_unmap(address, mapped), 0);
  ASSERT_EQ(api.memory_release(handle), 0);
  ASSERT_EQ(api.address_free(address, mapped), 0);
}

TEST(ShareChild, Worker) {
  const char* task = std::getenv("KBV_TEST_SHARE");
  if (task == nullptr) GTEST_SKIP() << "runs as the child of ShareTest only";
  char backend[8] = {};
  unsigned long long bytes = 0;
  unsigned long long mapped = 0;
  ASSERT_EQ(std::sscanf(task, "%7s %llu %llu", backend, &bytes, &mapped), 3);
  if (std::string(backend) == "host")
    play_host_worker(bytes, mapped);
  else
    play_cuda_worker(bytes, mapped);
}

}  // namespace
}  // namespace kbv::test
