// SPDX-License-Identifier: MIT
// An evaluation again: `kbv replay`, and the script that needs no kbv.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "run_kbv.h"

namespace kbv::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class Replay : public WithTorch {
 protected:
  /// What a script of ours prints, and how it ends.
  Ended run_script(const std::string& script) { return run_command("'" + python() + "' '" + script + "' 2>&1"); }
  Ended run_command(const std::string& command) {
    Ended ended;
    FILE* pipe = ::popen(command.c_str(), "r");
    char buffer[4096];
    for (std::size_t n; pipe && (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ended.out.append(buffer, n);
    ended.code = pipe ? WEXITSTATUS(::pclose(pipe)) : -1;
    return ended;
  }
  ProblemText relu() const {
    ProblemText problem;
    problem.inputs = "[torch.rand(32, 16)]";
    return problem;
  }
  std::string identity() const {
    ProblemText candidate;
    candidate.forward = "return x.clone()";
    return candidate.candidate();
  }
};

TEST_F(Replay, ARejectionAndItsScript) {
  const Ended first = eval(relu().text(), identity(), {"--no-timing", "--script", path("show.py")});
  ASSERT_EQ(first.code, 1) << first.out << first.err;
  const Ended again = kbv({"replay", path("observation.json")});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_THAT(again.out,
              AllOf(HasSubstr("9 of 9 untimed cases gave the same errors to the last bit"), HasSubstr("it agrees")));

  const Ended shown = run_script(path("show.py"));
  EXPECT_EQ(shown.code, 0) << shown.out;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("trial-0 (inputs x 1,"), HasSubstr("hidden-D4 (inputs x -1,"),
                               HasSubstr("hidden-D4 is wrong here")));
  EXPECT_THAT(shown.out, HasSubstr(json["verdicts"][0]["reason"].get<std::string>())) << "kbv's own reason";
  EXPECT_EQ(kbv({"replay", path("observation.json"), "--script", path("again.py")}).code, 0);
  std::ifstream a(path("show.py")), b(path("again.py"));
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(a), {}}), (std::string{std::istreambuf_iterator<char>(b), {}}));
}

TEST_F(Replay, HostileNamesAreShownHarmlessByKbvAndByTheScript) {
  const std::string name = "evil\x1b[31m\u202e\u2028\"'\n\xff.py";
  const std::string candidate = file(name, identity());
  const Ended first = kbv({"eval", file("relu.py", relu().text()), candidate, "--device", "cpu", "--python", python(),
                           "--no-timing", "--script", path("show.py")});
  ASSERT_EQ(first.code, 1) << first.out << first.err;
  std::ofstream(candidate, std::ios::app) << "# another file now\n";
  // Its name is not UTF-8, and so not in the script: said at its start.
  const std::string command = "'" + python() + "' '" + path("show.py") + "' '" + path("relu.py") + "' \"$FILE\" 2>&1";
  ::setenv("FILE", candidate.c_str(), 1);
  const Ended shown = run_command(command);
  EXPECT_EQ(shown.code, 0) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("is not the file that was evaluated"));
  for (const std::string& text : {first.out, shown.out, kbv({"eval", candidate, candidate, "--nonsense", name}).err,
                                  kbv({"show", candidate}).err, kbv({name}).err}) {
    EXPECT_FALSE(text.empty());
    for (const char* part : {"\x1b", "\u202e", "\u2028", "\xff"}) EXPECT_EQ(text.find(part), text.npos) << text;
  }
}

TEST_F(Replay, TheScriptHasConstructorsConstantsAndTuples) {
  ProblemText problem;
  problem.more = "rows = 4";
  problem.init_parameters = "width, scale";
  problem.init_inputs = "[16, torch.tensor([2.0, 3.0])]";
  problem.constructor = "self.linear = nn.Linear(width, width)\n        self.scale = scale";
  problem.parameters = "x, shift";
  problem.forward = "y = self.linear(x) * self.scale.sum()\n        return y + shift, {'rows': x.shape[0]}";
  problem.inputs = "[torch.randn(rows, 16), 0.5]";
  ProblemText candidate = problem;
  candidate.forward = "y = self.linear(x) * self.scale[0]\n        return y + shift, {'rows': x.shape[0]}";
  const Ended first =
      eval(problem.text(), candidate.candidate(), {"--no-timing", "--set", "rows=7", "--script", path("show.py")});
  ASSERT_EQ(first.code, 1) << first.out << first.err;
  const Ended shown = run_script(path("show.py"));
  EXPECT_EQ(shown.code, 0) << shown.out;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("trial-0 is wrong here"), HasSubstr("output[1]['rows'] element 0 is 7.0, expected 7.0")));
}

