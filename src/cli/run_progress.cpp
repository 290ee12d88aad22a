// SPDX-License-Identifier: MIT
#include "cli/run_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/say.h"

namespace kbv {

std::string rough_duration(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  if (whole < 100) return fmt::format("{} s", whole);
  const long long minutes = (whole + 30) / 60;
  if (minutes < 100) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string progress_line(const RunState& state) {
  std::string line = fmt::format("{}/{} done", state.done, state.total);
  if (state.failed > 0) line += fmt::format(", {} failed by the machine", state.failed);
  if (state.done > 0 && state.elapsed_s > 0) {
    const double each_s = state.elapsed_s / static_cast<double>(state.done);
    const std::size_t left = state.total - std::min(state.total, state.done + state.failed);
    line += fmt::format(", {:.0f} an hour, {} left", 3600 / each_s, rough_duration(each_s * static_cast<double>(left)));
  }
  // Which stages there are is the judge's matter; here only where a candidate holds the device, and where it does not.
  int building = 0, waiting = 0, judging = 0;
  for (const auto& [stage, count] : state.stages)
    (stage == "build" || stage == "start" ? building : stage.rfind("wait for", 0) == 0 ? waiting : judging) += count;
  line += fmt::format(" | building {}, waiting {}, on the device {}", building, waiting, judging);
  std::vector<std::pair<int, std::string>> verdicts;
  for (const auto& [code, count] : state.verdicts) verdicts.emplace_back(-count, code);
  std::sort(verdicts.begin(), verdicts.end());
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    line += fmt::format("{}{} {}", i == 0 ? " | " : ", ", verdicts[i].second, -verdicts[i].first);
  return line;
}

RunProgress::RunProgress(std::size_t total, std::FILE* out, bool terminal)
    : out_(out), terminal_(terminal), start_(std::chrono::steady_clock::now()) {
  state_.total = total;
}

void RunProgress::end() {
  const std::lock_guard guard(mutex_);
  if (shown_) kbv::say(out_, "\n");
  shown_ = false;
}

RunState RunProgress::state() {
  const std::lock_guard guard(mutex_);
  RunState now = state_;
  now.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  for (const auto& [thread, stage] : stages_)
    if (!stage.empty()) ++now.stages[stage];
  return now;
}

std::map<std::string, double> RunProgress::stage_seconds() {
  const std::lock_guard guard(mutex_);
  return stage_seconds_;
}

void RunProgress::show() {
  if (!terminal_) return;
  const std::string line = progress_line(state());
  const std::lock_guard guard(mutex_);
  kbv::say(out_, "\r\033[K{}", line);
  std::fflush(out_);
  shown_ = true;
}

void RunProgress::say(const std::string& line) {
  const std::lock_guard guard(mutex_);
  if (shown_) say_page(out_, "\r\033[K");
  kbv::say(out_, "{}\n", line);
  std::fflush(out_);
  shown_ = false;
}

void RunProgress::stage(std::size_t thread, const std::string& stage) {
  {
    const std::lock_guard guard(mutex_);
    stages_[thread] = stage;
  }
  show();
}

void RunProgress::judged(const std::string& label, const Verdict& verdict, const Observation& observation) {
  std::size_t done, total;
  {
    const std::lock_guard guard(mutex_);
    done = ++state_.done;
    total = state_.total;
    ++state_.verdicts[verdict.code];
    for (const auto& [stage, seconds] : observation.stage_seconds) stage_seconds_[stage] += seconds;
  }
  if (terminal_) return show();
  const std::string speed =
      verdict.speed.empty() || !verdict.speed.front().resolved
          ? ""
          : fmt::format(", {:.3g}x {}", verdict.speed.front().speedup.value, verdict.speed.front().baseline);
  say(fmt::format("{}/{}  {}  {}{}  {:.1f} s", done, total, label, verdict.code, speed, observation.wall_seconds));
}

void RunProgress::tried(const std::string& label, const Error& error) {
  say(fmt::format("{}: the machine's fault, tried again: {}", label, error.message));
}

void RunProgress::failed(const std::string& label, const Error& error) {
  {
    const std::lock_guard guard(mutex_);
    ++state_.failed;
  }
  say(fmt::format("{}: not evaluated: {}", label, error.message));
}

}  // namespace kbv
