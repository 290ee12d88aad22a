// SPDX-License-Identifier: MIT
// Every format of a small leaderboard, to the letter, and hostile names in each.
#include "report/leaderboard_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/leaderboard_tables.h"

namespace kbv {
namespace {

using testing::HasSubstr;
using testing::Not;

LeaderboardInput small_input(const std::string& run) {
  LeaderboardInput input;
  input.protocol = "verified";
  input.baseline = "tf32_on";
  input.statistic = "means";
  input.memory = true;
  input.problems = {{1, 1, "1_A", {}, std::string(64, 'a')}, {1, 2, "2_B", {}, {}}, {1, 3, "3_C", "always zero", {}}};
  LeaderboardSample good;
  good.run = run;
  good.score.code = "correct";
  good.score.correct = true;
  good.score.speedup = 2;
  good.score.memory_ratio = 0.5;
  good.score.tried_distributions = {"D1", "D4"};
  good.standard = good.hidden = good.score;
  LeaderboardSample wrong = good;
  wrong.problem = 1;
  wrong.score = SampleScore();
  wrong.score.code = "wrong_output";
  wrong.score.tried_distributions = {"D1", "D4"};
  wrong.score.failed_distributions = {"D4"};
  wrong.hidden = wrong.score;
  input.samples = {good, wrong};
  return input;
}

Leaderboard small_board(const std::string& run = "model") { return make_leaderboard(small_input(run), {1}); }

TEST(LeaderboardCsv, HasAStableHeaderAndOneFigureALine) {
  const std::string csv = leaderboard_csv(small_board());
  EXPECT_THAT(csv, testing::StartsWith("run,level,metric,value,low,high,problems\r\nmodel,0,correct,0.5,0,1,2\r\nmodel,"
                                       "0,speedup,2,,,1\r\nmodel,0,fast_1,0.5,0,1,2\r\n"
                                       "model,0,memory_efficiency,0.5,,,1\r\nmodel,0,memory_efficient,0,0,0,2\r\n"));
  for (const char* line : {"\r\nmodel,1,pass_at_1,0.5,0,1,2\r\n", "\r\nmodel,1,excluded,1,,,\r\n",
                           "\r\nmodel,1,verdict:wrong_output,1,,,\r\n", "\r\nmodel,1,failed:D4,1,,,\r\n",
                           "\r\nmodel,1,tried:D4,2,,,\r\n", "\r\n,0,affected:hidden_only,1,,,\r\n"})
    EXPECT_THAT(csv, HasSubstr(line));
}

TEST(LeaderboardCsv, QuotesAndDisarms) {
  EXPECT_EQ(csv_text("plain name"), "plain name");
  EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_text("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_text("=1+1"), "'=1+1");
  EXPECT_EQ(csv_text("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
  EXPECT_EQ(csv_text("@a"), "'@a");
  EXPECT_EQ(csv_text("-1"), "'-1");
  EXPECT_EQ(csv_text("+1"), "'+1");
  EXPECT_EQ(csv_text(" =1"), "\"' =1\"");
  EXPECT_EQ(csv_text("a;=1"), "\"a;=1\"");
  EXPECT_EQ(csv_text("\uFF1D1"), "'\uFF1D1");
  EXPECT_EQ(csv_text("a\r\nb\t\xff"), "a\\r\\nb\\t\\xff");
  EXPECT_EQ(csv_text(""), "");
}

TEST(LeaderboardMarkdown, EscapesWhatMeansSomething) {
  EXPECT_EQ(markdown_text("wrong_output"), "wrong\\_output");
  EXPECT_EQ(markdown_text("a|b\n<script>&"), "a\\|b\\\\n&lt;script\\>&amp;");
  EXPECT_EQ(markdown_text("[x](javascript:1) `c` *b* ![i]"), "\\[x\\](javascript\\:1) \\`c\\` \\*b\\* \\!\\[i\\]");
  EXPECT_EQ(markdown_text("https://www.evil.example"), "https\\://www\\.evil.example");
  EXPECT_EQ(markdown_text("@you a@b.example fast@1 RUN @ FILE #1 # 1"),
            "@<!-- -->you a@<!-- -->b.example fast@1 RUN @ FILE #<!-- -->1 \\# 1");
}

TEST(LeaderboardMarkdown, TheMainTable) {
  EXPECT_THAT(leaderboard_markdown(small_board("m|x")),
              HasSubstr("## Leaderboard\n\n"
                        "| level | run | problems | correct % | speedup | fast@1 % | memory | leaner % |\n"
                        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
                        "| 1 | m\\|x | 2 | 50.0 | 2.00x | 50.0 | 0.50x | 0.0 |\n"));
}

TEST(LeaderboardTable, TheMainTableAndWhatIsLeftOut) {
  const std::string text = leaderboard_table(small_board("evil\x1b[31m\nname"), {});
  EXPECT_THAT(text,
              HasSubstr("level  run                 problems  correct %  speedup  fast@1 %  memory  leaner %\n"
                        "1      evil\\x1b[31m\\nname         2       50.0    2.00x      50.0   0.50x       0.0\n"));
  EXPECT_THAT(text, HasSubstr("Excluded problems"));
  EXPECT_THAT(text, HasSubstr("    1    3  3_C   always zero\n"));
  EXPECT_THAT(text, HasSubstr("0.0 (0/2)  50.0 (1/2)\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(LeaderboardTable, SaysWhereCellsAreEqualByConstruction) {
  LeaderboardInput input = small_input("model");
  EXPECT_THAT(leaderboard_table(make_leaderboard(input), {}), Not(HasSubstr("a CPU has no TF32")));
  input.samples[0].hidden->host = true;
  EXPECT_THAT(leaderboard_table(make_leaderboard(input), {}), HasSubstr("a CPU has no TF32"));
}

TEST(LeaderboardJson, HoldsEverythingAndReadsBack) {
  const auto json = nlohmann::json::parse(leaderboard_json(small_board("bad \xff\"name")));
  EXPECT_EQ(json["schema"], "kbv-score/1");
  EXPECT_EQ(json["tolerance"], nullptr);
  EXPECT_EQ(json["problems"][0]["sha256"], std::string(64, 'a'));
  EXPECT_EQ(json["problems"][1]["sha256"], nullptr);
  EXPECT_EQ(json["problems"][2]["excluded"], "always zero");
  const auto& run = json["runs"][0];
  EXPECT_EQ(run["run"], "bad \xef\xbf\xbd\"name") << "U+FFFD for what is no UTF-8";
  EXPECT_EQ(run["all"]["level"], nullptr);
  EXPECT_EQ(run["levels"][0]["level"], 1);
  const auto& figures = run["levels"][0]["figures"];
  EXPECT_EQ(figures["correct"], (nlohmann::json{{"value", 0.5}, {"interval", {0.0, 1.0}}, {"problems", 2}}));
  EXPECT_NEAR(figures["speedup"]["value"].get<double>(), 2, 1e-12);
  EXPECT_EQ(figures["speedup"]["interval"], nullptr);
  EXPECT_EQ(run["levels"][0]["verdicts"], (nlohmann::json{{"correct", 1}, {"wrong_output", 1}}));
  EXPECT_EQ(run["problems"][0]["best_sample"], 0);
  EXPECT_EQ(run["problems"][1]["best_sample"], nullptr);
  EXPECT_EQ(run["problems"][1]["code"], "wrong_output");
  EXPECT_EQ(run["problems"][2]["counts"], false);
  EXPECT_EQ(run["problems"][2]["code"], nullptr);
  EXPECT_EQ(run["levels"][0]["decomposition"]["fp32_hidden"]["correct"]["value"], 0.5);
  EXPECT_EQ(json["affected"][0]["hidden_only"], 1);
}

TEST(LeaderboardFormats, OfNothing) {
  LeaderboardInput input;
  input.protocol = "attested";
  const Leaderboard empty = make_leaderboard(input);
  EXPECT_EQ(leaderboard_csv(empty), "run,level,metric,value,low,high,problems\r\n");
  EXPECT_TRUE(leaderboard_tables(empty).empty());
  EXPECT_TRUE(nlohmann::json::parse(leaderboard_json(empty))["runs"].empty());
}

}  // namespace
}  // namespace kbv
