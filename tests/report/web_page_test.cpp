// SPDX-License-Identifier: MIT
// Whole pages, as a browser would read them but without one; browser_test.sh has one.
#include "report/web_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "made.h"
#include "report/campaign_page.h"
#include "report/units.h"
#include "report/web_sections.h"
#include "store/leaderboard_input.h"

namespace kbv {

extern const std::string_view k_web_page_style;

namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class WebPageTest : public testing::Test {
 protected:
  WebPageTest() {
    std::string name = testing::TempDir() + "kbv-page-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~WebPageTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }

  std::string campaign(const std::string& name, const test::MadeCampaign& made) {
    auto writer = Campaign::open(path(name));
    EXPECT_TRUE(writer);
    const auto filled = test::fill_campaign(**writer, made);
    EXPECT_TRUE(filled) << filled.error().message;
    return path(name);
  }

  std::string page_of(const std::vector<std::string>& campaigns) {
    const auto made = write_campaign_page(campaigns, path("page.html"));
    EXPECT_TRUE(made) << made.error().message;
    if (made) EXPECT_EQ(made->bytes, std::filesystem::file_size(path("page.html")));
    std::ifstream file(path("page.html"), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::string page_of_made(const test::MadeCampaign& made) { return page_of(std::vector{campaign("c.db", made)}); }

  std::filesystem::path folder_;
};

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "";
  return text.substr(from + begin.size(), text.find(end, from + begin.size()) - from - begin.size());
}

/// A tag without what stands in quotes.
std::string without_values(const std::string& tag) {
  std::string bare;
  bool inside = false;
  for (const char c : tag) {
    if (c == '"')
      inside = !inside;
    else if (!inside)
      bare += c;
  }
  return bare;
}

/// The data blocks by their ids.
std::map<std::string, json> blocks_of(const std::string& page) {
  std::map<std::string, json> blocks;
  const std::string begin = "<script type=\"application/json\" id=\"";
  for (std::size_t at = 0; (at = page.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    const std::string id = page.substr(at, page.find('"', at) - at);
    const std::size_t from = page.find('>', at) + 1, to = page.find("</script>", from);
    EXPECT_TRUE(blocks.emplace(id, json::parse(page.substr(from, to - from))).second) << id;
    at = to;
  }
  return blocks;
}

TEST_F(WebPageTest, ThePolicyAllowsWhatIsInThePageAndNothingElse) {
  const std::string page = page_of_made({.candidates = 60});
  const std::string policy = between(page, "<meta http-equiv=\"Content-Security-Policy\" content=\"", "\"");
  const std::string style = between(page, "<style>", "</style>"), script = between(page, "<script>", "</script>");
  EXPECT_EQ(style, k_web_page_style);
  EXPECT_EQ(script, web_script());
  EXPECT_THAT(policy, AllOf(HasSubstr("default-src &#39;none&#39;"), HasSubstr("base-uri &#39;none&#39;"),
                            HasSubstr("form-action &#39;none&#39;"),
                            HasSubstr("style-src &#39;" + policy_hash(style) + "&#39;"),
                            HasSubstr("script-src &#39;" + policy_hash(script) + "&#39;"), Not(HasSubstr("unsafe"))));
  EXPECT_LT(page.find("Content-Security-Policy"), page.find("<style>"));
}

TEST_F(WebPageTest, OwnStyleAndScriptEndWhereTheyShould) {
  EXPECT_THAT(std::string(k_web_page_style),
              AllOf(Not(HasSubstr("</")), Not(HasSubstr("url(")), Not(HasSubstr("@import"))));
  EXPECT_THAT(web_script(),
              AllOf(Not(HasSubstr("</")), Not(HasSubstr("<!--")), Not(HasSubstr("innerHTML")), Not(HasSubstr("eval(")),
                    Not(HasSubstr("insertAdjacent")), Not(HasSubstr("document.write")), Not(HasSubstr("fetch("))));
}

TEST_F(WebPageTest, CandidatesAddNoMarkup) {
  const std::string page = page_of_made({.candidates = 500, .runs = 3});
  // Elements, wherever they come from, are ours: names, attributes, and how often each script and style occurs.
  std::map<std::string, int> names;
  for (std::size_t at = 0; (at = page.find('<', at)) != std::string::npos;) {
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string whole = page.substr(at, end + 1 - at);
    if (whole[1] != '/') {
      ++names[whole.substr(1, whole.find_first_of(" >", 1) - 1)];
      const std::string bare = without_values(whole);
      for (const char* never : {" on", " style", " src", " action", " formaction", " srcdoc", "'"})
        EXPECT_THAT(bare, Not(HasSubstr(never))) << whole;
      const std::string href = between(whole, "href=\"", "\"");
      EXPECT_TRUE(href.empty() || href[0] == '#') << whole;
    }
    at = whole == "<style>"             ? page.find("</style>", at)
         : whole.starts_with("<script") ? page.find("</script>", at)
                                        : end + 1;
  }
  EXPECT_EQ(names["style"], 1);
  EXPECT_EQ(names["meta"], 5);
  for (const char* never : {"img", "base", "form", "iframe", "object", "embed", "link", "template"})
    EXPECT_EQ(names.count(never), 0u) << never;
  const auto blocks = blocks_of(page);
  EXPECT_EQ(names["script"], static_cast<int>(blocks.size()) + 1);
}

TEST_F(WebPageTest, EveryCandidateHasDetailsAndASource) {
  const std::string page = page_of_made({.candidates = 200, .runs = 2});
  const auto blocks = blocks_of(page);
  const json& index = blocks.at("index");
  ASSERT_EQ(index["candidates"].size(), 200u);
  std::set<std::string> sources;
  for (const json& row : index["candidates"]) {
    const json& details = blocks.at("d" + std::to_string(row[0].get<int>()));
    const std::string key = details["source"];
    EXPECT_THAT(blocks.at("s" + key).get<std::string>(), HasSubstr("class ModelNew"));
    sources.insert(key);
    EXPECT_EQ(row[4].size(), 3u);
    for (const json& section : details["sections"]) EXPECT_TRUE(section.is_array() && section[0].is_string());
  }
  EXPECT_LT(sources.size(), 195u);  // the same ones are there once
  EXPECT_EQ(index["rules"], json({"kernelbench", "verified", "attested"}));
}

/// A table's cells as the page has them, row by row.
std::string html_rows(const LeaderboardTable& table) {
  Html html;
  table_element(html, table);
  return html.take();
}

TEST_F(WebPageTest, TablesAreThoseOfTheScore) {
  const std::string file = campaign("c.db", {.candidates = 300, .runs = 2});
  const std::string page = page_of({file});
  const Leaderboard board = make_leaderboard(read_leaderboard({file}, {}).value());
  for (const auto& make : {decomposition_table, tolerance_table, affected_table, distribution_table}) {
    const LeaderboardTable table = make(board);
    ASSERT_FALSE(table.rows.empty()) << table.title;
    EXPECT_THAT(page, HasSubstr(html_rows(table))) << table.title;
  }
  EXPECT_THAT(page, Not(HasSubstr("class=\"why\"")));
  // From the lenient corner to the strict one, and different: the chart has something to show.
  const auto& cells = board.runs.front().all.decomposition->cells;
  ASSERT_NE(show_factor(*cells[0][0].speedup.value), show_factor(*cells[1][1].speedup.value));
  EXPECT_THAT(page, HasSubstr(">" + show_factor(*cells[0][0].speedup.value) + " \u2192 " +
                              show_factor(*cells[1][1].speedup.value) + "<"));
}

TEST_F(WebPageTest, WhatCanNotBeKnownIsSaidWithTheReason) {
  const auto page_with = [&](const char* name, const std::function<void(Observation&)>& change) {
    auto writer = Campaign::open(path(name));
    CampaignProblem problem;
    problem.level = problem.number = 1;
    problem.name = "1_A";
    CampaignCandidate candidate;
    candidate.run = "model";
    candidate.problem = (*writer)->add_problem(problem).value();
    const std::int64_t id = (*writer)->add_candidate(candidate).value();
    Observation observation = test::good_observation();
    change(observation);
    EXPECT_TRUE((*writer)->add_observation(id, observation));
    writer->reset();
    return page_of({path(name)});
  };
  EXPECT_THAT(page_with("machine.db", [](Observation& o) { o.fault = {Fault::machine, "gpu_lost", "lost", {}}; }),
              AllOf(HasSubstr("Not known: no sample has a verdict with the inputs as given"),
                    HasSubstr("Not known: no sample has a verdict that could be given again")));
  EXPECT_THAT(page_with("host.db", [](Observation& o) { o.machine.backend = "host"; }),
              HasSubstr("a CPU has no TF32: there both baselines are eager"));
  EXPECT_THAT(page_with("no_tf32.db",
                        [](Observation& o) {
                          std::erase_if(o.baselines, [](const auto& one) { return one.name == "tf32_on"; });
                        }),
              HasSubstr("no speedup over tf32_on: of no correct sample it was timed"));
}

TEST_F(WebPageTest, DetailsTellVerdictsReasonsAndLogs) {
  const auto verdicts = [](const Observation& o) {
    std::vector<Verdict> all;
    for (const char* name : {"kernelbench", "verified", "attested"})
      all.push_back(judge_observation(o, find_protocol(name).value()));
    return all;
  };
  const auto details = [&](const Observation& o) {
    SharedTexts shared;
    WebDetails given;
    given.observation = &o;
    given.verdicts = verdicts(o);
    return candidate_details(given, shared).json();
  };
  EXPECT_THAT(details(test::wrong_observation()),
              AllOf(HasSubstr("wrong_output"), HasSubstr("hidden-D4"), HasSubstr("D4 hidden")));
  EXPECT_THAT(details(test::build_error_observation()), AllOf(HasSubstr("Build log"), HasSubstr("thraedIdx")));
  EXPECT_THAT(details(test::crash_observation()), AllOf(HasSubstr("Traceback"), HasSubstr("boom()")));
  EXPECT_THAT(details(test::good_observation()), AllOf(HasSubstr("1.25x"), HasSubstr("tf32_on"),
                                                       HasSubstr("Memory of one call"), Not(HasSubstr("Build log"))));
}

TEST_F(WebPageTest, LongLogsAndSourcesAreBoundedAndSaySo) {
  auto page = WebPage::begin(path("long.html"));
  ASSERT_TRUE(page);
  Observation o = test::build_error_observation();
  o.build.log = "first error\n" + std::string(4u << 20, '<') + "\nlast line";
  o.candidate.path = std::string(1u << 20, 'n');
  WebDetails details;
  details.path = o.candidate.path;
  details.source_key = page->add_source(std::string(1u << 20, '&')).value();
  details.observation = &o;
  details.verdicts = {judge_observation(o, find_protocol("attested").value())};
  ASSERT_TRUE(page->add_details(1, details));
  WebInput input;
  input.title = std::string(1u << 20, '<');
  const auto bytes = page->finish(input);
  ASSERT_TRUE(bytes) << bytes.error().message;
  std::ifstream file(path("long.html"), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const auto blocks = blocks_of(text.str());
  EXPECT_EQ(blocks.at("s" + details.source_key).get<std::string>().size(), WebPage::k_source_limit);
  const std::string shown = blocks.at("d1").dump();
  EXPECT_THAT(shown, AllOf(HasSubstr("first error"), HasSubstr("last line"), HasSubstr("bytes are left out here")));
  EXPECT_LT(shown.size(), 100u << 10);
}

TEST_F(WebPageTest, RepeatedTextsAreSharedAndReadBack) {
  SharedTexts shared;
  const std::string text = "a text that is long enough to be shared";
  EXPECT_EQ(shared.number_of(text), std::nullopt);
  EXPECT_EQ(shared.number_of(text), 0);
  EXPECT_EQ(shared.number_of(text), 0);
  EXPECT_EQ(shared.number_of("short"), std::nullopt);
  EXPECT_EQ(shared.number_of("short"), std::nullopt);
  EXPECT_EQ(json::parse(shared.json().json()), json({text}));
}

TEST_F(WebPageTest, RunsOfTheSameNameAreToldApartByTheirCampaigns) {
  const std::string first = campaign("first.db", {.candidates = 10, .runs = 1, .hostile = false});
  const std::string second = campaign("second.db", {.candidates = 20, .runs = 2, .hostile = false});
  const auto blocks = blocks_of(page_of({first, second}));
  std::set<std::string> runs;
  for (const json& run : blocks.at("index")["runs"]) runs.insert(run);
  EXPECT_EQ(runs, (std::set<std::string>{"model-0-large @ " + first, "model-0-large @ " + second, "model-1-large"}));
  EXPECT_EQ(blocks.at("index")["problems"].size(), 250u);
  EXPECT_EQ(blocks.at("index")["candidates"].size(), 30u);
}

TEST_F(WebPageTest, AnEmptyCampaignMakesAPage) {
  const std::string page = page_of_made({.candidates = 0});
  EXPECT_THAT(page, HasSubstr("</html>"));
  EXPECT_TRUE(blocks_of(page).at("index")["candidates"].empty());
}

TEST_F(WebPageTest, APageThatCannotBeWrittenIsTheUsersFaultAndLeavesNothing) {
  const auto page = WebPage::begin(path("no/such/folder/page.html"));
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().fault, Fault::usage);
  EXPECT_THAT(page.error().message, HasSubstr("page.html"));
  std::filesystem::create_directory(path("taken"));
  auto taken = WebPage::begin(path("taken"));
  ASSERT_TRUE(taken);
  const auto finished = taken->finish(WebInput());
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().fault, Fault::usage);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()), 1);
}

}  // namespace
}  // namespace kbv
