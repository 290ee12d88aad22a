// SPDX-License-Identifier: MIT
#include "os/output_buffer.h"

#include <algorithm>

namespace kbv {

OutputBuffer::OutputBuffer(std::size_t limit_bytes)
    : head_limit_(limit_bytes / 2), tail_limit_(limit_bytes - limit_bytes / 2) {}

void OutputBuffer::append(std::string_view bytes) {
  const std::size_t to_head = std::min(bytes.size(), head_limit_ - head_.size());
  head_.append(bytes.substr(0, to_head));
  bytes.remove_prefix(to_head);
  if (bytes.size() > tail_limit_) {
    // None of the old tail stays.
    left_out_ += tail_.size() + bytes.size() - tail_limit_;
    tail_.assign(bytes.substr(bytes.size() - tail_limit_));
    tail_start_ = 0;
    return;
  }
  const std::size_t growth = std::min(bytes.size(), tail_limit_ - tail_.size());
  tail_.append(bytes.substr(0, growth));
  bytes.remove_prefix(growth);
  left_out_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), tail_.size() - tail_start_);
    std::copy_n(bytes.data(), piece, tail_.begin() + static_cast<std::ptrdiff_t>(tail_start_));
    tail_start_ = (tail_start_ + piece) % tail_.size();
    bytes.remove_prefix(piece);
  }
}

std::string OutputBuffer::text() const {
  std::string text = head_;
  if (left_out_ > 0) text += "\n[kbv: " + std::to_string(left_out_) + " bytes left out]\n";
  text.append(tail_, tail_start_);
  text.append(tail_, 0, tail_start_);
  return text;
}

}  // namespace kbv
