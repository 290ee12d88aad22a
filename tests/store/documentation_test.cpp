// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "../score/sample_observation.h"
#include "store/observation_json.h"

namespace kbv {
namespace {

void collect_keys(const nlohmann::json& json, std::set<std::string>& keys) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) keys.insert(key);
    if (value.is_structured() && key != "stage_seconds" && key != "constants" && key != "left_out") collect_keys(value, keys);
  }
}

TEST(Documentation, NamesEveryField) {
  Observation observation = test::good_observation();
  observation.timing.busy_after_calls = 1;  // some evidence
  observation.refused_calls = {{"seccomp", "ptrace", true}};
  observation.source_labels = {"looked at", "", 0.1, {{"files", 3, 1, "open"}}, {{"files", 2}}};
  observation.noise = Noise{{{"noise-D1", 1, {{1, 1, true, 1, 1, 1, 1, {{"mean", 1, 1, 1, 1, 1, 1}}, {{"mean", 1, 1, 1, 1, 1, 1}}}}}}, {{1, 1}}, ""};
  observation.fault = Error{Fault::candidate, "crash", "", ""};
  std::vector<Verdict> verdicts{judge_observation(observation, test::protocol("attested"))};
  std::set<std::string> keys;
  collect_keys(nlohmann::json::parse(observation_to_json(observation, verdicts)), keys);
  ASSERT_GT(keys.size(), 80u);

  std::ifstream file(KBV_DOCS_DIR "/observation.md");
  ASSERT_TRUE(file);
  std::ostringstream text;
  text << file.rdbuf();
  for (const std::string& key : keys)
    EXPECT_NE(text.str().find("`" + key + "`"), std::string::npos) << "docs/observation.md does not name " << key;
}

}  // namespace
}  // namespace kbv
