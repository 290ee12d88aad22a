// SPDX-License-Identifier: MIT
// Whatever goes wrong ends with a clear line, whose fault it is, the right exit code, and nothing left behind.
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "base/file.h"
#include "run_kbv.h"

namespace kbv::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Usage : public EndToEnd {};

TEST_F(Usage, BadInputIsOneLineAndExitCode2) {
  const std::string relu = file("relu.py", ProblemText().text());
  struct Case {
    std::vector<std::string> arguments;
    std::string says;
  };
  for (const Case& one : std::vector<Case>{
           {{"eval", path("absent.py"), relu}, "absent.py"},
           {{"eval", relu, path("absent.py")}, "absent.py"},
           {{"eval", relu, path("tmp")}, "tmp"},
           {{"eval", relu, relu, "--protocol", "friendly"}, "friendly"},
           {{"eval", relu, relu, "--set", "rows"}, "rows"},
           {{"eval", relu, relu, "--python", "/nowhere/python"}, "/nowhere/python"},
           {{"eval", relu, relu, "--device", "tpu"}, "tpu"},
           {{"eval", relu, relu, "--precision", "fp8"}, "fp8"},
           {{"eval", relu}, "CANDIDATE"},
           {{"sanitize", path("absent.py"), relu}, "absent.py"},
           {{"sanitize", relu, relu, "--tools", "memcheck,leakcheck"}, "leakcheck"},
           {{"sanitize", relu, relu, "--device", "cpu", "--sanitizer", path("absent")}, "absent"},
           {{"zoo", "--folder", path("absent")}, "absent"},
           {{"zoo", "--only", "no-such-candidate"}, "no candidate matches"},
           {{"problem", "check", path("absent")}, "absent"},
           {{"frobnicate"}, "frobnicate"},
           {{}, "Usage:"},
       }) {
    const Ended ended = kbv(one.arguments);
    EXPECT_EQ(ended.code, 2) << testing::PrintToString(one.arguments) << ended.out << ended.err;
    EXPECT_THAT(ended.err, HasSubstr(one.says)) << testing::PrintToString(one.arguments);
    EXPECT_THAT(ended.err, Not(HasSubstr("terminate called")));
  }
  EXPECT_THAT(leftovers(), testing::IsEmpty());
}

class Faults : public WithTorch {};

TEST_F(Faults, OfTheProblemAreNeverTheCandidates) {
  struct Case {
    std::string name, problem, says;
  };
  ProblemText raises, infinite, unsupported, count;
  raises.inputs = "[1 / 0]";
  infinite.forward = "return x / 0";
  unsupported.inputs = "[object()]";
  count.forward = "raise ValueError('the reference is broken')";
  for (const Case& one : std::vector<Case>{
           {"not Python", "def is not Python\n", "SyntaxError"},
           {"binary", std::string("\0\xff\xfe\x01", 4), "SyntaxError"},
           {"empty", "", "Model"},
           {"no Model", "import torch\ndef get_inputs(): return []\n", "Model"},
           {"no get_inputs", "import torch\nclass Model(torch.nn.Module): pass\n", "get_inputs"},
           {"import error", "import no_such_module\n", "no_such_module"},
           {"get_inputs raises", raises.text(), "ZeroDivisionError"},
           {"never finite", infinite.text(), "not finite"},
           {"unsupported input", unsupported.text(), "object"},
           {"forward raises", count.text(), "the reference is broken"},
           {"crash", "import os\nos.abort()\n", "SIGABRT"},
       }) {
    const Ended ended = eval(one.problem, ProblemText().candidate());
    EXPECT_EQ(ended.code, 2) << one.name << ended.out << ended.err;
    EXPECT_THAT(ended.out + ended.err, HasSubstr(one.says)) << one.name;
    EXPECT_THAT(ended.out, Not(StartsWith("CORRECT"))) << one.name;
    EXPECT_THAT(ended.out, Not(StartsWith("REJECTED"))) << one.name;
    if (json.is_object()) {
      EXPECT_EQ(json["verdicts"][0]["code"], "problem_error") << one.name;
    }
  }
  EXPECT_THAT(leftovers(), testing::IsEmpty());
}

TEST_F(Faults, AnIllConditionedReferenceIsNoFaultOfTheCandidates) {
  ProblemText problem;  // a unit of rounding of the sum is a tenth of the output
  problem.forward = "return torch.sin(1e5 * x.sum(1))";
  problem.inputs = "[torch.randn(64, 256)]";
  const Ended same = eval(problem.text(), problem.candidate(), {"--no-timing"});
  ASSERT_EQ(same.code, 0) << same.out << same.err;
  ProblemText other = problem;
  other.forward = "return torch.sin(1e5 * (x[:, ::2].sum(1) + x[:, 1::2].sum(1)))";
  const Ended right = eval(problem.text(), other.candidate(), {"--no-timing"});
  EXPECT_EQ(right.code, 2) << right.out << right.err;
  EXPECT_THAT(right.out, HasSubstr("ill-conditioned"));
  other.forward = "return torch.sin(1e5 * x.sum(1)) + 100";
  EXPECT_EQ(eval(problem.text(), other.candidate(), {"--no-timing"}).code, 1);
}

