// SPDX-License-Identifier: MIT
// A program's output, bounded: the first half and the last half of what fits are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kbv {

class OutputBuffer {
 public:
  explicit OutputBuffer(std::size_t limit_bytes);

  void append(std::string_view bytes);

  /// What was kept, with a marker line in place of what was left out.
  std::string text() const;

 private:
  std::size_t head_limit_;
  std::size_t tail_limit_;
  std::string head_;
  std::string tail_;            // a ring once it is full
  std::size_t tail_start_ = 0;  // where the ring's oldest byte is
  std::uint64_t left_out_ = 0;  // [bytes]
};

}  // namespace kbv
