// SPDX-License-Identifier: MIT
// A script that is made of a stranger's text is still the script; tests/e2e/replay_test.cpp runs them.
#include "report/reproducer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "made.h"
#include "report/text.h"

namespace kbv {

extern const std::string_view k_reproducer_source;

namespace {

TEST(Reproducer, HostileTextStaysInItsLiteral) {
  const auto source = split_lines(k_reproducer_source);
  for (const std::string& text : test::hostile_texts()) {
    Observation observation = test::wrong_observation();
    observation.problem.path = "problems/" + text;
    observation.candidate.path = text;
    observation.size = text;
    for (CaseResult& result : observation.cases)
      for (OutputCheck& output : result.outputs) output.path = "output['" + text + "']";
    Verdict verdict = judge_observation(observation, test::protocol("attested"));
    ASSERT_EQ(verdict.code, "wrong_output");
    verdict.reason = text;
    const auto script = reproducer_script(observation, verdict);
    ASSERT_TRUE(script) << script.error().message;
    for (const char c : *script) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << "ASCII, in lines of ours";
    const auto lines = split_lines(*script);
    ASSERT_EQ(lines.size(), source.size());
    int changed = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i] == source[i]) continue;
      ++changed;
      constexpr std::string_view k_begin = "FACTS = json.loads(", k_end = ")  # kbv writes them here";
      ASSERT_TRUE(lines[i].starts_with(k_begin) && lines[i].ends_with(k_end)) << lines[i];
      const auto literal =
          nlohmann::json::parse(lines[i].substr(k_begin.size(), lines[i].size() - k_begin.size() - k_end.size()));
      const auto facts = nlohmann::json::parse(literal.get<std::string>());
      if (nlohmann::json::parse(json_text(nlohmann::json(text))) == text) EXPECT_EQ(facts["reason"], text);
      EXPECT_EQ(facts["outputs"].size(), 1u);
    }
    EXPECT_EQ(changed, 1);
  }
}

}  // namespace
}  // namespace kbv
