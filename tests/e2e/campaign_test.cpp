// SPDX-License-Identifier: MIT
// A run folder through the real binary: into a campaign, killed, gone on with, shown.
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "run_kbv.h"

namespace kbv::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CampaignRuns : public WithTorch {
 protected:
  CampaignRuns() {
    // A suite of the test's own, and a run of it with one candidate of each kind.
    for (const char* folder : {"suite/level1", "suite/level2", "runs/some"}) fs::create_directories(path(folder));
    ProblemText relu, scale;
    scale.forward = "return 2 * x";
    file("suite/level1/1_ReLU.py", relu.text());
    file("suite/level1/2_Scale.py", scale.text());
    file("suite/level2/1_Again.py", relu.text());
    ProblemText wrong = relu, raises = relu, dies = relu;
    wrong.forward = "return x";
    raises.forward = "raise ValueError('\\x1b[31mno luck')";
    dies.forward = "import os; os.abort()";
    candidate(1, 1, 0, relu);
    candidate(1, 1, 1, wrong);
    candidate(1, 1, 2, dies);
    candidate(1, 2, 0, scale);
    candidate(1, 2, 1, raises);
    candidate(2, 1, 0, relu);
    ::setenv("XDG_STATE_HOME", path("state").c_str(), 1);
  }
  ~CampaignRuns() override { ::unsetenv("XDG_STATE_HOME"); }

  void candidate(int level, int number, int sample, const ProblemText& text) {
    file("runs/some/level_" + std::to_string(level) + "_problem_" + std::to_string(number) + "_sample_" +
             std::to_string(sample) + "_kernel.py",
         text.candidate());
  }
  std::vector<std::string> words(const std::string& campaign, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"run",          path("runs/some"), "--suite", path("suite"), "--out",
                                    path(campaign), "--device",        "cpu",     "--no-timing", "--no-families"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Verdicts by "level/number/sample", as `kbv show` lists them under KernelBench-Verified's rules.
  std::map<std::string, std::string> verdicts(const std::string& campaign) {
    const Ended shown = kbv({"show", path(campaign), "--protocol", "verified"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    std::map<std::string, std::string> all;
    std::istringstream lines(shown.out);
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      std::istringstream fields(line);
      std::string id, run, problem, sample, code;
      fields >> id >> run >> problem >> sample >> code;
      all[problem + "/" + sample] = code;
    }
    return all;
  }
  static const std::map<std::string, std::string>& expected() {
    static const std::map<std::string, std::string> all = {
        {"1/1_ReLU/0", "correct"},  {"1/1_ReLU/1", "wrong_output"},   {"1/1_ReLU/2", "crash"},
        {"1/2_Scale/0", "correct"}, {"1/2_Scale/1", "runtime_error"}, {"2/1_Again/0", "correct"}};
    return all;
  }
};

TEST_F(CampaignRuns, EveryCandidateGetsItsVerdictOnce) {
  Ended ended = kbv(words("c.kbv", {"--jobs", "2"}));
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("6 candidates, 0 judged already"), HasSubstr("6 judged in"), Not(HasSubstr("\r"))));
  EXPECT_EQ(verdicts("c.kbv"), expected());
  ended = kbv(words("c.kbv"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("6 candidates, 6 judged already"), HasSubstr("0 judged in")));

