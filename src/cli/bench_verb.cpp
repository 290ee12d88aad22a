// SPDX-License-Identifier: MIT
// The clock against CUDA events: the same honest operator as problem and as candidate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "cli/session.h"
#include "cli/verbs.h"
#include "os/interrupt.h"
#include "report/report.h"
#include "score/scores.h"
#include "base/statistics.h"

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
  fmt::print("device: {}; attested = judge's clock, null call subtracted; claimed = {} in the worker; medians\n", info.name,
             (*session)->cuda() ? "CUDA events" : "perf_counter");
  fmt::print("{:<16} {:>5} {:>10} {:>10} {:>9} {:>10} {:>9} {:>7} {:>7} {:>7}\n", "operator", "calls", "null us", "claimed us",
             "attested", "- claimed", "%", "eager", "- claimed", "ratio");
  std::vector<double> errors_us, errors_percent;
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
    const double null = median(seen->null.attested_us);
    const double claimed = median(seen->candidate_time.claimed_us);
    const double attested = median(seen->candidate_time.attested_us) - candidate_null_us(*seen);
    const double eager_claimed = median(seen->baselines[0].time.claimed_us);
    const double eager = median(seen->baselines[0].time.attested_us) - null;
    const double error = attested - claimed;
    errors_us.push_back(std::abs(error));
    errors_percent.push_back(100 * std::abs(error) / claimed);
    fmt::print("{:<16} {:>5} {:>10.1f} {:>10.1f} {:>9.1f} {:>+10.1f} {:>+9.2f} {:>7.1f} {:>+7.1f} {:>7.3f}\n", name,
               seen->candidate_time.attested_us.size(), null, claimed, attested, error, 100 * error / claimed, eager,
               eager - eager_claimed, eager / attested);
    std::fflush(stdout);
  }
  if (errors_us.empty()) return print_error({Fault::usage, "no_match", "--only: no operator matches", {}});
  fmt::print("median |attested - claimed|: {:.1f} us, {:.2f} %\n", median(errors_us), median(errors_percent));
  return within ? k_exit_correct : k_exit_machine;
}

}  // namespace kbv
