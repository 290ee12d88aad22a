// SPDX-License-Identifier: MIT
#include "mutate/mutations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

/// A candidate whose C++ is a function with this body.
std::string candidate(const std::string& body) {
  return "A = r'''\nvoid f(float* p, int n, float eps) {\n" + body + "\n}\n'''\n";
}

/// What a family makes of a function's body: the lines that changed, after the change.
std::vector<std::string> lines(Family family, const std::string& body) {
  const auto all = all_mutants(candidate(body));
  std::vector<std::string> out;
  for (const Mutant& mutant : *all)
    if (mutant.family == family) out.push_back(mutant.new_text);
  return out;
}

TEST(Mutations, Index) {
  EXPECT_THAT(lines(Family::index, "p[n * 2] = 3;"), ElementsAre("p[n * 2 + 1] = 3;"));
  EXPECT_THAT(lines(Family::index, "p[0] = p[n ? 1 : 2];"), Contains("p[0] = p[(n ? 1 : 2) + 1];"));
  EXPECT_THAT(lines(Family::index, "const float* q = p + r * n;"), ElementsAre("const float* q = p + r * (n - 1);"));
  EXPECT_THAT(lines(Family::index, "const int i = blockIdx.x / 4;"),
              UnorderedElementsAre("const int i = blockIdx.y / 4;", "const int i = blockIdx.x % 4;"));
  EXPECT_THAT(lines(Family::index, "for (int i = 0; i < n; i += 32) g();"),
              ElementsAre("for (int i = 0; i < n; i += 32 + 1) g();"));
  EXPECT_THAT(lines(Family::index, "float t[4]; x = a / b;"), IsEmpty());
}

TEST(Mutations, Bound) {
  EXPECT_THAT(lines(Family::bound, "for (int i = 0; i < n; ++i) g();"),
              UnorderedElementsAre("for (int i = 1; i < n; ++i) g();", "for (int i = 0; i <= n; ++i) g();",
                                   "for (int i = 0; i < n - 1; ++i) g();"));
  EXPECT_THAT(lines(Family::bound, "if (i >= n) return;"),
              UnorderedElementsAre("if (i > n) return;", "if (false) return;"));
  EXPECT_THAT(lines(Family::bound, "if (i < n && j) p[i] = 1;"), Contains("if (true) p[i] = 1;"));
  EXPECT_THAT(lines(Family::bound, "x = i < n ? p[i] : 0;"),
              UnorderedElementsAre("x = i <= n ? p[i] : 0;", "x = true ? p[i] : 0;"));
  EXPECT_THAT(lines(Family::bound, "x.data_ptr<float>(); if (x == y) g();"), IsEmpty());
}

TEST(Mutations, Operator) {
  EXPECT_THAT(lines(Family::arithmetic, "sum += a * b - c / d;"),
              UnorderedElementsAre("sum -= a * b - c / d;", "sum += a + b - c / d;", "sum += a * b + c / d;",
                                   "sum += a * b - c * d;"));
  EXPECT_THAT(lines(Family::arithmetic, "x = std::max(a, fminf(b, 1));"),
              UnorderedElementsAre("x = std::min(a, fminf(b, 1));", "x = std::max(a, fmaxf(b, 1));"));
  EXPECT_THAT(lines(Family::arithmetic, "if (a && b == 1) g(-p);"),
              UnorderedElementsAre("if (a || b == 1) g(-p);", "if (a && b != 1) g(-p);", "if (a && b == 1) g(p);"));
  EXPECT_THAT(lines(Family::arithmetic, "for (int i = 0; i < n; i += 2) g(&i, *p);"), IsEmpty()) << "it would not end";
}

TEST(Mutations, Constant) {
  EXPECT_THAT(lines(Family::constant, "x = 1.5f * y;"), UnorderedElementsAre("x = 3.0f * y;", "x = 1.515f * y;"));
  EXPECT_THAT(
      lines(Family::constant, "x = y / 2 + 1e-5;"),
      UnorderedElementsAre("x = y / 3 + 1e-5;", "x = y / 1 + 1e-5;", "x = y / 2 + 0.0001;", "x = y / 2 + 0.0;"));
  EXPECT_THAT(lines(Family::constant, "x = sqrt(y + eps);"),
              UnorderedElementsAre("x = sqrt(y + (10 * eps));", "x = sqrt(y + (0 * eps));"));
  EXPECT_THAT(lines(Family::constant, "for (int s = 8; s > k; s >>= 1) g();"),
              ElementsAre("for (int s = 8; s > k; s >>= 2) g();"));
  EXPECT_THAT(lines(Family::constant, "float t[4]; int s = 0; g(0xffffffff); T<3> u;"), IsEmpty());
}

TEST(Mutations, Sync) {
  EXPECT_THAT(lines(Family::sync, "if (n)\n  __syncthreads();\ntile.sync();\n__syncwarp(m);"),
              ElementsAre(";", ";", ";"));
  EXPECT_THAT(lines(Family::sync, "if (n) atomicAdd(&p[g(1, 2)], a + b);"),
              ElementsAre("if (n) *(&p[g(1, 2)]) += a + b;"));
  EXPECT_THAT(lines(Family::sync, "old = atomicAdd(p, 1); x.load(std::memory_order_acquire);"),
              ElementsAre("old = atomicAdd(p, 1); x.load(std::memory_order_relaxed);"));
}

