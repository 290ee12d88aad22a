// SPDX-License-Identifier: MIT
#include "run_kbv.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace kbv::test {
namespace {

std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The Python with PyTorch that the binary finds, asked once, of the binary itself; empty if there is none.
const std::string& python_with_torch() {
  static const std::string found = [] {
    const std::string command = std::string("'") + KBV_BINARY + "' doctor --json 2>/dev/null";
    std::string text;
    FILE* pipe = ::popen(command.c_str(), "r");
    char buffer[4096];
    for (std::size_t n; pipe && (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
    if (pipe) ::pclose(pipe);
    const auto facts = nlohmann::json::parse(text, nullptr, false);
    const bool has_torch = facts.is_object() && !facts.value("/python/torch"_json_pointer, std::string()).empty();
    return has_torch ? facts.value("/python/executable"_json_pointer, std::string()) : std::string();
  }();
  return found;
}

std::string module_text(const std::string& name, const ProblemText& p) {
  return "import torch\nimport torch.nn as nn\n" + p.more + "\nclass " + name + "(nn.Module):\n    def __init__(self" +
         (p.init_parameters.empty() ? "" : ", " + p.init_parameters) + "):\n        super().__init__()\n        " +
         p.constructor + "\n\n    def forward(self" + (p.parameters.empty() ? "" : ", " + p.parameters) + "):\n        " +
         p.forward + "\n";
}

}  // namespace

std::string ProblemText::text() const {
  return module_text("Model", *this) + "\ndef get_inputs():\n    return " + inputs + "\n\ndef get_init_inputs():\n    return " +
         init_inputs + "\n";
}

std::string ProblemText::candidate() const { return module_text("ModelNew", *this); }

EndToEnd::EndToEnd() {
  std::string name = (std::filesystem::temp_directory_path() / "kbv-e2e-XXXXXX").string();
  folder_ = ::mkdtemp(name.data());
  temporary_ = folder_ / "tmp";
  std::filesystem::create_directory(temporary_);
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  std::filesystem::permissions(temporary_, std::filesystem::perms(01777));
}

EndToEnd::~EndToEnd() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void WithTorch::SetUp() {
  if (python().empty()) GTEST_SKIP() << "skipped: no Python with PyTorch (KBV_PYTHON)";
}

std::string EndToEnd::file(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
  return path(name);
}

pid_t EndToEnd::start(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {KBV_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, path("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_addopen(&actions, 2, path("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::setenv("TMPDIR", temporary_.c_str(), 1);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, KBV_BINARY, &actions, nullptr, argv.data(), environ);
  ::unsetenv("TMPDIR");
  ::posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(error, 0);
  return pid;
}

Ended EndToEnd::finish(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  Ended ended;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.out = slurp(path("out"));
  ended.err = slurp(path("err"));
  return ended;
}

Ended EndToEnd::eval(const std::string& problem, const std::string& candidate, std::vector<std::string> more) {
  std::vector<std::string> words = {"eval",   file("problem.py", problem), file("candidate.py", candidate), "--device", "cpu",
                                    "--json", path("observation.json")};
  if (more.empty()) more = {"--no-timing"};
  words.insert(words.end(), more.begin(), more.end());
  std::filesystem::remove(path("observation.json"));
  Ended ended = kbv(words);
  json = nlohmann::json::parse(slurp(path("observation.json")), nullptr, false);
  return ended;
}

const std::string& WithTorch::python() { return python_with_torch(); }

nlohmann::json EndToEnd::problem_verb(const std::string& verb, const ProblemText& problem, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"problem", verb, file("problem.py", problem.text()), "--device", "cpu", "--json", path("problems.json")};
  words.insert(words.end(), more.begin(), more.end());
  last = kbv(words);
  const auto list = nlohmann::json::parse(slurp(path("problems.json")), nullptr, false);
  return list.is_array() && list.size() == 1 ? list[0] : nlohmann::json();
}

std::vector<std::string> EndToEnd::leftovers() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(temporary_)) names.push_back(entry.path().filename());
  return names;
}

}  // namespace kbv::test
