// SPDX-License-Identifier: MIT
// Hashes, and the secret from which every seed of an evaluation is derived.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kbv {

/// SHA-256 of `bytes`, 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

/// 256 bits from the operating system. Made after the candidate is frozen, published in the observation.
class Secret {
 public:
  static Result<Secret> generate();
  static Result<Secret> from_hex(std::string_view hex);

  std::string hex() const;

  /// The seed for one named draw: the first 63 bits of HMAC-SHA256(secret, label); never negative as int64.
  std::uint64_t seed(std::string_view label) const;

 private:
  std::array<unsigned char, 32> key_{};
};

}  // namespace kbv
