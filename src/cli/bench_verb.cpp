// SPDX-License-Identifier: MIT
// The clock against CUDA events: the same honest operator as problem and as candidate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/statistics.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "os/interrupt.h"
#include "report/report.h"
#include "score/scores.h"
#include "store/observation_json.h"

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

struct Run {
  int rounds = 0, calls = 1;
  double null_us = 0, claimed_us = 0, attested_us = 0, whole_us = 0, eager_error_us = 0;
  Ratio ratio;
  std::string started_at;
};

/// One evaluation of an operator against itself. A fault of the operator's is an error that does not end the others.
Result<Run> measure(const EvaluateContext& context, const EvaluateOptions& options, const std::string& json_path) {
  KBV_TRY_ASSIGN(const Observation seen, evaluate(context, options));
  const Verdict verdict = judge_observation(seen, *find_protocol("kernelbench"));
  if (!json_path.empty()) KBV_TRY(write_file(json_path, observation_to_json(seen, {verdict})));
  if (seen.fault) return tl::make_unexpected(*seen.fault);
  const TimeSamples& own = seen.candidate_time;
  if (seen.baselines.empty() || own.attested_us.empty()) return fail(Fault::machine, "incomplete", "no samples");
  const TimeSamples& eager = seen.baselines[0].time;
  Run run;
  run.started_at = seen.started_at;
  run.rounds = seen.timing.rounds;
  run.calls = seen.timing.batch_calls;
  const bool batches = run.calls > 1 && !own.batch_us.empty();
  run.null_us = median(samples_of(seen.null, Span::forward, batches));
  run.claimed_us = median(claims_of(own, batches));
  run.attested_us = net_time(own, seen.null, run.calls, Span::forward).time_us;
  run.whole_us = net_time(own, seen.null, run.calls, Span::whole).time_us;
  run.eager_error_us = net_time(eager, seen.null, run.calls, Span::forward).time_us - median(claims_of(eager, batches));
  if (!verdict.speed.empty()) run.ratio = verdict.speed[0].speedup;
  return run;
}

/// How far ratios of the same evaluation lie from each other: half of what the largest exceeds the smallest by, and the
/// standard deviation; both in percent of the mean.
void print_spread(const std::vector<double>& ratios) {
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  const double middle = mean(ratios);
  double squares = 0;
  for (const double ratio : ratios) squares += (ratio - middle) * (ratio - middle);
  say(stdout, "{:<16} ratio in {} repeats: {:.4f} to {:.4f}, +-{:.2f} %, standard deviation {:.2f} %\n", "", ratios.size(), *low, *high,
             50 * (*high - *low) / middle, 100 * std::sqrt(squares / static_cast<double>(ratios.size() - 1)) / middle);
}

}  // namespace

int run_bench_timing(const BenchTimingOptions& options) {
  auto session = Session::open(options.session);
  if (!session) return print_error(session.error());
  const DeviceInfo& info = (*session)->device().info();
  say(stdout, "device: {}; attested = judge's clock, null subtracted; claimed = {} in the worker; medians, us\n", info.name,
             (*session)->cuda() ? "CUDA events" : "perf_counter");
  say(stdout, "{:<16} {:>6} {:>5} {:>8} {:>10} {:>10} {:>9} {:>7} {:>9} {:>9} {:>7} {:>15}\n", "operator", "rounds", "calls", "null",
             "claimed", "attested", "- claimed", "%", "whole -", "eager -", "ratio", "interval");
  if (!options.json_folder.empty()) {
    std::error_code ignored;  // write_file tells what is wrong
    std::filesystem::create_directories(options.json_folder, ignored);
  }
  std::vector<double> errors_us, errors_percent, errors_allowed;  // the last as a part of what is aimed at
  std::vector<InstrumentSample> samples;
  std::string measured_at;
  bool complete = true;
  References references;
  for (const auto& name : operator_names()) {
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
    evaluate_options.families = false;  // the clock is what is looked at
    EvaluateContext context = (*session)->context();
    context.references = &references;
    std::vector<double> ratios;
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
      if (interrupted()) return print_error({Fault::machine, "interrupted", "interrupted", {}});
      if (options.repeats > 1) references.reset();  // every repeat in processes of its own
      const auto run = measure(context, evaluate_options,
                               options.json_folder.empty() ? "" : fmt::format("{}/{}.{}.json", options.json_folder, name, repeat));
      if (!run) {
        if (run.error().fault == Fault::usage || run.error().code == "interrupted") return print_error(run.error());
        say(stdout, "{:<16} {}\n", name, run.error().message);
        complete = false;
        break;
      }
      const double error_us = run->attested_us - run->claimed_us;
      samples.push_back({run->attested_us, run->claimed_us});
      measured_at = run->started_at;
      errors_us.push_back(std::abs(error_us));
      errors_percent.push_back(100 * std::abs(error_us) / run->claimed_us);
      errors_allowed.push_back(std::abs(error_us) / std::max(2.0, 0.01 * run->claimed_us));
      ratios.push_back(run->ratio.value);
      say(stdout, "{:<16} {:>6} {:>5} {:>8.1f} {:>10.1f} {:>10.1f} {:>+9.1f} {:>+7.2f} {:>+9.1f} {:>+9.1f} {:>7.3f} {:>15}\n", name, run->rounds,
                 run->calls, run->null_us, run->claimed_us, run->attested_us, error_us, 100 * error_us / run->claimed_us,
                 run->whole_us - run->claimed_us, run->eager_error_us, run->ratio.value,
                 fmt::format("{:.3f} - {:.3f}", run->ratio.low, run->ratio.high));
      std::fflush(stdout);
    }
    if (ratios.size() > 1) print_spread(ratios);
  }
  if (errors_us.empty()) return print_error({Fault::usage, "no_match", "--only: no operator matches", {}});
  const auto within = std::count_if(errors_allowed.begin(), errors_allowed.end(), [](double part) { return part <= 1; });
  say(stdout, "median |attested - claimed|: {:.1f} us, {:.2f} %, {:.2f} times max(2 us, 1 %); within that: {} of {}\n", median(errors_us),
             median(errors_percent), median(errors_allowed), within, errors_us.size());
  Instrument instrument = instrument_of(samples);
  say(stdout, "resolution floor: {:.1f} us; longer than 100 us: {:.2f} % (9 of 10 operators differ by less)\n", instrument.floor_us,
             100 * instrument.part);
  if (!options.write_path.empty()) {
    instrument.device = info.name;
    instrument.device_uuid = info.uuid;
    instrument.measured_at = measured_at;
    const std::string path = options.write_path == "auto" ? instrument_path(info.uuid) : options.write_path;
    std::error_code ignored;  // write_file tells what is wrong
    if (options.write_path == "auto") std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    if (auto written = write_file(path, instrument_to_json(instrument)); !written) return print_error(written.error());
    say(stdout, "written to {}\n", path);
  }
  return complete ? k_exit_correct : k_exit_machine;
}

}  // namespace kbv
