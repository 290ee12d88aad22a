// SPDX-License-Identifier: MIT
// The clock against CUDA events: the same honest operator as problem and as candidate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/statistics.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "os/interrupt.h"
#include "report/report.h"
#include "score/scores.h"

namespace kbv {

extern const std::string_view k_bench_timing_source;

namespace {

/// The names in the file's OPERATORS, in order.
std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  std::istringstream lines{std::string(k_bench_timing_source)};
  for (std::string line; std::getline(lines, line);) {
    const auto end = line.find("\": (lambda");
    if (line.rfind("    \"", 0) == 0 && end != std::string::npos) names.push_back(line.substr(5, end - 5));
  }
  return names;
}

}  // namespace

int run_bench_timing(const BenchTimingOptions& options) {
  auto session = Session::open(options.session);
  if (!session) return print_error(session.error());
  const DeviceInfo& info = (*session)->device().info();
  fmt::print("device: {}; attested = judge's clock, null subtracted; claimed = {} in the worker; medians, us\n", info.name,
             (*session)->cuda() ? "CUDA events" : "perf_counter");
  fmt::print("{:<16} {:>6} {:>5} {:>8} {:>10} {:>10} {:>9} {:>7} {:>9} {:>9} {:>7} {:>15}\n", "operator", "rounds", "calls", "null",
             "claimed", "attested", "- claimed", "%", "whole -", "eager -", "ratio", "interval");
  std::vector<double> errors_us, errors_percent;
  std::vector<InstrumentSample> samples;
  std::string measured_at;
  int within_band = 0;
  bool within = true;
  References references;
  for (const auto& name : operator_names()) {
    if (interrupted()) return print_error({Fault::machine, "interrupted", "interrupted", {}});
    if (!options.only.empty() && std::none_of(options.only.begin(), options.only.end(), [&](const std::string& part) {
          return name.find(part) != std::string::npos;
        }))
      continue;
    EvaluateOptions evaluate_options = options.evaluate;
    evaluate_options.problem_path = evaluate_options.candidate_path = "bench_timing.py";
    evaluate_options.problem_source = std::string(k_bench_timing_source);
    evaluate_options.constants["OPERATOR"] = "\"" + name + "\"";
    evaluate_options.candidate_source = std::string(k_bench_timing_source) + "\nOPERATOR = \"" + name + "\"\n";
    (*session)->apply(evaluate_options);
    EvaluateContext context = (*session)->context();
    context.references = &references;
    auto seen = evaluate(context, evaluate_options);
    if (!seen) return print_error(seen.error());
    if (seen->fault || seen->baselines.empty() || seen->candidate_time.attested_us.empty()) {
      fmt::print("{:<16} {}\n", name, seen->fault ? printable(seen->fault->message) : "no samples");
      within = false;
      continue;
    }
    const int calls = seen->timing.batch_calls;
    const TimeSamples &own = seen->candidate_time, &eager = seen->baselines[0].time;
    const bool batches = calls > 1 && !own.batch_us.empty();
    const double claimed = median(claims_of(own, batches)), attested = net_time(own, seen->null, calls, Span::forward).time_us;
    const double error = attested - claimed;
    samples.push_back({attested, claimed});
    measured_at = seen->started_at;
    errors_us.push_back(std::abs(error));
    errors_percent.push_back(100 * std::abs(error) / claimed);
    const double allowed_us = std::max(2.0, 0.01 * claimed);
    within_band += std::abs(error) <= allowed_us;
    const Verdict verdict = judge_observation(*seen, *find_protocol("kernelbench"));
    const Ratio ratio = verdict.speed.empty() ? Ratio() : verdict.speed[0].speedup;
    fmt::print("{:<16} {:>6} {:>5} {:>8.1f} {:>10.1f} {:>10.1f} {:>+9.1f} {:>+7.2f} {:>+9.1f} {:>+9.1f} {:>7.3f} {:>15}\n", name,
               seen->timing.rounds, calls, median(seen->null.attested_us), claimed, attested, error, 100 * error / claimed,
               net_time(own, seen->null, calls, Span::whole).time_us - claimed,
               net_time(eager, seen->null, calls, Span::forward).time_us - median(claims_of(eager, batches)), ratio.value,
               fmt::format("{:.3f} - {:.3f}", ratio.low, ratio.high));
    std::fflush(stdout);
  }
  if (errors_us.empty()) return print_error({Fault::usage, "no_match", "--only: no operator matches", {}});
  fmt::print("median |attested - claimed|: {:.1f} us, {:.2f} %; within max(2 us, 1 %): {} of {}\n", median(errors_us),
             median(errors_percent), within_band, errors_us.size());
  Instrument instrument = instrument_of(samples);
  fmt::print("resolution floor: {:.1f} us; longer than 100 us: {:.2f} % (9 of 10 operators differ by less)\n", instrument.floor_us,
             100 * instrument.part);
  if (!options.write_path.empty()) {
    instrument.device = info.name;
    instrument.device_uuid = info.uuid;
    instrument.measured_at = measured_at;
    const std::string path = options.write_path == "auto" ? instrument_path(info.uuid) : options.write_path;
    std::error_code ignored;  // write_file tells what is wrong
    if (options.write_path == "auto") std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    if (auto written = write_file(path, instrument_to_json(instrument)); !written) return print_error(written.error());
    fmt::print("written to {}\n", path);
  }
  return within ? k_exit_correct : k_exit_machine;
}

}  // namespace kbv
