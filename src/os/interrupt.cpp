// SPDX-License-Identifier: MIT
#include "os/interrupt.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace kbv {
namespace {

std::atomic<bool> g_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
std::atomic<int> g_fd{-1};

void on_signal(int) {
  const int saved = errno;
  interrupt();
  errno = saved;
}

}  // namespace

int interrupt_fd() {
  int fd = g_fd.load();
  if (fd >= 0) return fd;
  const int made = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (g_fd.compare_exchange_strong(fd, made)) return made;
  ::close(made);
  return fd;
}

void catch_interrupts() {
  interrupt_fd();  // made now: a signal handler should not
  struct sigaction action{};
  action.sa_handler = on_signal;
  // No SA_RESTART: a system call that nobody thought of returns early too.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return g_interrupted.load(std::memory_order_relaxed); }

void interrupt() {
  g_interrupted.store(true);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(interrupt_fd(), &one, sizeof one);
}

void clear_interrupt() {
  g_interrupted.store(false);
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(interrupt_fd(), &count, sizeof count);
}

}  // namespace kbv
