// SPDX-License-Identifier: MIT
// A length-prefixed binary form for what the judge and its launcher tell each other. Both are the same binary, so there
// are no versions; the reader still checks every bound.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kbv {

class ByteWriter {
 public:
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  template <typename T>
  void put(const std::vector<T>& items) {
    put(static_cast<std::uint64_t>(items.size()));
    for (const auto& item : items) put(item);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// After the first read beyond the end, every value is empty and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void get(T& value) {
    const std::string_view taken = take(sizeof value);
    if (ok_) std::memcpy(&value, taken.data(), sizeof value);
  }
  void get(bool& value) {
    char byte = 0;
    get(byte);
    value = byte != 0;
  }
  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    text = std::string(take(size));
  }
  template <typename T>
  void get(std::vector<T>& items) {
    std::uint64_t count = 0;
    get(count);
    items.clear();
    while (ok_ && count-- > 0) {
      T item{};
      get(item);
      if (ok_) items.push_back(std::move(item));
    }
  }

  bool ok() const { return ok_; }
  bool at_end() const { return left_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > left_.size()) {
      ok_ = false;
      left_ = {};
      return {};
    }
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  std::string_view left_;
  bool ok_ = true;
};

}  // namespace kbv
