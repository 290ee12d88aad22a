// SPDX-License-Identifier: MIT
// Memory that the judge shares with one worker, and waiting on a word of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace kbv {

/// An anonymous file, mapped shared and zeroed. Its size is sealed, so that a hostile worker can't cut it short and end
/// the judge with SIGBUS. What is in it may change between two reads: copy, then check.
class SharedPage {
 public:
  SharedPage() = default;
  static Result<SharedPage> create(std::size_t bytes);
  SharedPage(SharedPage&& other) noexcept { *this = std::move(other); }
  SharedPage& operator=(SharedPage&& other) noexcept;
  ~SharedPage();

  void* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  int fd() const { return fd_.get(); }

 private:
  Fd fd_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

enum class FutexWait { changed, timeout, interrupted };

/// Waits while `word` holds `seen`, across processes. `changed` also for a wake without a change: look at the word.
/// It may return early as `interrupted` up to 50 ms after an interrupt.
FutexWait futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen, Deadline deadline);

/// Wakes all who wait on `word`.
void futex_wake(const std::atomic<std::uint32_t>& word);

}  // namespace kbv