  // All of one, with nothing of a candidate's left to a terminal.
  std::string id = "0";
  for (int i = 1; i <= 6; ++i) {
    const Ended one = kbv({"show", path("c.kbv"), std::to_string(i)});
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_THAT(one.out, Not(HasSubstr("\x1b")));
    if (one.out.find("no luck") != std::string::npos) id = std::to_string(i);
  }
  EXPECT_NE(id, "0") << "its own words are shown";
  EXPECT_THAT(kbv({"show", path("c.kbv"), id, "--source"}).out, HasSubstr("class ModelNew"));
  const Ended files = kbv(
      {"show", path("c.kbv"), "2", "--files", path("files"), "--script", path("script.py"), "--protocol", "verified"});
  EXPECT_EQ(files.code, 0) << files.err;
  for (const char* name : {"problem.py", "candidate.py", "observation.json"})
    EXPECT_TRUE(fs::exists(path("files") + "/" + name)) << name;
  const Ended replayed = kbv({"replay", path("files/observation.json"), "--problem", path("files/problem.py"),
                              "--candidate", path("files/candidate.py"), "--device", "cpu"});
  EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
  EXPECT_EQ(kbv({"show", path("c.kbv"), "99"}).code, 2);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(CampaignRuns, KilledAtAnyMomentItGoesOn) {
  // Each life gets a little further than the one before; some die in their first candidate.
  for (const int milliseconds : {400, 2500, 4000, 5500}) {
    const pid_t pid = start(words("c.kbv"));
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    ::kill(pid, SIGKILL);
    finish(pid);
  }
  const Ended ended = kbv(words("c.kbv"));
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_EQ(verdicts("c.kbv"), expected());
}

TEST_F(CampaignRuns, AnInterruptIsNoVerdict) {
  const pid_t pid = start(words("c.kbv"));
  std::this_thread::sleep_for(std::chrono::milliseconds(3000));
  ::kill(pid, SIGINT);
  const Ended ended = finish(pid);
  EXPECT_EQ(ended.code, 130) << ended.out << ended.err;
  for (const auto& [place, code] : verdicts("c.kbv"))
    EXPECT_TRUE(code == "not" || code == expected().at(place)) << place << " " << code;
  EXPECT_EQ(kbv(words("c.kbv")).code, 0);
  EXPECT_EQ(verdicts("c.kbv"), expected());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(CampaignRuns, NothingIsJudgedAgainstAnotherVersion) {
  ASSERT_EQ(kbv(words("c.kbv", {"--only", "1/2", "--samples", "0"})).code, 0);
  EXPECT_THAT(verdicts("c.kbv"), testing::SizeIs(1));
  ProblemText other;
  other.forward = "return 3 * x";
  file("suite/level1/2_Scale.py", other.text());
  Ended ended = kbv(words("c.kbv"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("another version of level 1 no. 2"));
  EXPECT_THAT(verdicts("c.kbv"), testing::SizeIs(1)) << "all or nothing";

  // The same for a candidate, and for how they are judged.
  ASSERT_EQ(kbv(words("d.kbv", {"--only", "1/1", "--samples", "0"})).code, 0);
  candidate(1, 1, 0, other);
  ended = kbv(words("d.kbv"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("needs another campaign"));
  ended = kbv(words("d.kbv", {"--trials", "2"}));
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("trials = 5, and now it is 2"));
}

TEST_F(CampaignRuns, BadInputIsOneLineAndTouchesNothing) {
  for (const auto& [more, what] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{{{"--only", "9"}, "no candidate is left"},
                                                                     {{"--samples", "x"}, "--samples: x"},
                                                                     {{"--only", "1/"}, "--only: 1/"},
                                                                     {{"--devices", "cpu,cpu"}, "named twice"}}) {
    const Ended ended = kbv(words("c.kbv", more));
    EXPECT_EQ(ended.code, 2) << what;
    EXPECT_THAT(ended.err, HasSubstr(what));
    EXPECT_FALSE(fs::exists(path("c.kbv"))) << what;
  }
  file("note.txt",
       "a text that is not a database, and is longer than the hundred bytes that a header of one would take in a file");
  EXPECT_EQ(kbv(words("note.txt")).code, 2);
  EXPECT_EQ(kbv({"show", path("note.txt")}).code, 2);
  file("runs/some/generation_config.yaml", "precision: bf16\n");
  const Ended ended = kbv(words("c.kbv"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("give --precision"));
}

TEST_F(CampaignRuns, SuitesHaveNames) {
  const Ended added = kbv({"suite", "add", path("suite"), "--name", "mine"});
  EXPECT_EQ(added.code, 0) << added.err;
  EXPECT_THAT(added.out, AllOf(HasSubstr("mine"), HasSubstr("3 (level 1: 2, level 2: 1)"), HasSubstr("unknown")));
  EXPECT_THAT(kbv({"suite", "list"}).out, AllOf(HasSubstr("kbv\n"), HasSubstr("mine\n")));
  auto by_name = words("c.kbv", {"--only", "2"});
  by_name[3] = "mine";
  EXPECT_EQ(kbv(by_name).code, 0);
  by_name[3] = "nobodys";
  const Ended unknown = kbv(by_name);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there are: kbv, mine"));
}

}  // namespace
}  // namespace kbv::test
