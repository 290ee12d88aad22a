// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/file.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "judge/problem_check.h"
#include "os/interrupt.h"
#include "report/report.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The problem files below a folder: N_name.py, as KernelBench names them, or any .py that defines a Model.
Result<std::vector<std::string>> find_problems(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const auto& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (auto it = fs::recursive_directory_iterator(path, error); !error && it != fs::recursive_directory_iterator();
         it.increment(error)) {
      if (!it->is_regular_file() || it->path().extension() != ".py") continue;
      const auto text = read_file(it->path().string(), "problem");
      if (text && text->find("class Model") != std::string::npos && text->find("def get_inputs") != std::string::npos)
        found.push_back(it->path().string());
    }
    if (found.empty()) return fail(Fault::usage, "no_problems", path + ": no problem files (class Model, get_inputs)");
    const auto number = [](const std::string& file) { return std::atoi(fs::path(file).filename().c_str()); };
    std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
      const auto folder_a = fs::path(a).parent_path(), folder_b = fs::path(b).parent_path();
      return std::tuple(folder_a, number(a), a) < std::tuple(folder_b, number(b), b);
    });
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::string short_name(const std::string& path) {
  const fs::path file(path);
  return (file.parent_path().filename() / file.filename()).string();
}

std::string row(const ProblemCheck& check) {
  std::string line = fmt::format("{:<58.58} ", short_name(check.path));
  for (std::size_t i = 0; i < std::size(k_distributions); ++i)
    line += fmt::format("{:<11}", i < check.distributions.size() ? to_string(check.distributions[i].status) : "-");
  line += fmt::format("{:>9.1f} {:>9.1f} {:>6.2f}", static_cast<double>(check.input_bytes) / 1e6,
                      static_cast<double>(check.output_bytes) / 1e6, check.seconds);
  if (check.error) line += fmt::format("  {}: {}", check.error->code, printable(check.error->message));
  for (const auto& entry : check.distributions)
    if (!entry.reason.empty()) line += fmt::format("  {}: {}", entry.name, printable(entry.reason));
  return line;
}

json to_json(const ProblemCheck& check) {
  json object = {{"path", check.path},           {"sha256", check.sha256},
                 {"inputs", check.inputs},       {"input_bytes", check.input_bytes},
                 {"outputs", check.outputs},     {"output_bytes", check.output_bytes},
                 {"state_bytes", check.state_bytes}, {"seconds", check.seconds}};
  object["error"] = check.error ? json{{"fault", to_string(check.error->fault)},
                                       {"code", check.error->code},
                                       {"message", check.error->message}}
                                : json();
  object["distributions"] = json::object();
  for (const auto& entry : check.distributions)
    object["distributions"][entry.name] = {{"status", to_string(entry.status)}, {"reason", entry.reason}};
  return object;
}

}  // namespace

int run_problem_check(const ProblemCheckOptions& options) {
  auto files = find_problems(options.paths);
  if (!files) return print_error(files.error());
  std::vector<ProblemSpec> problems;
  for (const auto& file : *files) {
    auto source = read_file(file, "problem");
    if (!source) return print_error(source.error());
    problems.push_back({file, std::move(*source), options.size, {}});
  }
  auto session = Session::open(options.session);
  if (!session) return print_error(session.error());

  fmt::print("{:<58} {:<11}{:<11}{:<11}{:<11}{:>9} {:>9} {:>6}\n", "problem", "D1 x1", "D2 x3", "D3 x0.01", "D4 x-1",
             "in MB", "out MB", "s");
  std::vector<ProblemCheck> checks(problems.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::size_t> again;  // ran out of device memory beside others: once more, alone
  std::mutex printing;
  const auto check_one = [&](std::size_t i, std::unique_ptr<Reference>& reference, bool last_try) {
    if (!reference) {
      auto started = Reference::start((*session)->host(), options.stages);
      Result<json> hello = started ? (*started)->hello() : tl::make_unexpected(started.error());
      if (!hello) {
        checks[i].path = problems[i].path;
        checks[i].error = hello.error();
      } else {
        reference = std::move(*started);
      }
    }
    bool spent = false;
    if (reference) checks[i] = check_problem(*reference, problems[i], spent);
    if (spent) reference.reset();
    const std::lock_guard lock(printing);
    if (!last_try && checks[i].error && checks[i].error->code == "out_of_memory") {
      again.push_back(i);
      return;
    }
    fmt::print("{}\n", row(checks[i]));
    std::fflush(stdout);
  };
  const auto work = [&] {
    std::unique_ptr<Reference> reference;
    while (!interrupted()) {
      const std::size_t i = next++;
      if (i >= problems.size()) return;
      check_one(i, reference, options.session.jobs <= 1);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.session.jobs; ++i) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  std::unique_ptr<Reference> alone;
  for (const std::size_t i : again)
    if (!interrupted()) check_one(i, alone, true);
  if (interrupted()) return print_error({Fault::machine, "interrupted", "interrupted", {}});

  std::size_t failed = 0, dropped = 0;
  bool machine = false;
  json list = json::array();
  for (const auto& check : checks) {
    failed += check.error.has_value();
    machine |= check.error && check.error->fault == Fault::machine;
    for (const auto& entry : check.distributions)
      dropped += entry.status == DistributionStatus::not_finite || entry.status == DistributionStatus::error;
    list.push_back(to_json(check));
  }
  fmt::print("problems: {} checked, {} load and run, {} fail; distributions: {} of {} dropped\n", checks.size(),
             checks.size() - failed, failed, dropped, (checks.size() - failed) * std::size(k_distributions));
  if (!options.json_path.empty())
    if (auto written = write_file(options.json_path, list.dump(1) + "\n"); !written) return print_error(written.error());
  if (machine) return k_exit_machine;
  return failed == 0 ? k_exit_correct : k_exit_rejected;
}

}  // namespace kbv
