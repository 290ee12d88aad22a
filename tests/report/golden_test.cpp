// SPDX-License-Identifier: MIT
// Whole reports against tests/report/golden/*.txt. After a wanted change: KBV_REGENERATE=1 report_test, then read the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "scenarios.h"

namespace kbv {
namespace {

struct Scenario {
  const char* name;
  Observation (*observation)();
  ReportStyle style;
};

const Scenario k_scenarios[] = {
    {"correct", test::good_observation, {}},
    {"correct_colour", test::good_observation, {true, 100, false}},
    {"correct_verbose", test::good_observation, {false, 100, true}},
    {"correct_narrow", test::good_observation, {false, 60, false}},
    {"wrong", test::wrong_observation, {}},
    {"crash", test::crash_observation, {}},
    {"build_error", test::build_error_observation, {}},
    {"machine_fault", test::machine_fault_observation, {}},
    {"problem_fault", test::problem_fault_observation, {}},
    {"unresolved", test::unresolved_observation, {}},
    {"hostile", test::hostile_observation, {}},
};

class Golden : public ::testing::TestWithParam<Scenario> {};

TEST_P(Golden, Report) {
  const Scenario& scenario = GetParam();
  const Observation observation = scenario.observation();
  const std::string report = terminal_report(observation, test::verdicts_of(observation), scenario.style);
  const std::string path = std::string(KBV_GOLDEN_DIR) + "/" + scenario.name + ".txt";
  if (std::getenv("KBV_REGENERATE")) {
    std::ofstream(path, std::ios::binary) << report;
    GTEST_SKIP() << "wrote " << path;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing: run with KBV_REGENERATE=1";
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(report, golden.str());
}

INSTANTIATE_TEST_SUITE_P(All, Golden, ::testing::ValuesIn(k_scenarios),
                         [](const auto& parameter) { return std::string(parameter.param.name); });

}  // namespace
}  // namespace kbv