TEST_F(Faults, ABuildErrorShowsTheFirstErrorAndKeepsTheWholeLog) {
  const std::string candidate =
      "import torch\nfrom torch.utils.cpp_extension import load_inline\n"
      "source = '#include <torch/extension.h>\\nint a = undeclared_name;\\n' + "
      "'\\n'.join(f'int b{i} = other_name_{i};' for i in range(50))\n"
      "m = load_inline('broken', source, functions=[])\nclass ModelNew(torch.nn.Module): pass\n";
  const Ended ended = eval(ProblemText().text(), candidate);
  ASSERT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_EQ(json["verdicts"][0]["code"], "build_error");
  EXPECT_THAT(ended.out, AllOf(HasSubstr("REJECTED"), HasSubstr("main.cpp:3:9:"), HasSubstr("error: ‘undeclared_name’ was not declared")));
  EXPECT_THAT(ended.out, Not(HasSubstr("Traceback"))) << "the log is shown once";
  EXPECT_NE(json["isolation_level"], "");
  EXPECT_THAT(json["build"]["log"].get<std::string>(), AllOf(HasSubstr("undeclared_name"), HasSubstr("other_name_49")));
}

/// Processes that work in a folder whose path holds `text`.
int processes_in(const std::string& text) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code error;
    const auto cwd = std::filesystem::read_symlink(entry.path() / "cwd", error);
    if (!error && cwd.string().find(text) != std::string::npos) ++found;
  }
  return found;
}

/// Children and further descendants of a process.
std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found;
  for (std::size_t i = 0; i <= found.size(); ++i) {
    const pid_t parent = i == 0 ? root : found[i - 1];
    const std::string command = "cat /proc/" + std::to_string(parent) + "/task/*/children 2>/dev/null";
    FILE* pipe = ::popen(command.c_str(), "r");
    int pid = 0;
    while (pipe && std::fscanf(pipe, "%d", &pid) == 1) found.push_back(pid);
    if (pipe) ::pclose(pipe);
  }
  return found;
}

TEST_F(Faults, CtrlCLeavesNoProcessAndNoFile) {
  ProblemText slow;
  slow.forward = "import time; time.sleep(600); return x";
  file("problem.py", ProblemText().text());
  file("candidate.py", slow.candidate());
  for (const int signal : {SIGINT, SIGTERM}) {
    for (const double seconds : {0.3, 1.5, 6.0}) {  // while workers start, while files load, while the candidate runs
      const pid_t pid = start({"eval", path("problem.py"), path("candidate.py"), "--device", "cpu", "--isolation", "none"});
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      const auto children = descendants(pid);
      ::kill(pid, signal);
      const Ended ended = finish(pid);
      EXPECT_EQ(ended.code, 130) << ended.out << ended.err;
      EXPECT_THAT(ended.err, HasSubstr("interrupted"));
      for (const pid_t child : children) EXPECT_NE(::kill(child, 0), 0) << "process " << child << " is left";
      EXPECT_THAT(leftovers(), testing::IsEmpty());
      EXPECT_EQ(processes_in(path("tmp")), 0);
    }
  }
}

TEST_F(Faults, AKilledJudgeTakesItsProcessesAlong) {
  ProblemText slow;
  slow.forward = "import time; time.sleep(600); return x";
  file("problem.py", ProblemText().text());
  file("candidate.py", slow.candidate());
  const pid_t pid = start({"eval", path("problem.py"), path("candidate.py"), "--device", "cpu"});
  std::this_thread::sleep_for(std::chrono::seconds(5));
  const auto children = descendants(pid);
  EXPECT_GE(children.size(), 2u);
  ::kill(pid, SIGKILL);
  EXPECT_EQ(finish(pid).code, 128 + SIGKILL);
  for (const pid_t child : children) {
    for (int i = 0; i < 100 && ::kill(child, 0) == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_NE(::kill(child, 0), 0) << "process " << child << " is left";
  }
}

TEST_F(Faults, LessIsolationThanRequiredMeansThatNothingRuns) {
  ProblemText honest;
  honest.more = "print('the candidate ran')";
  const Ended ended = eval(ProblemText().text(), honest.candidate(),
                           {"--no-timing", "--isolation", "none", "--require-isolation", "basic"});
  EXPECT_EQ(ended.code, 3) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("required isolation"));
  EXPECT_EQ(json["candidate_output"], "");
}

