// SPDX-License-Identifier: MIT
#include "os/shared_page.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "box.h"
#include "os/interrupt.h"

namespace kbv {
namespace {

std::atomic<std::uint32_t>& word_of(const SharedPage& page, std::size_t index) {
  return static_cast<std::atomic<std::uint32_t>*>(page.data())[index];
}

TEST(SharedPageTest, IsZeroedAndShared) {
  const auto page = SharedPage::create(10'000).value();
  EXPECT_EQ(page.size(), 10'000u);
  EXPECT_EQ(word_of(page, 2000).load(), 0u);
  void* again = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, page.fd(), 0);
  ASSERT_NE(again, MAP_FAILED);
  word_of(page, 1) = 77;
  EXPECT_EQ(static_cast<std::uint32_t*>(again)[1], 77u);
  ::munmap(again, 4096);
}

TEST(SharedPageTest, CanNotBeCutShort) {
  const auto page = SharedPage::create(8192).value();
  EXPECT_NE(::ftruncate(page.fd(), 0), 0);
  EXPECT_NE(::ftruncate(page.fd(), 1 << 20), 0);
}

TEST(SharedPageTest, MovesAndIsReleased) {
  auto page = SharedPage::create(4096).value();
  SharedPage other = std::move(page);
  EXPECT_NE(other.data(), nullptr);
  EXPECT_EQ(page.data(), nullptr);
  page = std::move(other);
  EXPECT_NE(page.data(), nullptr);
}

TEST(FutexTest, TimesOut) {
  const auto page = SharedPage::create(4096).value();
  const auto start = Clock::now();
  EXPECT_EQ(futex_wait(word_of(page, 0), 0, after_seconds(0.12)), FutexWait::timeout);
  EXPECT_GE(seconds_since(start), 0.12);
}

TEST(FutexTest, AnotherValueReturnsAtOnce) {
  const auto page = SharedPage::create(4096).value();
  EXPECT_EQ(futex_wait(word_of(page, 0), 5, after_seconds(30)), FutexWait::changed);
}

TEST(FutexTest, AWakeReturns) {
  const auto page = SharedPage::create(4096).value();
  std::thread later([&] {
    ::usleep(30'000);
    word_of(page, 0) = 1;
    futex_wake(word_of(page, 0));
  });
  const auto start = Clock::now();
  while (word_of(page, 0).load() == 0)
    EXPECT_EQ(futex_wait(word_of(page, 0), 0, after_seconds(30)), FutexWait::changed);
  EXPECT_LT(seconds_since(start), 10);
  later.join();
}

TEST(FutexTest, AnInterruptReturns) {
  const auto page = SharedPage::create(4096).value();
  std::thread later([] {
    ::usleep(30'000);
    interrupt();
  });
  EXPECT_EQ(futex_wait(word_of(page, 0), 0, after_seconds(30)), FutexWait::interrupted);
  later.join();
  clear_interrupt();
}

TEST(FutexTest, WorksAcrossABox) {
  const auto page = SharedPage::create(4096).value();
  LaunchSpec spec = program_spec("answer", {"3"});
  spec.fds = {{page.fd(), 3}};
  const auto process = start_box(spec);
  ASSERT_TRUE(process);
  word_of(page, 0) = 1;
  futex_wake(word_of(page, 0));
  const Deadline deadline = after_seconds(20);
  while (word_of(page, 1).load() == 0 && futex_wait(word_of(page, 1), 0, deadline) == FutexWait::changed) {
  }
  EXPECT_EQ(word_of(page, 1).load(), 2u);
}

}  // namespace
}  // namespace kbv