TEST(Mutations, Precision) {
  const std::string half = "static_cast<float>(c10::Half(static_cast<float>(",
                    brain = "static_cast<float>(c10::BFloat16(static_cast<float>(";
  EXPECT_THAT(lines(Family::precision, "float sum = 0;\nsum += a * b;"),
              UnorderedElementsAre("sum = " + half + "sum + (a * b))));", "sum = " + brain + "sum + (a * b))));"));
  EXPECT_THAT(lines(Family::precision, "p[n] = a + b;"),
              UnorderedElementsAre("p[n] = " + half + "a + b)));", "p[n] = " + brain + "a + b)));"));
  EXPECT_THAT(lines(Family::precision, "n = std::exp(x);"),
              UnorderedElementsAre("n = std::exp(" + half + "x))));", "n = std::exp(" + brain + "x))));",
                                   "n = powf(1.0f + (x) / 4096.0f, 4096.0f);"));
  EXPECT_THAT(lines(Family::precision, "n = i + 1; float* q = p + n; float low = -INFINITY, one = 1.f;"), IsEmpty());
  const auto kernel = all_mutants("A = '__global__ void k(double* d) { double sum = (double)x; }'");
  EXPECT_EQ(std::count_if(kernel->begin(), kernel->end(), [](const Mutant& m) { return m.rule == "double to float"; }),
            2);
}

TEST(Mutations, Init) {
  EXPECT_THAT(lines(Family::init, "float sum = 0.0f, low = -INFINITY;"),
              UnorderedElementsAre("float sum = 1.0f, low = -INFINITY;", "float sum = 0.0f, low = 0.0f;"));
  EXPECT_THAT(lines(Family::init, "float t[2] = {};"), ElementsAre("float t[2] ;"));
  EXPECT_THAT(lines(Family::init, "auto x = torch::zeros(n);\nstd::fill(p, p + n, 1);"),
              ElementsAre("auto x = torch::empty(n);", ";"));
  EXPECT_THAT(lines(Family::init, "__shared__ float t[4];\nt[i] = x;"), ElementsAre(";"));
  EXPECT_THAT(lines(Family::init, "for (int i = 0; i < n; ++i) p[i] = 0;"), IsEmpty());
}

TEST(Mutations, CommentsStringsAndPreprocessorLinesAreLeftAlone) {
  const auto all = all_mutants(candidate("#define N (1 + 2)\n// p[n] = 1;\ng(\"p[n] + 1\");"));
  EXPECT_THAT(*all, IsEmpty());
}

TEST(Mutations, SayWhereTheyAre) {
  const std::string file = candidate("  p[1] = 2;\n  p[1] = 2;");
  std::vector<int> at, which;
  for (const Mutant& mutant : *all_mutants(file))
    if (mutant.family == Family::index) {
      EXPECT_EQ(mutant.old_text, "p[1] = 2;");
      at.push_back(mutant.line);
      which.push_back(mutant.occurrence);
    }
  EXPECT_THAT(at, ElementsAre(3, 4));
  EXPECT_THAT(which, ElementsAre(1, 2));
}

TEST(Mutations, APartOfTheSource) {
  const auto all =
      all_mutants("A = '''__global__ void k(float* p) { p[1] = 2; }\nvoid h(int n) { k<<<n + 1, 4>>>(q); }'''");
  std::set<std::string> kernel, host;
  for (const Mutant& mutant : *all) (mutant.line == 1 ? kernel : host).insert(mutant.part);
  EXPECT_THAT(kernel, ElementsAre("kernel"));
  EXPECT_THAT(host, ElementsAre("host"));
}

TEST(Mutations, FilesWithoutSourceGiveNone) {
  EXPECT_THAT(*all_mutants("import torch\nx = 1 + 2\n"), IsEmpty());
  EXPECT_FALSE(all_mutants(std::string((1u << 20) + 1, ' ')));
}

TEST(Mutations, FamiliesHaveTheirNames) {
  std::set<std::string> names;
  for (const Family family : k_mutation_families) {
    EXPECT_EQ(family_named(to_string(family)), family);
    names.insert(to_string(family));
  }
  EXPECT_EQ(names.size(), std::size(k_mutation_families));
  EXPECT_FALSE(family_named("nonsense"));
}

/// Each mutant of the own zoo's candidates differs from its original and from every other, in the source and nowhere
/// else.
TEST(Mutations, OfTheOwnZoo) {
  int with_mutants = 0;
  std::set<Family> families;
  for (const auto& entry : fs::directory_iterator(fs::path(KBV_SOURCE) / "zoo" / "honest")) {
    const auto file = read_file(entry.path().string(), "candidate");
    ASSERT_TRUE(file);
    const auto all = all_mutants(*file);
    ASSERT_TRUE(all) << entry.path();
    with_mutants += !all->empty();
    std::set<std::string> seen = {*file};
    for (const Mutant& mutant : *all) {
      families.insert(mutant.family);
      EXPECT_TRUE(seen.insert(mutant.apply(*file)).second) << entry.path() << ": " << mutant.new_text;
      EXPECT_NE(mutant.old_text, mutant.new_text) << entry.path();
      EXPECT_LT(mutant.end - mutant.begin, 400u) << entry.path() << ": " << mutant.old_text;
    }
  }
  EXPECT_GE(with_mutants, 40);
  EXPECT_EQ(families.size(), std::size(k_mutation_families));
}

}  // namespace
}  // namespace kbv
