// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "mutate/mutations.h"

namespace kbv {
namespace {

using testing::SizeIs;

const std::vector<Family> k_all(std::begin(k_mutation_families), std::end(k_mutation_families));

std::vector<Mutant> mutants() {
  std::string body;
  for (int i = 0; i < 20; ++i)
    body += "  p[n] += q[n] * 1.5f;  // a line that is long enough to be a place of its own\n";
  return *all_mutants("A = '''void f(float* p) {\n" + body + "}'''");
}

std::vector<std::size_t> places(const std::vector<Mutant>& chosen) {
  std::vector<std::size_t> out;
  for (const Mutant& mutant : chosen) out.push_back(mutant.begin);
  return out;
}

TEST(Choose, FamiliesInTurn) {
  std::map<Family, int> of;
  for (const Mutant& mutant : choose_mutants(mutants(), k_all, 12, 1)) ++of[mutant.family];
  EXPECT_THAT(of, SizeIs(4)) << "index, operator, constant, precision";
  for (const auto& [family, count] : of) EXPECT_EQ(count, 3) << to_string(family);
}

TEST(Choose, RulesOfAFamilyInTurn) {
  std::map<std::string, int> of;
  for (const Mutant& mutant : choose_mutants(mutants(), {Family::constant}, 6, 1)) ++of[mutant.rule];
  EXPECT_EQ(of["number"], 3);
  EXPECT_EQ(of["number by 1 %"], 3);
}

TEST(Choose, PlacesFarApart) {
  const auto chosen = choose_mutants(mutants(), {Family::index}, 6, 1);
  std::set<int> lines;
  for (const Mutant& mutant : chosen) lines.insert(mutant.line);
  EXPECT_THAT(lines, SizeIs(6));
}

TEST(Choose, TheSameSeedChoosesTheSame) {
  const auto all = mutants();
  EXPECT_EQ(places(choose_mutants(all, k_all, 10, 7)), places(choose_mutants(all, k_all, 10, 7)));
  EXPECT_NE(places(choose_mutants(all, k_all, 10, 7)), places(choose_mutants(all, k_all, 10, 8)));
}

TEST(Choose, NoneTwiceAndNoMoreThanThereAre) {
  const auto all = mutants();
  const auto chosen = choose_mutants(all, k_all, 100'000, 1);
  EXPECT_EQ(chosen.size(), all.size());
  std::set<std::pair<std::size_t, std::string>> seen;
  for (const Mutant& mutant : chosen)
    EXPECT_TRUE(seen.emplace(mutant.begin, to_string(mutant.family) + mutant.new_text).second);
  for (const Mutant& mutant : choose_mutants(all, {Family::index}, 100'000, 1)) EXPECT_EQ(mutant.family, Family::index);
}

}  // namespace
}  // namespace kbv
