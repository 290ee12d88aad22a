// SPDX-License-Identifier: MIT
#include "base/secret.h"

#include <gtest/gtest.h>

#include <set>

namespace kbv {
namespace {

TEST(Sha256, FipsVectors) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Secret, IsNeverTheSameTwice) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(Secret::generate()->hex());
  EXPECT_EQ(seen.size(), 100u);
}

TEST(Secret, HexRoundTrip) {
  const Secret secret = *Secret::generate();
  const auto again = Secret::from_hex(secret.hex());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->hex(), secret.hex());
  EXPECT_EQ(again->seed("draw/trial-0"), secret.seed("draw/trial-0"));
}

TEST(Secret, RefusesWhatIsNotSixtyFourHexDigits) {
  for (const std::string& text : {std::string(), std::string(63, '0'), std::string(65, '0'), std::string(64, 'g'),
                                  std::string(32, '\0') + std::string(32, '0')}) {
    const auto secret = Secret::from_hex(text);
    ASSERT_FALSE(secret);
    EXPECT_EQ(secret.error().fault, Fault::usage);
  }
}

// Python: int.from_bytes(hmac.new(bytes(32), b"draw/trial-0", hashlib.sha256).digest()[:8], "big") >> 1
TEST(Secret, SeedIsTheFirst63BitsOfTheHmac) {
  const auto secret = Secret::from_hex(std::string(64, '0'));
  ASSERT_TRUE(secret);
  EXPECT_EQ(secret->seed("draw/trial-0"), 7691956748141908908u);
}

TEST(Secret, SeedsDifferByLabelAndFitInInt64) {
  const Secret secret = *Secret::generate();
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t seed = secret.seed("draw/" + std::to_string(i));
    EXPECT_EQ(seed >> 63, 0u);
    seen.insert(seed);
  }
  EXPECT_EQ(seen.size(), 1000u);
}

}  // namespace
}  // namespace kbv
