// SPDX-License-Identifier: MIT
// What the candidate wrote, and under which circumstances it was judged.
#include <fmt/format.h>
#include <fmt/ranges.h>

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
  if (observation.isolation_level == "none")
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

std::string calls_words(const Observation& observation) {
  if (observation.baselines_ended_by.empty()) return "";
  const auto words = [](const std::string& what, std::size_t calls, const std::string& end) {
    const std::string why = end == "precision"     ? "it was precise enough"
                            : end == "time budget" ? "the time budget was spent"
                                                   : "the " + end + " was reached";
    return calls == 0 ? what + " was not timed" : fmt::format("{} {} calls, then {}", what, calls, why);
  };
  return words("each baseline", observation.baselines.empty() ? 0 : observation.baselines.front().time.attested_us.size(),
               observation.baselines_ended_by) +
         "; " + words("the candidate", observation.candidate_time.attested_us.size(), observation.candidate_ended_by);
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
  page.fact("cache", observation.cache_rule);
  page.fact("timed", calls_words(observation));
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
