// SPDX-License-Identifier: MIT
// What the candidate wrote, and under which circumstances it was judged.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "report/sections.h"
#include "report/units.h"

namespace kbv {
namespace {

constexpr std::size_t k_tail_lines = 10;

void quoted(Page& page, const std::string& title, const std::string& text, bool whole) {
  if (text.empty()) return;
  page.section(title);
  page.quote(text, whole ? 0 : k_tail_lines);
}

std::string machine_words(const MachineFacts& machine) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) parts.push_back(name.empty() ? value : name + " " + value);
  };
  add("", machine.device);
  if (machine.cpus > 0) parts.push_back(fmt::format("{} CPUs", machine.cpus));
  add("Linux", machine.kernel);
  add("Python", machine.python);
  add("PyTorch", machine.torch);
  add("CUDA", machine.cuda);
  add("cuDNN", machine.cudnn);
  if (machine.driver_version > 0)
    parts.push_back(
        fmt::format("driver for CUDA {}.{}", machine.driver_version / 1000, machine.driver_version % 1000 / 10));
  if (machine.backend == "host" && machine.torch_threads > 0)
    parts.push_back(fmt::format("{} PyTorch threads", machine.torch_threads));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void isolation_facts(Page& page, const Observation& observation) {
  if (observation.isolation_level.empty()) {
    page.fact("isolation", "none of the candidate's code ran");
    return;
  }
  std::string words = observation.isolation_level;
  if (!observation.isolation_layers.empty())
    words += fmt::format(" ({})", fmt::join(observation.isolation_layers, ", "));
  page.fact("isolation", words);
  if (!observation.isolation_missing.empty())
    page.fact("  missing", fmt::format("{}", fmt::join(observation.isolation_missing, "; ")), Ink::warn);
  if (!observation.refused_calls.empty()) {
    std::vector<std::string> calls;
    for (const RefusedCall& call : observation.refused_calls)
      calls.push_back(fmt::format("{}: {}{}", call.layer, call.call, call.is_attack ? "" : " (libraries ask for it too)"));
    page.fact("  refused", fmt::format("{}", fmt::join(calls, "; ")));
  }
  if (observation.isolation_level == "none" && observation.isolation_layers.empty())
    page.fact("", "The candidate ran without a sandbox. Judge code that you do not trust with one.", Ink::warn);
}

std::string build_words(const BuildFacts& build) {
  if (!build.needed) return "";
  if (build.ok) return fmt::format("compiled in {:.1f} s", build.seconds);
  return fmt::format("failed after {:.1f} s{}{}", build.seconds, build.first_error.empty() ? "" : ": ",
                     build.first_error);
}

std::string time_words(const Observation& observation) {
  std::string words = observation.started_at;
  if (observation.wall_seconds > 0) words += fmt::format(", {:.1f} s in all", observation.wall_seconds);
  std::vector<std::string> stages;
  stages.reserve(observation.stage_seconds.size());
  for (const auto& [stage, seconds] : observation.stage_seconds)
    stages.push_back(fmt::format("{} {:.1f} s", stage, seconds));
  return stages.empty() ? words : words + fmt::format(" ({})", fmt::join(stages, ", "));
}

std::string calls_words(const Timing& timing, const Observation& observation) {
  if (timing.ended_by.empty()) return "";
  const std::string why = timing.ended_by == "precision"     ? "it was precise enough"
                          : timing.ended_by == "time budget" ? "the time budget was spent"
                                                             : "the " + timing.ended_by + " was reached";
  std::string words = fmt::format("in turn, {} rounds, then {}; ", timing.rounds, why);
  const std::size_t batches = observation.candidate_time.batch_us.size();
  if (timing.batch_calls > 1) words += fmt::format("{} of them with {} calls in one hand-over", batches, timing.batch_calls);
  else words += "single calls" + (timing.why_single.empty() ? "" : ", since " + timing.why_single);
  if (timing.redone_rounds > 0) words += fmt::format("; {} rounds made again, the device was disturbed", timing.redone_rounds);
  return words;
}

/// "SM 1980 MHz, 45-61 C, up to 540 W, sw_power_cap in 12 of 40 readings"
std::string device_words(const Timing& timing) {
  std::optional<unsigned> low_mhz, high_mhz, low_c, high_c, high_mw;
  std::map<std::string, int> reasons;
  const auto widen = [](std::optional<unsigned>& low, std::optional<unsigned>& high, const std::optional<unsigned>& value) {
    if (!value) return;
    low = std::min(low.value_or(*value), *value);
    high = std::max(high.value_or(*value), *value);
  };
  for (const DeviceState& state : timing.device) {
    widen(low_mhz, high_mhz, state.sm_clock_mhz);
    widen(low_c, high_c, state.temperature_c);
    if (state.power_mw) high_mw = std::max(high_mw.value_or(0), *state.power_mw);
    for (const auto& reason : state.throttle_reasons) ++reasons[reason];
  }
  std::vector<std::string> words;
  const auto range = [](unsigned low, unsigned high) { return low == high ? fmt::format("{}", low) : fmt::format("{}-{}", low, high); };
  if (low_mhz) words.push_back("SM " + range(*low_mhz, *high_mhz) + " MHz");
  if (low_c) words.push_back(range(*low_c, *high_c) + " C");
  if (high_mw) words.push_back(fmt::format("up to {} W", *high_mw / 1000));
  for (const auto& [reason, count] : reasons) words.push_back(fmt::format("{} in {} of {} readings", reason, count, timing.device.size()));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

void output_section(Page& page, const Observation& observation, const Verdict& verdict, bool verbose) {
  const bool failed = !verdict.correct;
  if (verbose || (failed && !observation.build.ok)) quoted(page, "Build log", observation.build.log, verbose);
  if ((verbose || failed) && observation.fault && observation.fault->detail != observation.build.log)
    quoted(page, "Traceback", observation.fault->detail, verbose);
  if (verbose || failed) quoted(page, "What the candidate wrote", observation.candidate_output, verbose);
}

void details_section(Page& page, const Observation& observation, bool verbose) {
  page.section("How it was judged");
  isolation_facts(page, observation);
  page.fact("build", build_words(observation.build), observation.build.ok ? Ink::plain : Ink::bad);
  page.fact("machine", machine_words(observation.machine));
  page.fact("device", device_words(observation.timing));
  page.fact("cache", observation.timing.cache_rule);
  page.fact("timed", calls_words(observation.timing, observation));
  page.fact("started", time_words(observation));
  page.fact("kbv", observation.kbv_version);
  if (verbose) {
    page.fact("candidate", "sha256 " + observation.candidate.sha256);
    page.fact("problem", "sha256 " + observation.problem.sha256);
  }
  if (!observation.secret.empty())
    page.fact("secret", observation.secret + " (every seed follows from it: --seed and this repeat the same inputs)");
}

}  // namespace kbv
