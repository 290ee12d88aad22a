// SPDX-License-Identifier: MIT
// PyTorch against itself: the problem's own Model is judged as a candidate, so that each baseline is timed as ever.
#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "cli/say.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "os/interrupt.h"
#include "report/report.h"
#include "score/scores.h"

namespace kbv {
namespace {

double time_of(const Observation& seen, const std::string& name) {
  for (const BaselineResult& baseline : seen.baselines)
    if (baseline.name == name && baseline.ok)
      return time_on(time_basis(seen, baseline.time), seen, baseline.time).time_us;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string cell(double time_us) { return std::isfinite(time_us) ? fmt::format("{:.1f}", time_us) : "-"; }

std::string factor(double value) { return std::isfinite(value) ? fmt::format("{:.2f}x", value) : "-"; }

}  // namespace

int run_bench_baselines(const BenchBaselinesOptions& options) {
  std::vector<std::string> sources;
  for (const auto& path : options.paths) {
    auto source = read_file(path, "problem");
    if (!source) return print_error(source.error());
    sources.push_back(std::move(*source));
  }
  auto session = Session::open(options.session);
  if (!session) return print_error(session.error());
  say(stdout,
      "device: {}; times of one call, us. default = PyTorch's flags as they come; off, on = TF32 for matmul and cuDNN. "
      "default/on = by how much a speedup over the default exceeds one over TF32\n",
      (*session)->device().info().name);
  say(stdout, "{:<28} {:>11} {:>11} {:>11} {:>11} {:>8} {:>10}  {}\n", "problem", "default", "off", "on", "compile",
      "off/on", "default/on", "default flags");
  bool complete = true;
  References references;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (interrupted()) return print_error({Fault::machine, "interrupted", "interrupted", {}});
    EvaluateOptions evaluate_options = options.evaluate;
    evaluate_options.problem_path = evaluate_options.candidate_path = options.paths[i];
    evaluate_options.families = false;
    evaluate_options.problem_source = sources[i];
    evaluate_options.candidate_source = sources[i] + "\n\nModelNew = Model\n";
    (*session)->apply(evaluate_options);
    EvaluateContext context = (*session)->context();
    context.references = &references;
    const auto seen = evaluate(context, evaluate_options);
    if (!seen) return print_error(seen.error());
    const std::string name = std::filesystem::path(options.paths[i]).stem();
    if (seen->fault) {
      say(stdout, "{:<28} {}\n", name, seen->fault->message);
      complete = false;
      continue;
    }
    const double eager_us = time_of(*seen, "eager"), off_us = time_of(*seen, "tf32_off"),
                 on_us = time_of(*seen, "tf32_on");
    std::string flags = "-";
    if (!seen->baselines.empty() && (*session)->cuda())
      flags = fmt::format("matmul {}, cuDNN {}", seen->baselines[0].matmul_tf32 ? "on" : "off",
                          seen->baselines[0].cudnn_tf32 ? "on" : "off");
    say(stdout, "{:<28} {:>11} {:>11} {:>11} {:>11} {:>8} {:>10}  {}\n", name, cell(eager_us), cell(off_us),
        cell(on_us), cell(time_of(*seen, "compile")), factor(off_us / on_us), factor(eager_us / on_us), flags);
    std::fflush(stdout);
  }
  return complete ? k_exit_correct : k_exit_machine;
}

}  // namespace kbv
