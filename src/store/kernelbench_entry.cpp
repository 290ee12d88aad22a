// SPDX-License-Identifier: MIT
#include "store/kernelbench_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/statistics.h"
#include "judge/sampling.h"
#include "score/scores.h"

namespace kbv {
namespace {

using Json = nlohmann::ordered_json;

std::string device_of(const Observation& observation) { return observation.machine.backend == "cuda" ? "cuda" : "cpu"; }

/// {mean, std, min, max, num_trials} of times in microseconds, in milliseconds; the population's deviation, as numpy's.
Json statistics_of(const std::vector<double>& times_us) {
  const double middle = mean(times_us);
  double squares = 0;
  for (const double time : times_us) squares += (time - middle) * (time - middle);
  return {{"mean", middle / 1e3},
          {"std", std::sqrt(squares / static_cast<double>(times_us.size())) / 1e3},
          {"min", *std::min_element(times_us.begin(), times_us.end()) / 1e3},
          {"max", *std::max_element(times_us.begin(), times_us.end()) / 1e3},
          {"num_trials", times_us.size()}};
}

void add_hardware(Json& json, const Observation& observation) {
  json["hardware"] = observation.machine.device;
  json["device"] = device_of(observation);
}

/// The candidate's time of one call, one entry a round, on the basis that its speedup is made of.
std::vector<double> rounds_us(const Observation& observation, const Protocol& protocol) {
  const TimeBasis basis = time_basis(observation, baseline_samples(observation, protocol));
  std::vector<double> times =
      net_samples(observation.candidate_time, observation.null, basis.batches ? observation.timing.batch_calls : 1,
                  basis.span, basis.batches);
  std::erase_if(times, [](double time) { return !std::isfinite(time); });
  return times;
}

/// KernelBench's three names for what is wrong: not compiled, compiled but stopped, compiled but another output.
enum class Trouble { compilation, runtime, output };

Trouble trouble_of(const Verdict& verdict, const Observation& observation) {
  const std::string& code = verdict.code;
  const bool built = !observation.build.needed || observation.build.ok;
  if (code == "build_error" || code == "import_error" || code == "no_model_new") return Trouble::compilation;
  if (code.rfind("wrong_", 0) == 0 || code == "input_written" || code == "reused_output") return Trouble::output;
  return built ? Trouble::runtime : Trouble::compilation;
}

void add_trials(Json& metadata, const Verdict& verdict, const Observation& observation) {
  int passed = 0, counted = 0;
  bool ran = false;
  Json largest = Json::array(), average = Json::array();
  for (std::size_t i = 0; i < verdict.cases.size(); ++i) {
    const CaseVerdict& judged = verdict.cases[i];
    const CaseResult& result = observation.cases[i];
    if (!judged.needed || result.kind != "trial" || judged.state == CaseVerdict::State::dropped) continue;
    ++counted;
    ran |= result.ran;
    passed += judged.state == CaseVerdict::State::passed;
    if (judged.state != CaseVerdict::State::failed) continue;
    double max_abs = 0, sum = 0, count = 0;
    for (const OutputCheck& output : result.outputs) {
      max_abs = std::max(max_abs, output.stats.max_abs);
      sum += output.stats.sum_abs;
      count += static_cast<double>(output.stats.count);
    }
    largest.push_back(fmt::format("{:.6f}", max_abs));
    average.push_back(fmt::format("{:.6f}", count > 0 ? sum / count : 0));
  }
  if (!largest.empty()) {
    metadata["max_difference"] = largest;
    metadata["avg_difference"] = average;
  }
  if (ran) metadata["correctness_trials"] = fmt::format("({} / {})", passed, counted);
}

void add_trouble(Json& metadata, const Verdict& verdict, const Observation& observation) {
  const bool compilation = trouble_of(verdict, observation) == Trouble::compilation;
  const std::string name = compilation                                            ? "compilation_error"
                           : trouble_of(verdict, observation) == Trouble::runtime ? "runtime_error"
                                                                                  : "correctness_issue";
  metadata[name] = compilation && !observation.build.first_error.empty()
                       ? verdict.reason + ": " + observation.build.first_error
                       : verdict.reason;
  metadata[name + "_name"] = verdict.code;
}

/// In the words of KernelBench-Verified's hidden test: config_1 to config_4 are D1 to D4.
void add_hidden(Json& metadata, const Verdict& verdict, const Observation& observation) {
  int counted = 0;
  Json failed = Json::array();
  for (std::size_t i = 0; i < verdict.cases.size(); ++i) {
    const CaseVerdict& judged = verdict.cases[i];
    const CaseResult& result = observation.cases[i];
    if (!judged.needed || result.kind != "hidden" || judged.state == CaseVerdict::State::dropped) continue;
    ++counted;
    if (judged.state != CaseVerdict::State::failed || result.distribution.size() != 2) continue;
    failed.push_back(fmt::format("config_{}", result.distribution[1]));
  }
  if (!failed.empty()) metadata["hidden_failed_configs"] = failed;
  if (verdict.correct)
    metadata["hidden_correctness_trials"] = fmt::format("({}/{} hidden configs passed)", counted, counted);
}

Json own_words(const Verdict& verdict, const Observation& observation) {
  Json own = {{"version", observation.kbv_version},
              {"protocol", verdict.protocol},
              {"code", verdict.code},
              {"reason", verdict.reason},
              {"secret", observation.secret}};
  if (verdict.robust) own["robust"] = *verdict.robust;
  if (verdict.strict) own["strict"] = *verdict.strict;
  if (!verdict.speed.empty() && std::isfinite(verdict.speed[0].speedup.high) && verdict.speed[0].speedup.value > 0) {
    const SpeedScore& speed = verdict.speed[0];
    own["speedup"] = {{"baseline", speed.baseline},
                      {"value", speed.speedup.value},
                      {"low", speed.speedup.low},
                      {"high", speed.speedup.high},
                      {"finding", speed.finding}};
  }
  return own;
}

std::optional<std::uint64_t> peak_of(const Observation& observation, const Protocol& protocol) {
  const auto memory = score_memory(observation, protocol);
  return memory && memory->candidate.peak_bytes > 0 && memory->candidate.peak_bytes < (std::uint64_t{1} << 62)
             ? std::optional(memory->candidate.peak_bytes)
             : std::nullopt;
}

std::string text_of(const Json& json) { return json_text(json); }

/// KernelBench's name of a baseline of ours; empty if it has none.
std::string baseline_name(const std::string& own, const std::string& precision) {
  static const std::map<std::string, std::string> names = {{"eager", "torch"},
                                                           {"tf32_on", "torch_tf32"},
                                                           {"tf32_off", "torch_tf32_off"},
                                                           {"compile", "torch_compile_inductor_default"}};
  const auto found = names.find(own);
  if (found == names.end()) return {};
  return precision == "native" || precision == "fp32" ? found->second : found->second + "_" + precision;
}

std::string folder_of_device(std::string device) {
  for (char& c : device)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-') c = '_';
  return device.empty() ? "unknown" : device;
}

}  // namespace

Protocol standard_rules(const Protocol& protocol) {
  Protocol rules = protocol;
  rules.distributions.clear();
  rules.families.clear();
  rules.robust_families.clear();
  rules.parameters = false;
  rules.trials = std::max(rules.trials, 1);
  return rules;
}

Protocol hidden_rules(const Protocol& protocol) {
  Protocol rules = protocol;
  rules.distributions = {"D1", "D2", "D3", "D4"};
  return rules;
}

std::optional<RecordedResult> entry_of(RecordedResult result, const Observation& observation, const Protocol& protocol,
                                       ResultsFormat format, std::string& verdict_code) {
  const Verdict verdict = judge_observation(observation, protocol);
  verdict_code = verdict.code;
  if (!is_verdict(verdict.code)) return std::nullopt;
  result.harness = format == ResultsFormat::verified ? "verified" : "kernelbench";
  result.correct = verdict.correct;
  result.compiled = verdict.correct || trouble_of(verdict, observation) != Trouble::compilation;

  Json metadata = Json::object();
  add_hardware(metadata, observation);
  if (!verdict.correct) add_trouble(metadata, verdict, observation);
  add_trials(metadata, verdict, observation);
  if (format == ResultsFormat::verified && result.tests == "hidden") add_hidden(metadata, verdict, observation);
  metadata["kbv"] = own_words(verdict, observation);

  Json stats = Json::object();
  const std::vector<double> times_us = verdict.correct ? rounds_us(observation, protocol) : std::vector<double>();
  if (verdict.correct && verdict.time_us.value_or(0) > 0 && !times_us.empty()) {
    result.runtime_ms = *verdict.time_us / 1e3;
    stats = statistics_of(times_us);
    add_hardware(stats, observation);
  }
  Json entry = {{"sample_id", result.sample},
                {"compiled", result.compiled},
                {"correctness", result.correct},
                {"metadata", std::move(metadata)},
                {"runtime", result.runtime_ms.value_or(-1.0)},
                {"runtime_stats", std::move(stats)}};
  if (format == ResultsFormat::verified) {
    if (verdict.correct) result.peak_bytes = peak_of(observation, protocol);
    Json memory = Json::object();
    if (result.peak_bytes) {
      memory["peak_bytes"] = *result.peak_bytes;
      add_hardware(memory, observation);
    }
    entry["peak_memory"] = result.peak_bytes ? Json(*result.peak_bytes) : Json(-1.0);
    entry["memory_stats"] = std::move(memory);
  }
  result.json = text_of(entry);
  return result;
}

void BaselineCollector::add(int level, const std::string& problem, const Observation& observation) {
  for (const BaselineResult& baseline : observation.baselines) {
    const std::string name = baseline_name(baseline.name, observation.precision);
    if (name.empty() || !baseline.ok || baseline.time.attested_us.empty()) continue;
    const double time_us =
        net_time(baseline.time, observation.null, observation.timing.batch_calls, Span::forward).time_us;
    if (!(time_us > 0) || !std::isfinite(time_us)) continue;
    Seen& seen = seen_[{folder_of_device(observation.machine.device), name, level, problem}];
    seen.device = observation.machine.device;
    seen.cuda = observation.machine.backend == "cuda";
    seen.times_ms.push_back(time_us / 1e3);
    seen.samples += baseline.time.batch_us.empty() ? baseline.time.attested_us.size() : baseline.time.batch_us.size();
    Protocol against;
    against.baseline = baseline.name;
    if (const auto memory = score_memory(observation, against))
      seen.peaks_bytes.push_back(static_cast<double>(memory->baseline.peak_bytes));
  }
}

std::vector<RecordedBaseline> BaselineCollector::take() const {
  std::vector<RecordedBaseline> baselines;
  for (const auto& [key, seen] : seen_) {
    RecordedBaseline baseline{key.hardware, key.name, key.level, key.problem, median(seen.times_ms), {}, {}};
    std::vector<double> times_us = seen.times_ms;
    for (double& time : times_us) time *= 1e3;
    Json entry = statistics_of(times_us);
    entry["mean"] = *baseline.mean_ms;
    entry["num_trials"] = seen.samples;
    entry["hardware"] = seen.device;
    entry["device"] = seen.cuda ? "cuda" : "cpu";
    if (!seen.peaks_bytes.empty() && median(seen.peaks_bytes) < 0x1p62) {
      baseline.peak_bytes = static_cast<std::uint64_t>(std::llround(median(seen.peaks_bytes)));
      if (*baseline.peak_bytes == 0)
        baseline.peak_bytes.reset();
      else
        entry["peak_memory"] = *baseline.peak_bytes;
    }
    entry["kbv"] = {{"observations", seen.times_ms.size()}};
    baseline.json = text_of(entry);
    baselines.push_back(std::move(baseline));
  }
  return baselines;
}

}  // namespace kbv