TEST_F(Faults, ASlowCandidateHasALimitForAllItsCalls) {
  ProblemText slow;
  slow.forward = "import time; time.sleep(0.4); return torch.relu(x)";
  ASSERT_EQ(eval(ProblemText().text(), slow.candidate(), {"--no-timing", "--no-families", "--protocol", "verified"}).code, 0) << last.err;
  const Ended ended = eval(ProblemText().text(), slow.candidate(), {"--no-timing", "--no-families", "--protocol", "verified", "--all-calls-timeout", "1"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_EQ(json["fault"]["fault"], "candidate");
  EXPECT_EQ(json["fault"]["code"], "timeout");
  EXPECT_THAT(json["fault"]["message"].get<std::string>(), HasSubstr("trial-2: its calls took 1."));
}

TEST_F(Faults, AnEndlessImportOrConstructorHasALimitOfItsOwn) {
  ProblemText importing, constructing;
  importing.more = "import time\ntime.sleep(600)\n";
  constructing.constructor = "import time; time.sleep(600)";
  for (const auto& [text, where] : {std::pair{importing, "load"}, std::pair{constructing, "construct"}}) {
    const auto start = std::chrono::steady_clock::now();
    const Ended ended = eval(ProblemText().text(), text.candidate(), {"--no-timing", "--load-timeout", "3"});
    EXPECT_EQ(ended.code, 1) << where << ended.out << ended.err;
    EXPECT_EQ(json["fault"]["fault"], "candidate");
    EXPECT_EQ(json["fault"]["code"], "timeout");
    EXPECT_THAT(json["fault"]["message"].get<std::string>(), HasSubstr(" in 3 s"));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(100)) << where << ": the default limit is longer";
  }
}

TEST_F(Faults, AShortLimitForTheCandidateIsNotTheReferences) {
  ProblemText slow;  // at its first call, as beside builds
  slow.forward = "time.sleep(0 if hasattr(torch, 'called') else 6); torch.called = True; return torch.relu(x)";
  slow.more = "import time\n";
  const Ended ended = eval(slow.text(), ProblemText().candidate(), {"--no-timing", "--no-families", "--call-timeout", "4", "--protocol", "verified"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

TEST_F(Faults, TheZooNoticesAWrongExpectation) {
  std::filesystem::create_directories(path("zoo/honest"));
  file("zoo/honest/liar.py", "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x\n");
  file("zoo/zoo.toml", "[[candidate]]\nfile = \"honest/liar.py\"\nproblem = \"relu\"\nexpect = \"correct\"\n");
  Ended ended = kbv({"zoo", "--folder", path("zoo"), "--device", "cpu", "--no-timing"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("zoo: 1 must-pass, 1 rejected; 0 must-fail, 0 accepted; 0 skipped"));
  file("zoo/zoo.toml", "[[candidate]]\nfile = \"honest/liar.py\"\nproblem = \"relu\"\nexpect = \"wrong_dtype\"\n");
  ended = kbv({"zoo", "--folder", path("zoo"), "--device", "cpu", "--no-timing"});
  EXPECT_EQ(ended.code, 1) << "rejected, but not for the reason that the manifest names\n" << ended.out;
}

TEST_F(Faults, AZooGoesOnWhereItEnded) {
  std::filesystem::create_directories(path("zoo/honest"));
  std::filesystem::create_directories(path("zoo/wrong"));
  const std::string module = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return ";
  file("zoo/honest/one.py", module + "x.clamp(min=0)\n");
  file("zoo/wrong/two.py", module + "x\n");
  file("zoo/zoo.toml",
       "[[candidate]]\nfile = \"honest/one.py\"\nproblem = \"relu\"\nexpect = \"correct\"\n"
       "[[candidate]]\nfile = \"wrong/two.py\"\nproblem = \"relu\"\nexpect = \"rejected\"\n");
  const auto zoo = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"zoo", "--folder", path("zoo"), "--device", "cpu", "--no-timing", "--json", path("seen")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kbv(arguments);
  };
  const auto content = [](const std::string& file) { return read_file(file, "observation", 64u << 20).value_or(""); };
  Ended ended = zoo({"--only", "one"});
  ASSERT_EQ(ended.code, 0) << ended.out << ended.err;
  std::string first;
  for (const auto& found : std::filesystem::directory_iterator(path("seen"))) first = found.path().string();
  const std::string before = content(first);
  ASSERT_FALSE(before.empty());
  ended = zoo({"--continue"});
  ASSERT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("zoo: 1 must-pass, 0 rejected; 1 must-fail, 0 accepted; 0 skipped"));
  EXPECT_EQ(content(first), before) << "judged anew";
  // Another candidate of that name has no verdict yet.
  file("zoo/honest/one.py", module + "x.abs()\n");
  ended = zoo({"--continue"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("zoo: 1 must-pass, 1 rejected; 1 must-fail, 0 accepted; 0 skipped"));
  EXPECT_NE(content(first), before);
  ended = kbv({"zoo", "--folder", path("zoo"), "--device", "cpu", "--continue"});
  EXPECT_EQ(ended.code, 2) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr("--continue: needs --json"));
}

}  // namespace
}  // namespace kbv::test
