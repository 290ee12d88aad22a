// SPDX-License-Identifier: MIT
// The real binary, run in a fresh folder of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kbv::test {

struct Ended {
  int code = -1;  ///< exit code; 128 + signal if a signal ended it
  std::string out, err;
};

/// A problem file with these pieces; two inputs' worth of floats, y = relu(x), where nothing else is said.
struct ProblemText {
  std::string constructor = "pass", forward = "return torch.relu(x)", parameters = "x";
  std::string inputs = "[torch.randn(8, 16)]", init_inputs = "[]", init_parameters = "", more = "";
  std::string text() const;
  /// The same module as a candidate.
  std::string candidate() const;
};

/// A test with a folder of its own, which it also is the working and temporary folder of what it runs.
class EndToEnd : public testing::Test {
 protected:
  EndToEnd();
  ~EndToEnd() override;

  /// Writes a file into the folder and returns its path.
  std::string file(const std::string& name, const std::string& text) const;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Starts the binary; finish() waits for its end.
  pid_t start(const std::vector<std::string>& arguments);
  Ended finish(pid_t pid);
  Ended kbv(const std::vector<std::string>& arguments) { return finish(start(arguments)); }

  /// Evaluates quickly on the CPU; `json` is filled if there is an observation.
  Ended eval(const std::string& problem, const std::string& candidate, std::vector<std::string> more = {});
  nlohmann::json json;

  /// `kbv problem VERB` on one problem on the CPU: its entry in the JSON, null if there is none; `last` is how it ended.
  nlohmann::json problem_verb(const std::string& verb, const ProblemText& problem, const std::vector<std::string>& more = {});
  Ended last;

  /// Files and folders that are left in the temporary folder.
  std::vector<std::string> leftovers() const;

 private:
  std::filesystem::path folder_, temporary_;
};

/// The same, skipped where there is no Python with PyTorch.
class WithTorch : public EndToEnd {
 protected:
  static const std::string& python();
  void SetUp() override;
};

}  // namespace kbv::test
