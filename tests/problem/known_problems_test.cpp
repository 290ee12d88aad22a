// SPDX-License-Identifier: MIT
#include "problem/known_problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "base/file.h"
#include "base/secret.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr int k_problems_of[] = {0, 100, 100, 50};  // by level

const KnownProblem* find(const std::string& set, int level, int number) {
  for (const KnownProblem& problem : known_problems())
    if (problem.level == level && problem.number == number &&
        std::find(problem.sets.begin(), problem.sets.end(), set) != problem.sets.end())
      return &problem;
  return nullptr;
}

TEST(KnownProblems, EachSetHasEveryProblemOnce) {
  std::set<std::tuple<std::string, int, int>> found;
  std::map<std::string, int> count;
  for (const KnownProblem& problem : known_problems()) {
    ASSERT_TRUE(problem.level >= 1 && problem.level <= 3) << problem.name;
    EXPECT_TRUE(problem.number >= 1 && problem.number <= k_problems_of[problem.level]) << problem.name;
    EXPECT_TRUE(problem.name.starts_with(std::to_string(problem.number) + "_")) << problem.name;
    EXPECT_THAT(problem.sets, testing::Not(IsEmpty())) << problem.name;
    for (const std::string& set : problem.sets) {
      EXPECT_TRUE(found.emplace(set, problem.level, problem.number).second) << set << " " << problem.name;
      ++count[set];
    }
  }
  EXPECT_THAT(count, ElementsAre(std::pair("kernelbench", 250), std::pair("verified", 250)));
}

TEST(KnownProblems, AreFoundByTheirHashes) {
  std::set<std::string> hashes;
  for (const KnownProblem& problem : known_problems()) {
    EXPECT_EQ(problem.sha256.size(), 64u) << problem.name;
    EXPECT_EQ(problem.sha256.find_first_not_of("0123456789abcdef"), std::string::npos) << problem.name;
    EXPECT_TRUE(hashes.insert(problem.sha256).second) << problem.name;
    EXPECT_EQ(find_known_problem(problem.sha256), &problem) << problem.name;
  }
  EXPECT_EQ(find_known_problem(sha256_hex("another file")), nullptr);
  EXPECT_EQ(find_known_problem(""), nullptr);
}

TEST(KnownProblems, HaveTheDomainsThatFamiliesKnow) {
  const auto source = read_file(std::string(KBV_SOURCE) + "/src/worker/families.py", "families");
  ASSERT_TRUE(source);
  const std::size_t begin = source->find("\nDOMAINS = (");
  ASSERT_NE(begin, std::string::npos);
  const std::string allowed = source->substr(begin, source->find(')', begin) - begin);
  int named = 0;
  for (const KnownProblem& problem : known_problems()) {
    named += !problem.domains.empty();
    for (const std::string& domain : problem.domains)
      EXPECT_NE(allowed.find('"' + domain + '"'), std::string::npos) << problem.name << ": " << domain;
    if (std::count(problem.domains.begin(), problem.domains.end(), "keep")) {
      EXPECT_NE(problem.note, "") << problem.name << ": why is it kept?";
    }
  }
  EXPECT_EQ(named, 20);
  EXPECT_THAT(find("kernelbench", 1, 98)->domains, ElementsAre("positive", "prob"));
  EXPECT_THAT(find("verified", 3, 36)->domains, ElementsAre("real", "keep", "keep"));
  EXPECT_THAT(find("kernelbench", 1, 19)->domains, IsEmpty());
}

TEST(KnownProblems, SayWhichAreVacuous) {
  std::map<std::string, std::set<std::pair<int, int>>> vacuous;
  for (const KnownProblem& problem : known_problems())
    if (!problem.vacuous.empty())
      for (const std::string& set : problem.sets) vacuous[set].insert({problem.level, problem.number});
  for (const char* set : {"kernelbench", "verified"})
    EXPECT_THAT(vacuous[set], ElementsAre(Pair(2, 23), Pair(2, 36), Pair(2, 45), Pair(2, 80), Pair(2, 83), Pair(3, 28))) << set;
}

TEST(KnownProblems, AreTheFilesOfAClone) {
  const char* clone = std::getenv("KBV_KERNELBENCH");
  if (!clone || !*clone) GTEST_SKIP() << "KBV_KERNELBENCH names no clone of KernelBench or of KernelBench-Verified";
  std::map<std::string, int> of_set;
  int files = 0;
  for (const int level : {1, 2, 3})
    for (const auto& file :
         fs::directory_iterator(fs::path(clone) / "KernelBench" / ("level" + std::to_string(level)))) {
      if (file.path().extension() != ".py") continue;
      const auto bytes = read_file(file.path().string(), "problem");
      ASSERT_TRUE(bytes) << bytes.error().message;
      const KnownProblem* problem = find_known_problem(sha256_hex(*bytes));
      ASSERT_TRUE(problem) << file.path();
      EXPECT_EQ(problem->level, level) << file.path();
      EXPECT_EQ(problem->name, file.path().stem().string());
      for (const std::string& set : problem->sets) ++of_set[set];
      ++files;
    }
  EXPECT_EQ(files, 250);
  EXPECT_THAT(of_set, Contains(testing::Pair(testing::_, 250)));
}

}  // namespace
}  // namespace kbv
