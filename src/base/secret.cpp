// SPDX-License-Identifier: MIT
#include "base/secret.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <sys/random.h>

namespace kbv {
namespace {

std::string to_hex(const unsigned char* bytes, std::size_t count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(count * 2);
  for (std::size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest);
  return to_hex(digest, sizeof digest);
}

Result<Secret> Secret::generate() {
  Secret secret;
  if (::getrandom(secret.key_.data(), secret.key_.size(), 0) != static_cast<ssize_t>(secret.key_.size()))
    return fail_errno("getrandom");
  return secret;
}

Result<Secret> Secret::from_hex(std::string_view hex) {
  Secret secret;
  if (hex.size() != secret.key_.size() * 2) return fail(Fault::usage, "bad_seed", "seed: 64 hex digits are needed");
  for (std::size_t i = 0; i < secret.key_.size(); ++i) {
    const int high = hex_value(hex[2 * i]);
    const int low = hex_value(hex[2 * i + 1]);
    if (high < 0 || low < 0) return fail(Fault::usage, "bad_seed", "seed: only the digits 0-9 and a-f are allowed");
    secret.key_[i] = static_cast<unsigned char>(high * 16 + low);
  }
  return secret;
}

std::string Secret::hex() const { return to_hex(key_.data(), key_.size()); }

std::uint64_t Secret::seed(std::string_view label) const {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()), reinterpret_cast<const unsigned char*>(label.data()),
       label.size(), digest, &length);
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = (value << 8) | digest[i];
  return value >> 1;
}

}  // namespace kbv
