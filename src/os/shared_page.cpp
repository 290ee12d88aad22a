// SPDX-License-Identifier: MIT
#include "os/shared_page.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

#include "os/interrupt.h"

namespace kbv {

Result<SharedPage> SharedPage::create(std::size_t bytes) {
  SharedPage page;
  page.fd_ = Fd(::memfd_create("kbv-page", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!page.fd_) return fail_errno("memfd_create");
  if (::ftruncate(page.fd_.get(), static_cast<off_t>(bytes)) != 0) return fail_errno("ftruncate");
  if (::fcntl(page.fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail_errno("F_ADD_SEALS");
  void* data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, page.fd_.get(), 0);
  if (data == MAP_FAILED) return fail_errno("mmap");
  page.data_ = data;
  page.bytes_ = bytes;
  return page;
}

SharedPage& SharedPage::operator=(SharedPage&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedPage::~SharedPage() {
  if (data_) ::munmap(data_, bytes_);
}

FutexWait futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen, Deadline deadline) {
  static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
  while (true) {
    if (interrupted()) return FutexWait::interrupted;
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
    if (left <= 0) return FutexWait::timeout;
    // A futex can't be waited for together with a descriptor, so the interrupt flag is looked at in between.
    const long slice = static_cast<long>(std::min<std::int64_t>(left, 50'000'000));
    const timespec timeout{0, slice};
    // Not FUTEX_PRIVATE_FLAG: the other side is another process.
    const long rc = ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
    if (rc == 0 || errno == EAGAIN) return FutexWait::changed;
  }
}

void futex_wake(const std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace kbv
