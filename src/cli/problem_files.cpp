// SPDX-License-Identifier: MIT
#include "cli/problem_files.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "base/file.h"
#include "os/interrupt.h"

namespace kbv {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

Result<std::vector<ProblemSpec>> read_problems(const std::vector<std::string>& paths, const std::string& size,
                                               const std::map<std::string, std::string>& constants) {
  KBV_TRY_ASSIGN(const auto files, find_problems(paths));
  std::vector<ProblemSpec> problems;
  for (const auto& file : files) {
    KBV_TRY_ASSIGN(auto source, read_file(file, "problem"));
    problems.push_back({file, std::move(source), size, constants});
  }
  return problems;
}

std::string short_problem_name(const std::string& path) {
  const fs::path file(path);
  return (file.parent_path().filename() / file.filename()).string();
}

nlohmann::json error_to_json(const std::optional<Error>& error) {
  if (!error) return {};
  return {{"fault", to_string(error->fault)}, {"code", error->code}, {"message", error->message}};
}

bool for_each_problem(Session& session, const StageLimits& stages, std::size_t count, int jobs, const ProblemWork& work,
                      const std::function<void(std::size_t)>& done) {
  std::atomic<std::size_t> next{0};
  std::vector<std::size_t> again;
  std::mutex telling;
  const auto run_one = [&](std::size_t i, std::unique_ptr<Reference>& reference, bool last_try) {
    std::optional<Error> start_error;
    if (!reference) {
      auto started = Reference::start(session.host(), stages);
      Result<void> ready = started ? (*started)->hello().map([](const auto&) {}) : tl::make_unexpected(started.error());
      if (ready) ready = (*started)->attach();
      if (ready)
        reference = std::move(*started);
      else
        start_error = ready.error();
    }
    bool spent = false;
    const std::optional<Error>& error = work(i, reference.get(), start_error ? &*start_error : nullptr, spent);
    if (spent) reference.reset();
    const std::lock_guard lock(telling);
    if (!last_try && error && error->code == "out_of_memory")
      again.push_back(i);
    else
      done(i);
  };
  const auto run_some = [&] {
    std::unique_ptr<Reference> reference;
    while (!interrupted()) {
      const std::size_t i = next++;
      if (i >= count) return;
      run_one(i, reference, jobs <= 1);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < jobs; ++i) threads.emplace_back(run_some);
  run_some();
  for (auto& thread : threads) thread.join();
  std::unique_ptr<Reference> alone;
  for (const std::size_t i : again)
    if (!interrupted()) run_one(i, alone, true);
  return !interrupted();
}

}  // namespace kbv
