// SPDX-License-Identifier: MIT
#include "look/cuda_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbv {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(std::string_view source) {
  const CudaTokens tokens(source);
  std::vector<std::string> found;
  for (const LookToken& token : tokens.all()) found.emplace_back(token.text);
  return found;
}

TEST(CudaTokens, CommentsAreNothing) {
  EXPECT_THAT(texts("a // b\n/* c\nd */ e // f\\\ng\nh"), ElementsAre("a", "e", "h"));
  EXPECT_THAT(texts("a /* never closed"), ElementsAre("a"));
}

TEST(CudaTokens, StringsAreOneTokenWithoutQuotes) {
  EXPECT_THAT(texts(R"(f("a // b", 'c', L"d\"e"))"), ElementsAre("f", "(", "a // b", ",", "c", ",", "d\\\"e", ")"));
  EXPECT_THAT(texts("x = \"never closed\ny"), ElementsAre("x", "=", "never closed", "y"));
}

TEST(CudaTokens, RawStringsEndAtTheirDelimiter) {
  EXPECT_THAT(texts("R\"x(a )\" \" b)x\" c"), ElementsAre("a )\" \" b", "c"));
  EXPECT_THAT(texts("R\"(never closed"), ElementsAre("never closed"));
}

TEST(CudaTokens, ContinuedLinesAreJoined) {
  const CudaTokens tokens("cuda\\\nStream\\  \nCreate(x)");
  ASSERT_GE(tokens.all().size(), 2u);
  EXPECT_EQ(tokens.all()[0].text, "cudaStreamCreate");
  EXPECT_EQ(tokens.all()[0].offset, 0u);
  EXPECT_EQ(tokens.all()[1].offset, 22u);  // in the source, not in what was joined
}

TEST(CudaTokens, DigraphsOfTheHash) {
  EXPECT_THAT(texts("%:define P(a, b) a %:%: b"),
              ElementsAre("#", "define", "P", "(", "a", ",", "b", ")", "a", "##", "b"));
}

TEST(CudaTokens, DirectivesAreMarkedToTheEndOfTheirLine) {
  const CudaTokens tokens("#define A \\\n b\nc");
  ASSERT_EQ(tokens.all().size(), 5u);
  EXPECT_TRUE(tokens.all()[0].line_start);
  EXPECT_TRUE(tokens.all()[3].directive);
  EXPECT_FALSE(tokens.all()[4].directive);
}

TEST(CudaTokens, LaunchBracketsAreNotTemplates) {
  EXPECT_THAT(texts("k<<<1, 2>>>(x); a<b<c<d>>> y"),
              ElementsAre("k", "<<<", "1", ",", "2", ">>>", "(", "x", ")", ";", "a", "<", "b", "<", "c", "<", "d", ">",
                          ">", ">", "y"));
}

TEST(CudaTokens, NumbersWithSuffixesAndSeparators) {
  EXPECT_THAT(texts("1e-5f 0x1p3 1'000 .5f a.5"), ElementsAre("1e-5f", "0x1p3", "1'000", ".5f", "a", ".5"));
}

TEST(CudaTokens, TheNumberIsBounded) {
  std::string many;
  for (std::size_t i = 0; i < k_max_look_tokens + 10; ++i) many += "a ";
  const CudaTokens tokens(many);
  EXPECT_EQ(tokens.all().size(), k_max_look_tokens);
  EXPECT_TRUE(tokens.cut_off());
}

TEST(CudaTokens, AnyBytesGiveTokensInOrder) {
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(i * 37 + i / 7);
  const CudaTokens tokens(bytes);
  std::size_t last = 0;
  for (const LookToken& token : tokens.all()) {
    EXPECT_GE(token.offset, last);
    EXPECT_LE(token.offset, bytes.size());
    last = token.offset;
  }
}

}  // namespace
}  // namespace kbv
