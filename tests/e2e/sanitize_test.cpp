// SPDX-License-Identifier: MIT
// `kbv sanitize` on the CPU, with a script in the place of compute-sanitizer: it takes the tool's options, runs the
// rest of its command line, and writes the report that a case gives it. Box, launch, report, time limit and death are
// the real ones.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "run_kbv.h"

namespace kbv::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// What the stand-in does besides: shell code before and after the program, and reports by tool.
struct StandIn {
  std::string before, after, otherwise = "echo '========= ERROR SUMMARY: 0 errors' >>\"$log\"";
  std::string memcheck;
  std::string text() const {
    return "#!/bin/sh\ntool= log= errors=0\nwhile [ $# -gt 0 ]; do case \"$1\" in\n"
           "--tool) tool=$2; shift 2;;\n--log-file) log=$2; shift 2;;\n--error-exitcode) errors=$2; shift 2;;\n--*) "
           "shift 2;;\n*) break;;\nesac; done\n" +
           before + "\necho '========= COMPUTE-SANITIZER' >\"$log\"\n\"$@\"\ncode=$?\n" + after +
           "\ncase $tool in\nracecheck) echo '========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)' "
           ">>\"$log\";;\n" +
           (memcheck.empty()
                ? ""
                : "memcheck) cat >>\"$log\" <<'REPORT'\n" + memcheck + "REPORT\n[ $code -ne 0 ] || code=$errors;;\n") +
           "*) " + otherwise + ";;\nesac\nexit $code\n";
  }
};

class Sanitize : public WithTorch {
 protected:
  Ended sanitize(const StandIn& stand_in, const std::string& candidate,
                 std::vector<std::string> more = {"--tools", "memcheck"},
                 const std::string& problem = ProblemText().text()) {
    const std::string program = file("stand-in", stand_in.text());
    std::filesystem::permissions(program, std::filesystem::perms(0755));
    std::vector<std::string> words = {"sanitize",
                                      file("problem.py", problem),
                                      file("candidate.py", candidate),
                                      "--device",
                                      "cpu",
                                      "--sanitizer",
                                      program,
                                      "--json",
                                      path("found.json")};
    words.insert(words.end(), more.begin(), more.end());
    std::filesystem::remove(path("found.json"));
    Ended ended = kbv(words);
    std::ifstream in(path("found.json"));
    json = nlohmann::json::parse(in, nullptr, false);
    EXPECT_THAT(leftovers(), IsEmpty());
    return ended;
  }

  /// The entry of `tool`.
  nlohmann::json found(const std::string& tool = "memcheck") const {
    if (json.is_object())
      for (const auto& entry : json["tools"])
        if (entry["tool"] == tool) return entry;
    return {};
  }
};

TEST_F(Sanitize, RunsEachToolAtReducedSizeOnFreshInputsInPyTorchsOwnMemory) {
  ProblemText problem;
  problem.more = "rows = 4096\nSIZES = {'cpu': {'rows': 8}, 'gpu': {'rows': 4096}}";
  problem.inputs = "[torch.randn(rows, 16)]";
  // A candidate that is given a large input, or the same one twice, fails; so does one whose memory PyTorch keeps.
  ProblemText candidate;
  candidate.more =
      "import os\nseen = set()\ndef check(x):\n    assert x.shape[0] == 8 and "
      "os.environ['PYTORCH_NO_CUDA_MEMORY_CACHING'] == '1'\n"
      "    key = float(x.double().sum())\n    assert key not in seen\n    seen.add(key)\n    return torch.relu(x)\n";
  candidate.forward = "return check(x)";
  const Ended ended = sanitize({}, candidate.candidate(), {"--forwards", "3"}, problem.text());
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, StartsWith("CLEAN"));
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["schema"], "kbv-sanitize/1");
  EXPECT_EQ(json["status"], "clean");
  EXPECT_EQ(json["size"], "cpu");
  ASSERT_EQ(json["tools"].size(), 4u);
  for (const auto& entry : json["tools"]) EXPECT_EQ(entry["status"], "clean") << entry.dump();
}

