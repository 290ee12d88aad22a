// SPDX-License-Identifier: MIT
#include "mutate/code.h"

#include <gtest/gtest.h>

namespace kbv {
namespace {

/// A source and the places in it, by the text of a token and which one it is.
struct Source {
  explicit Source(std::string source) : text(std::move(source)), code(*Code::parse(text)) {}
  std::size_t find(std::string_view token, int which = 1) const {
    for (std::size_t i = 0; i < code.size(); ++i)
      if (code.is(i, token) && --which == 0) return i;
    ADD_FAILURE() << token << " is not in " << text;
    return code.size();
  }
  std::string text;
  Code code;
};

TEST(Code, TemplateBracketsAreNotRelations) {
  const Source s("void f() { if (a < b && c > d) x.data_ptr<float>(); std::vector<std::vector<int>> v; i<n; }");
  EXPECT_TRUE(s.code.is_binary(s.find("<")));
  EXPECT_TRUE(s.code.is_binary(s.find(">")));
  EXPECT_FALSE(s.code.is_binary(s.find("<", 2)));
  EXPECT_TRUE(s.code.in_template(s.find("int")));
  EXPECT_TRUE(s.code.is_binary(s.find("<", 5)));
}

TEST(Code, ProductsAreNotPointersOrSigns) {
  const Source s("void f(float* p, Moments *q) { x = a * b; y = -a; z = *p; const float* r = p - 1; return -b; }");
  EXPECT_FALSE(s.code.is_binary(s.find("*", 1)));
  EXPECT_FALSE(s.code.is_binary(s.find("*", 2)));
  EXPECT_TRUE(s.code.is_binary(s.find("*", 3)));
  EXPECT_FALSE(s.code.is_binary(s.find("*", 4)));
  EXPECT_FALSE(s.code.is_binary(s.find("-", 1)));
  EXPECT_TRUE(s.code.is_binary(s.find("-", 2)));
  EXPECT_FALSE(s.code.is_binary(s.find("-", 3)));
}

TEST(Code, SubscriptsAreNotExtentsOrLambdas) {
  const Source s(
      "void f() { __shared__ float t[8][9], u[7]; float v = t[1][2]; t[3][4] = [&](int i) { return u[5]; }(0); int "
      "w[2] = {u[6]}; }");
  for (const char* extent : {"8", "9", "7"}) EXPECT_FALSE(s.code.is_subscript(s.find(extent) - 1)) << extent;
  for (const char* index : {"1", "3", "4", "5", "6"}) EXPECT_TRUE(s.code.is_subscript(s.find(index) - 1)) << index;
  EXPECT_FALSE(s.code.is_subscript(s.find("&") - 1));
}

TEST(Code, Declarations) {
  const Source s(
      "void f() { const float* p = q; unsigned n = 1; torch::Tensor t = u; auto x = 2; std::vector<int> v(3); a = 4; "
      "g(5); sum += 6; return 7; a * b; }");
  for (const char* name : {"p", "n", "t", "x", "v"})
    EXPECT_TRUE(s.code.is_declaration(s.code.statement_begin(s.find(name)))) << name;
  for (const char* in : {"4", "5", "6", "7"}) {
    std::size_t i = s.find(in);
    if (s.code.inside(i, "(")) i = s.code.enclosing(i);
    EXPECT_FALSE(s.code.is_declaration(s.code.statement_begin(i))) << in;
  }
  EXPECT_FALSE(s.code.is_declaration(s.find("a", 2)));
}

TEST(Code, WhatANameWasDeclaredAs) {
  const Source s(
      "void f(float* p, int n) { double d = 0, e; __shared__ float t[4]; for (int i = 0;;) d += p[i] + t[0] + n + e; } "
      "int g() { int d; d = 1; }");
  EXPECT_EQ(s.code.scalar(s.find("p", 2)), Scalar::real32);
  EXPECT_EQ(s.code.scalar(s.find("n", 2)), Scalar::integer);
  EXPECT_EQ(s.code.scalar(s.find("d", 2)), Scalar::real64);
  EXPECT_EQ(s.code.scalar(s.find("e", 2)), Scalar::real64);
  EXPECT_EQ(s.code.scalar(s.find("i", 2)), Scalar::integer);
  EXPECT_EQ(s.code.scalar(s.find("d", 4)), Scalar::integer);
  EXPECT_TRUE(s.code.declared_shared(s.find("t", 2)));
  EXPECT_FALSE(s.code.declared_shared(s.find("p", 2)));
}

TEST(Code, AnotherFunctionsNamesAreOthers) {
  const Source s("void f(float* p) { p[0] = 1; } void g(Tensor p) { p = 2; }");
  EXPECT_EQ(s.code.scalar(s.find("p", 2)), Scalar::real32);
  EXPECT_EQ(s.code.scalar(s.find("p", 4)), Scalar::other);
}

TEST(Code, PartsOfAFor) {
  const Source s("void f() { for (int i = 1; i < 2; i += 3) g(4); }");
  EXPECT_EQ(s.code.for_part(s.find("1")), ForPart::init);
  EXPECT_EQ(s.code.for_part(s.find("2")), ForPart::condition);
  EXPECT_EQ(s.code.for_part(s.find("3")), ForPart::step);
  EXPECT_EQ(s.code.for_part(s.find("4")), ForPart::none);
}

TEST(Code, KernelsAndHost) {
  const Source s("__device__ int g(int);\n__global__ void k(float* p) { p[1] = 2; }\nvoid h() { k<<<3, 4>>>(q); }");
  EXPECT_STREQ(s.code.part(s.find("2")), "kernel");
  EXPECT_STREQ(s.code.part(s.find("3")), "host");
  EXPECT_STREQ(Source("void h() { a = 1; }").code.part(0), "C++");
}

TEST(Code, BracketsThatDoNotMatchAreLeftAlone) {
  for (const char* text : {"(", ")", "f(]", "for (", "for (;;", "a[b", "x<", "x<y(", "{ ( }", "__global__ void", "if (",
                           "[", "]", "= {", "float", "*", "+"}) {
    const Source s(text);
    for (std::size_t i = 0; i <= s.code.size(); ++i) {
      EXPECT_LE(s.code.statement_end(i), s.code.size()) << text;
      EXPECT_LE(s.code.expression_end(i), s.code.size()) << text;
      EXPECT_LE(s.code.statement_begin(i), s.code.size()) << text;
      EXPECT_FALSE(s.code.is_subscript(i)) << text;
    }
  }
}

}  // namespace
}  // namespace kbv
