// SPDX-License-Identifier: MIT
#include "mutate/python_literals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kbv {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<PythonLiteral>& literals, std::string_view file) {
  std::vector<std::string> out;
  for (const PythonLiteral& one : literals) out.emplace_back(file.substr(one.begin, one.end - one.begin));
  return out;
}

std::vector<std::string> all(std::string_view file) { return texts(python_literals(file), file); }
std::vector<std::string> cxx(std::string_view file) { return texts(cxx_literals(file), file); }

TEST(PythonLiterals, EveryKind) {
  EXPECT_THAT(all("a = 'x' + \"y\" + '''z\n'w' ''' # 'comment'\nb = r\"q\" rB'p' \"\""),
              ElementsAre("x", "y", "z\n'w' ", "q", "p", ""));
}

TEST(PythonLiterals, Prefixes) {
  const std::string_view file = "f'{a}' r'\\d' under'x'";
  const auto literals = python_literals(file);
  ASSERT_EQ(literals.size(), 3u);
  EXPECT_TRUE(literals[0].formatted);
  EXPECT_TRUE(literals[1].raw);
  EXPECT_FALSE(literals[2].raw || literals[2].formatted);
}

TEST(PythonLiterals, EscapedQuotesDoNotEnd) {
  EXPECT_THAT(all(R"('a\'b' "c\\" r'd\'e')"), ElementsAre("a\\'b", "c\\\\", "d\\'e"));
}

TEST(PythonLiterals, WhatDoesNotEndIsLeftOut) {
  EXPECT_THAT(all("'a' 'b\n'c'"), ElementsAre("a"));
  EXPECT_THAT(all("'''a"), IsEmpty());
  EXPECT_THAT(all("'a\\"), IsEmpty());
}

TEST(CxxLiterals, OnlySourceWithABody) {
  EXPECT_THAT(cxx("\"\"\"Words (and; more).\"\"\"\nA = 'void f(int x);'\nB = 'void f() { g(); }'\nC = '{\"a\": (1)}'"),
              ElementsAre("void f() { g(); }"));
}

TEST(CxxLiterals, AStructMayComeFirst) {
  EXPECT_THAT(cxx("A = 'struct S { int x; }; void f()\\n{ }'"), IsEmpty()) << "an escape";
  EXPECT_THAT(cxx("A = \"\"\"struct S { int x; };\nvoid f()\n{ g(); }\"\"\""),
              ElementsAre("struct S { int x; };\nvoid f()\n{ g(); }"));
}

TEST(CxxLiterals, OnlyWhatTheCompilerSeesAsItStands) {
  EXPECT_THAT(cxx("A = 'void f() { p(\"\\\\n\"); }'"), IsEmpty());
  EXPECT_THAT(cxx("A = r'void f() { p(\"\\n\"); }'"), ElementsAre("void f() { p(\"\\n\"); }"));
  EXPECT_THAT(cxx("A = f'void f() {{ {g}(); }}'"), IsEmpty());
}

}  // namespace
}  // namespace kbv
