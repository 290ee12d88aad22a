// SPDX-License-Identifier: MIT
// kbv score on campaigns that are made here, without a Python or a device.
#include "../score/sample_observation.h"
#include "base/secret.h"
#include "run_kbv.h"
#include "store/campaign.h"

namespace kbv::test {
namespace {

class Score : public EndToEnd {
 protected:
  /// Two problems: one solved 1.25x over tf32_on (1.5x over eager), one returned as it came in, which only D4 sees.
  std::string campaign(const std::string& name, const std::string& source = "class Model: ...") {
    auto opened = Campaign::open(path(name)).value();
    for (const int number : {1, 2}) {
      const auto problem =
          opened->add_problem({0, 1, number, std::to_string(number) + "_ReLU", sha256_hex(source), source}).value();
      const auto candidate =
          opened->add_candidate({0, "=evil|\x1b[31mrun", problem, 0, "a.py", sha256_hex("x"), "x"}).value();
      Observation observation = good_observation();
      if (number == 2) observation.cases = relu_cases([](double x) { return x; });
      EXPECT_TRUE(opened->add_observation(candidate, observation));
    }
    return path(name);
  }
  nlohmann::json figures(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "score");
    arguments.insert(arguments.end(), {"--format", "json"});
    const Ended ended = kbv(arguments);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return nlohmann::json::parse(ended.out)["runs"][0]["all"]["figures"];
  }
};

TEST_F(Score, ThreeProtocolsFromTheSameObservations) {
  const std::string file = campaign("a.kbv");
  const auto kernelbench = figures({file, "--protocol", "kernelbench"});
  EXPECT_EQ(kernelbench["correct"]["value"], 1.0);
  EXPECT_NEAR(kernelbench["speedup"]["value"].get<double>(), 1.5, 0.01);
  const auto verified = figures({file, "--protocol", "verified"});
  EXPECT_EQ(verified["correct"]["value"], 0.5) << "D4";
  EXPECT_NEAR(verified["speedup"]["value"].get<double>(), 1.25, 0.01);
  EXPECT_EQ(figures({file})["fast_1"]["value"], 0.5);
  EXPECT_EQ(figures({file, "-k", "1"})["pass_at_1"]["value"], 0.5);
  EXPECT_NEAR(figures({file, "--baseline", "eager"})["speedup"]["value"].get<double>(), 1.5, 0.01);
}

TEST_F(Score, EveryFormatIsSafe) {
  const std::string file = campaign("a.kbv");
  for (const std::string format : {"table", "md", "csv", "json"}) {
    const Ended ended = kbv({"score", file, "--format", format});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_THAT(ended.out, testing::Not(testing::HasSubstr("\x1b"))) << format;
    EXPECT_EQ(ended.out, kbv({"score", file, "--format", format}).out) << "the same to the last digit";
  }
  EXPECT_THAT(kbv({"score", file, "--format", "csv"}).out,
              testing::HasSubstr("\r\n'=evil|\\x1b[31mrun,1,correct,0.5,0,1,2\r\n"));
  EXPECT_THAT(kbv({"score", file, "--format", "md"}).out, testing::HasSubstr("| =evil\\|\\\\x1b\\[31mrun |"));
}

TEST_F(Score, BadUsage) {
  const std::string first = campaign("a.kbv"), second = campaign("b.kbv", "another problem");
  for (const auto& [arguments, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{first, second}, "another problem in " + second},
           {{first, first}, "given twice"},
           {{path("missing.kbv")}, "missing.kbv"},
           {{file("text.kbv", "no campaign")}, "text.kbv"},
           {{first, "--protocol", "recorded", "--baseline", "torch"}, "no baseline was recorded"}}) {
    std::vector<std::string> all = arguments;
    all.insert(all.begin(), "score");
    const Ended ended = kbv(all);
    EXPECT_EQ(ended.code, 2) << message;
    EXPECT_THAT(ended.err, testing::HasSubstr(message));
    EXPECT_EQ(ended.out, "");
  }
  EXPECT_EQ(kbv({"score"}).code, 2);
  EXPECT_EQ(kbv({"score", first, "--protocol", "mine"}).code, 2);
}

TEST_F(Score, AnEmptyCampaignSaysSo) {
  ASSERT_TRUE(Campaign::open(path("empty.kbv")));
  const Ended ended = kbv({"score", path("empty.kbv")});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, testing::HasSubstr("no candidates are in there"));
}

}  // namespace
}  // namespace kbv::test