TEST_F(Replay, TheScriptShowsTheSameElementOfAFamily) {
  ProblemText problem, candidate;  // right on the problem's own inputs, up to three times as large
  candidate.forward = "return torch.relu(x).clamp(max=30)";
  problem.inputs = "[torch.randn(32, 16)]";
  const Ended first = eval(problem.text(), candidate.candidate(), {"--no-timing", "--script", path("show.py")});
  ASSERT_EQ(first.code, 1) << first.out << first.err;
  const std::string reason = json["verdicts"][0]["reason"];
  int row = -1, column = -1;
  char family[16] = "";
  ASSERT_EQ(std::sscanf(reason.c_str(), "family-%15[^:]: output[%d, %d] is 30", family, &row, &column), 3) << reason;
  const Ended shown = run_script(path("show.py"));
  EXPECT_EQ(shown.code, 0) << shown.out;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("hidden-D4 (inputs x -1,"),
                               HasSubstr(std::string("family-") + family + " is wrong here")));
  EXPECT_THAT(shown.out, HasSubstr("WRONG: output element " + std::to_string(16 * row + column) + " is 30.0"))
      << reason;
}

TEST_F(Replay, OtherParametersAreNoMatterForAScript) {
  ProblemText problem, candidate;  // a scale that is one as it is constructed
  problem.constructor = "self.scale = torch.nn.Parameter(torch.ones(16))";
  problem.forward = "return torch.relu(x) * self.scale";
  candidate.constructor = problem.constructor;
  const Ended first = eval(problem.text(), candidate.candidate(), {"--no-timing", "--script", path("show.py")});
  EXPECT_EQ(first.code, 1) << "the verdict stands: " << first.out << first.err;
  EXPECT_THAT(json["verdicts"][0]["reason"].get<std::string>(), testing::StartsWith("parameters-P1-"));
  EXPECT_THAT(first.out, AllOf(HasSubstr("no script: an output with other parameters decided"),
                               HasSubstr("kbv replay makes it again")));
  EXPECT_FALSE(std::filesystem::exists(path("show.py")));
  const Ended again = kbv({"replay", path("observation.json")});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
}

TEST_F(Replay, OfACorrectCandidate) {
  const Ended first = eval(relu().text(), relu().candidate(), {"--no-timing", "--script", path("show.py")});
  ASSERT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_FALSE(std::filesystem::exists(path("show.py"))) << "there is nothing to show";
  EXPECT_EQ(kbv({"replay", path("observation.json")}).code, 0);
  const Ended script = kbv({"replay", path("observation.json"), "--script", path("show.py")});
  EXPECT_EQ(script.code, 2);
  EXPECT_THAT(script.err, HasSubstr("no script: the verdict is correct"));
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Replay, AnObservationThatSaysOtherwiseIsNotAgreedWith) {
  ASSERT_EQ(eval(relu().text(), identity()).code, 1);
  for (auto& result : json["cases"])
    for (auto& output : result["outputs"]) output["stats"]["tau"] = 0.0;  // as if D4 had gone well
  file("forged.json", json.dump());
  const Ended again = kbv({"replay", path("forged.json")});
  EXPECT_EQ(again.code, 1) << again.out << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("verified: correct then, wrong_output now"), HasSubstr("it does not agree")));
}

TEST_F(Replay, OtherFilesAreRefused) {
  ASSERT_EQ(eval(relu().text(), identity()).code, 1);
  const std::string moved = file("moved.py", identity());
  file("candidate.py", relu().candidate());
  const Ended changed = kbv({"replay", path("observation.json")});
  EXPECT_EQ(changed.code, 2);
  EXPECT_THAT(changed.err, HasSubstr("not the candidate that was evaluated"));
  EXPECT_EQ(kbv({"replay", path("observation.json"), "--candidate", moved}).code, 0);
  EXPECT_EQ(kbv({"replay", path("absent.json")}).code, 2);
  EXPECT_EQ(kbv({"replay", file("broken.json", "{")}).code, 2);
}

}  // namespace
}  // namespace kbv::test
