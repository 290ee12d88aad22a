// SPDX-License-Identifier: MIT
#include "store/campaign.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "../score/sample_observation.h"
#include "base/secret.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class CampaignFile : public testing::Test {
 protected:
  CampaignFile() {
    std::string name = (fs::temp_directory_path() / "kbv-campaign-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    path_ = (folder_ / "c.kbv").string();
  }
  ~CampaignFile() override { fs::remove_all(folder_); }

  std::unique_ptr<Campaign> open() {
    auto campaign = Campaign::open(path_);
    EXPECT_TRUE(campaign) << campaign.error().message;
    return std::move(*campaign);
  }
  static CampaignProblem problem(int level, int number, const std::string& source = "class Model: ...") {
    return {0, level, number, std::to_string(number) + "_Thing", sha256_hex(source), source};
  }
  static CampaignCandidate candidate(std::int64_t of, int sample, const std::string& source = "class ModelNew: ...") {
    return {0, "run a", of, sample, "runs/a.py", sha256_hex(source), source};
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(CampaignFile, KeepsWhatItWasGiven) {
  const std::string bytes("\xff\0\n'--", 6);
  {
    auto campaign = open();
    ASSERT_TRUE(campaign->set("suite", "kernelbench"));
    ASSERT_TRUE(campaign->set("suite", "verified"));
    const auto first = campaign->add_problem(problem(2, 7, bytes));
    const auto other = campaign->add_problem(problem(1, 19));
    ASSERT_TRUE(first && other);
    EXPECT_EQ(*campaign->add_problem(problem(2, 7, bytes)), *first) << "the same once more";
    const auto one = campaign->add_candidate(candidate(*first, 3, bytes));
    const auto two = campaign->add_candidate(candidate(*other, 0));
    ASSERT_TRUE(one && two);
    EXPECT_EQ(*campaign->add_candidate(candidate(*first, 3, bytes)), *one);
    Observation seen = test::good_observation();
    seen.candidate_output = "\x1b[2J";
    ASSERT_TRUE(campaign->add_observation(*one, seen));
    ASSERT_TRUE(campaign->add_failure(*two, {Fault::machine, "device_lost", "gone", "log"}));
  }
  auto campaign = Campaign::read(path_);
  ASSERT_TRUE(campaign) << campaign.error().message;
  EXPECT_EQ((*campaign)->settings()->at("suite"), "verified");
  const auto problems = (*campaign)->problems();
  ASSERT_EQ(problems->size(), 2u);
  EXPECT_EQ(problems->at(0).number, 19) << "by level first";
  EXPECT_EQ(problems->at(1).source, bytes);
  const auto candidates = (*campaign)->candidates();
  ASSERT_EQ(candidates->size(), 2u);
  EXPECT_EQ(candidates->at(1).sample, 3);
  EXPECT_EQ(candidates->at(1).path, "runs/a.py");
  EXPECT_EQ(candidates->at(1).source, "") << "left out of lists";
  const auto id = candidates->at(1).id;
  EXPECT_EQ((*campaign)->candidate(id)->source, bytes);
  EXPECT_THAT((*campaign)->observed().value(), ElementsAre(id));
  const auto seen = (*campaign)->observation(id);
  ASSERT_TRUE(seen && *seen) << seen.error().message;
  EXPECT_EQ((*seen)->candidate_output, "\x1b[2J");
  EXPECT_EQ((*seen)->cases.size(), test::good_observation().cases.size());
  const auto other = candidates->at(0).id;
  EXPECT_FALSE((*campaign)->observation(other)->has_value());
  ASSERT_EQ((*campaign)->failures(other)->size(), 1u);
  EXPECT_EQ((*campaign)->failures(other)->at(0).code, "device_lost");
  EXPECT_FALSE((*campaign)->set("suite", "x")) << "it is only read";
  EXPECT_EQ((*campaign)->candidate(999).error().code, "no_candidate");
}

TEST_F(CampaignFile, RecordedResultsAreKeptToTheByte) {
  auto campaign = open();
  RecordedResult result{"r", 1, 2, 0, "kernelbench", "standard", true, false, {}, {}, R"({"x": NaN})"};
  ASSERT_TRUE(campaign->add_recorded(result));
  result.runtime_ms = 0.25;
  result.peak_bytes = 1ull << 40;
  ASSERT_TRUE(campaign->add_recorded(result)) << "the later one counts";
  const auto rows = campaign->recorded();
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->at(0).runtime_ms, 0.25);
  EXPECT_EQ(rows->at(0).peak_bytes, 1ull << 40);
  EXPECT_EQ(rows->at(0).json, R"({"x": NaN})");
  ASSERT_TRUE(campaign->add_recorded_baseline({"H100", "torch", 1, "1_A", {}, {}, "null"}));
  ASSERT_TRUE(campaign->add_recorded_baseline({"H100", "torch", 1, "2_B", 1.5, 7, "{}"}));
  const auto baselines = campaign->recorded_baselines();
  ASSERT_EQ(baselines->size(), 2u);
  EXPECT_FALSE(baselines->at(0).mean_ms);
  EXPECT_EQ(baselines->at(1).mean_ms, 1.5);
}

TEST_F(CampaignFile, NeverMixesTwoVersions) {
  auto campaign = open();
  const auto id = campaign->add_problem(problem(1, 1));
  const auto other = campaign->add_problem(problem(1, 1, "changed"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, "other_problem");
  EXPECT_EQ(other.error().fault, Fault::usage);
  EXPECT_THAT(other.error().message, HasSubstr("level 1 no. 1"));
  ASSERT_TRUE(campaign->add_candidate(candidate(*id, 0)));
  EXPECT_EQ(campaign->add_candidate(candidate(*id, 0, "changed")).error().code, "other_candidate");
}

TEST_F(CampaignFile, TogetherIsAllOrNothing) {
  auto campaign = open();
  const auto failed = campaign->together([&]() -> Result<void> {
    KBV_TRY(campaign->add_problem(problem(1, 1)));
    return fail(Fault::usage, "no", "no");
  });
  EXPECT_EQ(failed.error().code, "no");
  EXPECT_TRUE(campaign->problems()->empty());
  ASSERT_TRUE(campaign->together([&]() -> Result<void> {
    KBV_TRY(campaign->add_problem(problem(1, 1)));
    return {};
  }));
  EXPECT_EQ(campaign->problems()->size(), 1u);
}

TEST_F(CampaignFile, OneWriterAndAnyReaders) {
  auto writer = open();
  EXPECT_EQ(Campaign::open(path_).error().code, "locked");
  auto reader = Campaign::read(path_);
  ASSERT_TRUE(reader);
  ASSERT_TRUE(writer->add_problem(problem(1, 1)));
  EXPECT_EQ((*reader)->problems()->size(), 1u);
  writer.reset();
  EXPECT_TRUE(Campaign::open(path_));
}

TEST_F(CampaignFile, WhatIsNoneIsRefusedAndLeftAsItIs) {
  EXPECT_EQ(Campaign::read(path_).error().fault, Fault::usage);
  EXPECT_FALSE(fs::exists(path_)) << "reading makes no file";
  EXPECT_EQ(Campaign::read(folder_.string()).error().code, "bad_campaign");
  const std::string text = "not a database at all, but longer than a header of SQLite's, which has 100 bytes, and then some more of it";
  std::ofstream(path_) << text;
  EXPECT_EQ(Campaign::read(path_).error().code, "bad_campaign");
  EXPECT_EQ(Campaign::open(path_).error().fault, Fault::usage);
  std::ifstream in(path_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
}

TEST_F(CampaignFile, ANewerVersionIsRefused) {
  open();
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(60);  // user_version in the header
  file.write("\0\0\0\x63", 4);
  file.close();
  EXPECT_THAT(Campaign::read(path_).error().message, HasSubstr("version 99"));
  EXPECT_THAT(Campaign::open(path_).error().message, HasSubstr("version 99"));
}

/// A writer is killed at any moment: what it said was stored is there, and the file is whole.
TEST_F(CampaignFile, SurvivesKill9) {
  std::size_t before = 0;
  for (int round = 0; round < 10; ++round) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto campaign = Campaign::open(path_);
      if (!campaign) ::_exit(1);
      for (int i = 0;; ++i) {
        const auto id = (*campaign)->add_problem(problem(round, i));
        const auto made = (*campaign)->add_candidate(candidate(*id, 0));
        if (!made || !(*campaign)->add_observation(*made, test::good_observation())) ::_exit(1);
        if (::write(told[1], "x", 1) != 1) ::_exit(1);
      }
    }
    ::close(told[1]);
    char byte;
    for (int i = 0; i < 1 + round; ++i) ASSERT_EQ(::read(told[0], &byte, 1), 1);
    std::this_thread::sleep_for(std::chrono::microseconds(371 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    std::size_t stored = 1 + static_cast<std::size_t>(round);
    while (::read(told[0], &byte, 1) == 1) ++stored;
    ::close(told[0]);
    auto campaign = Campaign::read(path_);
    ASSERT_TRUE(campaign) << campaign.error().message;
    const auto ids = (*campaign)->observed();
    ASSERT_TRUE(ids) << ids.error().message;
    EXPECT_GE(ids->size(), before + stored);
    EXPECT_LE(ids->size(), before + stored + 1);
    for (const auto id : *ids) EXPECT_TRUE((*campaign)->observation(id)->has_value());
    before = ids->size();
  }
  open();
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder_)) files.push_back(entry.path().filename());
  EXPECT_THAT(files, ElementsAre("c.kbv"));
}

}  // namespace
}  // namespace kbv