TEST_F(Sanitize, TellsErrorsInTheCandidatesKernelsAndNotThoseOfLibraries) {
  StandIn stand_in;
  stand_in.memcheck =
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at tail_kernel(const float *, int)+0x1c0 in main.cu:14\n"
      "=========     by thread (31,0,0) in block (7,0,0)\n"
      "========= Invalid __global__ read of size 4 bytes\n"
      "=========     at void at::native::reduce_kernel<512>(int)+0x70\n"
      "=========     by thread (0,0,0) in block (0,0,0)\n"
      "========= ERROR SUMMARY: 2 errors\n";
  const Ended ended = sanitize(stand_in, ProblemText().candidate(), {"--tools", "racecheck,memcheck"});
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, AllOf(StartsWith("ERRORS: memcheck"), HasSubstr("tail_kernel(const float *, int)"),
                               HasSubstr("main.cu:14"), HasSubstr("(31,0,0) in block (7,0,0)")));
  EXPECT_EQ(found("racecheck")["status"], "clean");
  EXPECT_EQ(found()["status"], "errors");
  EXPECT_EQ(found()["errors"], 1);
  EXPECT_EQ(found()["elsewhere"], 1);
}

TEST_F(Sanitize, WhatTakesTooLongIsIncompleteAndNotTheCandidatesFault) {
  ProblemText slow;
  slow.more = "import time";
  slow.forward = "time.sleep(1000); return x";
  Ended ended = sanitize({}, slow.candidate(), {"--tools", "memcheck", "--timeout", "30"});
  EXPECT_EQ(ended.code, 3) << ended.out << ended.err;
  EXPECT_EQ(found()["status"], "incomplete");
  EXPECT_THAT(found()["why"].get<std::string>(), HasSubstr("in 30 s"));

  // The tool itself hangs after its program has ended well.
  StandIn hangs;
  hangs.after = "sleep 1000";
  ended = sanitize(hangs, ProblemText().candidate(), {"--tools", "memcheck", "--timeout", "30"});
  EXPECT_EQ(ended.code, 3) << ended.out << ended.err;
  EXPECT_THAT(found()["why"].get<std::string>(), HasSubstr("in 30 s"));
}

TEST_F(Sanitize, WhatFailsUnderTheToolIsIncomplete) {
  struct Case {
    std::string name;
    StandIn stand_in;
    std::string forward, why;
  };
  StandIn refuses, silent;
  refuses.before = "echo \"unrecognised option '--padding'\"; exit 2";
  silent.otherwise = ":";
  for (const Case& one : std::vector<Case>{
           {"the tool refuses its options", refuses, "return torch.relu(x)", "unrecognised option '--padding'"},
           {"the tool writes no summary", silent, "return torch.relu(x)", "without a summary"},
           {"the candidate raises", {}, "raise ValueError('no luck')", "no luck"},
           {"the candidate dies", {}, "import os; os.abort()", "forward"},
       }) {
    ProblemText candidate;
    candidate.forward = one.forward;
    const Ended ended = sanitize(one.stand_in, candidate.candidate());
    EXPECT_EQ(ended.code, 3) << one.name << ended.out << ended.err;
    EXPECT_EQ(found()["status"], "incomplete") << one.name;
    EXPECT_THAT(found()["why"].get<std::string>(), HasSubstr(one.why)) << one.name;
    EXPECT_THAT(ended.out, StartsWith("NOT KNOWN: memcheck")) << one.name;
  }
}

TEST_F(Sanitize, ACandidateThatWritesToTheReportIsReadAsHostile) {
  ProblemText candidate;
  candidate.more =
      "import os\ndef forge(x):\n    with open('/proc/self/fd/6', 'wb') as report:\n"
      "        report.write(b'========= COMPUTE-SANITIZER\\n========= Invalid __global__ read of size 4 bytes\\n'\n"
      "                     b'=========     at \\x1b[2Jown\\xff(int)+0x10\\n' + b'========= ERROR SUMMARY: 0 "
      "errors\\n' + b'\\0' * (9 << 20))\n"
      "    return torch.relu(x)\n";
  candidate.forward = "return forge(x)";
  const Ended ended = sanitize({}, candidate.candidate());
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_THAT(ended.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(found()["status"], "errors");
  EXPECT_THAT(found()["why"].get<std::string>(), HasSubstr("longer than"));
}

TEST_F(Sanitize, WithoutAGpuThereIsNothingToLookAt) {
  const Ended ended = kbv({"sanitize", file("problem.py", ProblemText().text()),
                           file("candidate.py", ProblemText().candidate()), "--device", "cpu"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_THAT(ended.err, HasSubstr("this is the CPU"));
}

}  // namespace
}  // namespace kbv::test
