// SPDX-License-Identifier: MIT
#include "cli/campaign_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <thread>

#include "../score/sample_observation.h"
#include "os/interrupt.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Runner : public testing::Test {
 protected:
  Runner() {
    std::string name = (fs::temp_directory_path() / "kbv-runner-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    campaign_ = std::move(*Campaign::open((folder_ / "c.kbv").string()));
    problem_.id = *campaign_->add_problem({0, 1, 1, "1_A", "hash", "source"});
    out_ = std::tmpfile();
  }
  ~Runner() override {
    clear_interrupt();
    std::fclose(out_);
    fs::remove_all(folder_);
  }

  void add(int count) {
    for (int i = 0; i < count; ++i) {
      const auto id = campaign_->add_candidate({0, "r", problem_.id, i, "x.py", "hash", "source"});
      jobs_.push_back({*id, "sample " + std::to_string(i), &problem_, "1_A.py"});
    }
  }
  Result<void> run(EvaluateJob evaluate, RunnerOptions options = {}) {
    RunProgress progress(jobs_.size(), out_, false);
    CampaignRunner runner(*campaign_, std::move(evaluate), options, progress);
    auto done = runner.run(jobs_);
    failed_ = runner.failed();
    std::rewind(out_);
    char block[4096];
    for (std::size_t n; (n = std::fread(block, 1, sizeof block, out_)) > 0;) printed_.append(block, n);
    return done;
  }
  static Observation machine_failed() {
    Observation seen = test::good_observation();
    seen.fault = Error{Fault::machine, "device_lost", "the GPU fell off the bus", {}};
    return seen;
  }

  fs::path folder_;
  std::unique_ptr<Campaign> campaign_;
  CampaignProblem problem_;
  std::vector<RunnerJob> jobs_;
  std::FILE* out_;
  std::string printed_;
  int failed_ = 0;
};

TEST_F(Runner, AMachinesFaultIsTriedAgainAndNeverStoredAsTheCandidates) {
  add(1);
  int calls = 0;
  ASSERT_TRUE(
      run([&](auto&&...) -> Result<Observation> { return ++calls < 3 ? machine_failed() : test::good_observation(); }));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(failed_, 0);
  const auto seen = campaign_->observation(jobs_[0].candidate);
  ASSERT_TRUE(seen && *seen);
  EXPECT_FALSE((*seen)->fault);
  ASSERT_EQ(campaign_->failures(jobs_[0].candidate)->size(), 2u);
  EXPECT_EQ(campaign_->failures(jobs_[0].candidate)->at(0).code, "device_lost");
  EXPECT_THAT(printed_, HasSubstr("sample 0: the machine's fault, tried again: the GPU fell off the bus"));
  EXPECT_THAT(printed_, HasSubstr("1/1  sample 0  correct"));
}

TEST_F(Runner, WhatTheMachineKeepsFailingHasNoResult) {
  add(2);
  ASSERT_TRUE(run([&](const RunnerJob& job, auto&&...) -> Result<Observation> {
    return job.candidate == jobs_[0].candidate ? machine_failed() : test::good_observation();
  }));
  EXPECT_EQ(failed_, 1);
  EXPECT_FALSE(campaign_->observation(jobs_[0].candidate)->has_value());
  EXPECT_TRUE(campaign_->observation(jobs_[1].candidate)->has_value());
}

TEST_F(Runner, AMachineThatFailsEverythingEndsIt) {
  add(50);
  int calls = 0;
  const auto done =
      run([&](auto&&...) -> Result<Observation> { return ++calls, fail(Fault::machine, "no_disk", "disk full"); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault, Fault::machine);
  EXPECT_THAT(done.error().message, HasSubstr("3 candidates in a row"));
  EXPECT_THAT(done.error().message, HasSubstr("disk full"));
  EXPECT_EQ(calls, 9);
  EXPECT_TRUE(campaign_->observed()->empty());
}

TEST_F(Runner, BadInputIsNotTriedAgain) {
  add(1);
  int calls = 0;
  ASSERT_TRUE(
      run([&](auto&&...) -> Result<Observation> { return ++calls, fail(Fault::usage, "no_size", "no such size"); }));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(failed_, 1);
}

TEST_F(Runner, FaultsOfCandidateAndProblemAreResults) {
  add(2);
  ASSERT_TRUE(run([&](const RunnerJob& job, auto&&...) -> Result<Observation> {
    Observation seen = test::good_observation();
    seen.fault = Error{job.candidate == jobs_[0].candidate ? Fault::candidate : Fault::problem, "crash", "it died", {}};
    return seen;
  }));
  EXPECT_EQ(failed_, 0);
  EXPECT_EQ(campaign_->observed()->size(), 2u);
}

TEST_F(Runner, AnInterruptKeepsWhatIsDone) {
  add(5);
  int calls = 0;
  const auto done = run([&](auto&&...) -> Result<Observation> {
    if (++calls < 3) return test::good_observation();
    interrupt();
    return fail(Fault::machine, "interrupted", "interrupted");
  });
  EXPECT_EQ(done.error().code, "interrupted");
  EXPECT_EQ(campaign_->observed()->size(), 2u);
  EXPECT_TRUE(campaign_->failures(jobs_[2].candidate)->empty()) << "nobody's fault";
}

TEST_F(Runner, ThreadsShareTheWork) {
  add(200);
  std::mutex mutex;
  std::multiset<std::int64_t> seen;
  std::set<std::size_t> threads;
  RunnerOptions options;
  options.jobs = 4;
  ASSERT_TRUE(run(
      [&](const RunnerJob& job, const CampaignCandidate& candidate, std::size_t thread,
          const auto& stage) -> Result<Observation> {
        stage("build");
        EXPECT_EQ(job.candidate, candidate.id);
        EXPECT_EQ(candidate.source, "source");
        {
          const std::lock_guard guard(mutex);
          seen.insert(job.candidate);
          threads.insert(thread);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return test::good_observation();
      },
      options));
  EXPECT_EQ(seen.size(), 200u);
  EXPECT_EQ(std::set<std::int64_t>(seen.begin(), seen.end()).size(), 200u);
  EXPECT_EQ(threads.size(), 4u);
  EXPECT_EQ(campaign_->observed()->size(), 200u);
}

TEST(ProgressLine, TellsHowFarItIs) {
  RunState state;
  state.total = 100;
  EXPECT_EQ(progress_line(state), "0/100 done | building 0, waiting 0, on the device 0");
  state.done = 20;
  state.failed = 1;
  state.elapsed_s = 200;
  state.stages = {{"build", 3}, {"start", 1}, {"wait for the device", 2}, {"timing", 1}};
  state.verdicts = {{"correct", 12}, {"wrong_output", 8}};
  EXPECT_EQ(progress_line(state),
            "20/100 done, 1 failed by the machine, 360 an hour, 13 min left | building 4, waiting 2, on the device 1 | "
            "correct 12, wrong_output 8");
}

TEST(ProgressLine, DurationsAreRough) {
  EXPECT_EQ(rough_duration(-1), "0 s");
  EXPECT_EQ(rough_duration(99.4), "99 s");
  EXPECT_EQ(rough_duration(100), "2 min");
  EXPECT_EQ(rough_duration(92 * 60), "92 min");
  EXPECT_EQ(rough_duration(3 * 3600 + 20 * 60), "3 h 20 min");
}

}  // namespace
}  // namespace kbv
