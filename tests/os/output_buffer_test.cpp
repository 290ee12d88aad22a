// SPDX-License-Identifier: MIT
#include "os/output_buffer.h"

#include <gtest/gtest.h>

#include <random>

namespace kbv {
namespace {

/// What a buffer of `limit` should say about `all`.
std::string expected(const std::string& all, std::size_t limit) {
  if (all.size() <= limit) return all;
  return all.substr(0, limit / 2) + "\n[kbv: " + std::to_string(all.size() - limit) + " bytes left out]\n" +
         all.substr(all.size() - (limit - limit / 2));
}

TEST(OutputBufferTest, KeepsAllThatFits) {
  OutputBuffer buffer(10);
  buffer.append("12345");
  buffer.append("67890");
  EXPECT_EQ(buffer.text(), "1234567890");
}

TEST(OutputBufferTest, NothingMayBeKept) {
  OutputBuffer buffer(0);
  buffer.append("abc");
  EXPECT_EQ(buffer.text(), "\n[kbv: 3 bytes left out]\n");
}

TEST(OutputBufferTest, AnyPiecesGiveTheSame) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t limit = random() % 40;
    OutputBuffer buffer(limit);
    std::string all;
    for (unsigned pieces = random() % 12; pieces > 0; --pieces) {
      std::string piece(random() % 30, '\0');
      for (char& letter : piece) letter = static_cast<char>('a' + random() % 26);
      buffer.append(piece);
      all += piece;
    }
    ASSERT_EQ(buffer.text(), expected(all, limit)) << "limit " << limit;
  }
}

}  // namespace
}  // namespace kbv
