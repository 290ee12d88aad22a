// SPDX-License-Identifier: MIT
#include "mutate/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbv {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(std::string_view source) {
  const auto tokens = tokenise(source);
  std::vector<std::string> out;
  for (const Token& token : *tokens) out.emplace_back(source.substr(token.begin, token.end - token.begin));
  return out;
}

TEST(Tokens, LongestPunctuators) {
  EXPECT_THAT(texts("a<<=b->c++ <d>=e&&!f"),
              ElementsAre("a", "<<=", "b", "->", "c", "++", "<", "d", ">=", "e", "&&", "!", "f"));
}

TEST(Tokens, Numbers) {
  EXPECT_THAT(texts("1e-5f+0x1p-3 1'000u .5 3.f 0xffu-1"),
              ElementsAre("1e-5f", "+", "0x1p-3", "1'000u", ".5", "3.f", "0xffu", "-", "1"));
}

TEST(Tokens, CommentsAndPreprocessorLinesGiveNone) {
  EXPECT_THAT(texts("a // b\n/* c\n d */ e\n  #define F \\\n  g\nh # i"), ElementsAre("a", "e", "h", "#", "i"));
  EXPECT_THAT(texts("// to the end"), IsEmpty());
  EXPECT_THAT(texts("a /* open"), ElementsAre("a"));
}

TEST(Tokens, StringsStayWhole) {
  EXPECT_THAT(texts(R"x("a + \" b" 'c' '\'' R"y(d " ) + )y" e)x"),
              ElementsAre("\"a + \\\" b\"", "'c'", "'\\''", "R\"y(d \" ) + )y\"", "e"));
  EXPECT_THAT(texts("\"open\na"), ElementsAre("\"open", "a"));
  EXPECT_THAT(texts("R\"(open"), ElementsAre("R\"(open"));
  EXPECT_THAT(texts("'\\"), ElementsAre("'\\"));
}

TEST(Tokens, LaunchBracketsAreNotTemplateBrackets) {
  EXPECT_THAT(texts("k<<<g, b>>>(x)"), ElementsAre("k", "<<<", "g", ",", "b", ">>>", "(", "x", ")"));
  EXPECT_THAT(texts("A<B<C<D>>> e"), ElementsAre("A", "<", "B", "<", "C", "<", "D", ">", ">", ">", "e"));
}

TEST(Tokens, AnyBytesEnd) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (std::size_t begin = 0; begin < bytes.size(); ++begin) {
    const auto tokens = tokenise(std::string_view(bytes).substr(begin));
    ASSERT_TRUE(tokens);
    for (const Token& token : *tokens) EXPECT_LT(token.begin, token.end);
    if (!tokens->empty()) EXPECT_LE(tokens->back().end, bytes.size() - begin);
  }
}

TEST(Tokens, TooManyAreRefused) {
  const auto tokens = tokenise(std::string(k_max_tokens + 1, ';'));
  ASSERT_FALSE(tokens);
  EXPECT_EQ(tokens.error().fault, Fault::usage);
  EXPECT_TRUE(tokenise(std::string(k_max_tokens, ';')));
}

TEST(Tokens, NormalisedForgetsLayoutOnly) {
  const auto same = [](std::string_view a, std::string_view b) {
    return normalised(a, *tokenise(a)) == normalised(b, *tokenise(b));
  };
  EXPECT_TRUE(same("a+b; // c", "a\n +  b;"));
  EXPECT_FALSE(same("a+b;", "a-b;"));
  EXPECT_FALSE(same("ab", "a b"));
}

}  // namespace
}  // namespace kbv
