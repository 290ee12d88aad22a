// SPDX-License-Identifier: MIT
#include "cli/shared_options.h"

namespace kbv {

void add_session_options(CLI::App& app, SessionOptions& options) {
  app.add_option("--device", options.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  app.add_option("--python", options.python,
                 "A Python that has PyTorch (default: $KBV_PYTHON, the active venv, .venv, python3)");
  app.add_option("--precision", options.precision,
                 "native keeps every type as the problem gives it; the others cast floating inputs and parameters")
      ->check(CLI::IsMember({"native", "fp32", "fp16", "bf16"}))
      ->capture_default_str();
}

void add_box_options(CLI::App& app, SessionOptions& options) {
  app.add_option("--isolation", options.isolation, "How far to shut the candidate in")
      ->check(CLI::IsMember({"strict", "basic", "none"}))
      ->capture_default_str();
  app.add_option("--require-isolation", options.require_isolation, "Give no verdict where less than this is reached")
      ->check(CLI::IsMember({"strict", "basic"}));
  app.add_option("--bind", options.read_only_paths, "A path that the candidate may read (again for more)");
  app.add_option("--memory-limit", options.memory_limit_mib, "The candidate's host memory [MiB]; 0: 60 % of what is free");
}

void add_instrument_option(CLI::App& app, SessionOptions& options) {
  app.add_option("--instrument", options.instrument,
                 "What kbv bench timing --write has written (default: ~/.local/state/kbv/instrument-DEVICE.json, if it is there)");
}

void add_evaluate_options(CLI::App& app, EvaluateOptions& options) {
  app.add_option("--trials", options.trials, "Random D1 trials, besides D1 to D4")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--time-budget", options.sampling.budget_s, "Seconds of timed calls, of all implementations together")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  app.add_option("--max-calls", options.sampling.max_calls, "Rounds of timed calls, at most; in a round each implementation has one hand-over")
      ->check(CLI::Range(2, 100000))
      ->capture_default_str();
  app.add_option("--time-precision", options.sampling.precision,
                 "Stop timing when the 95 % uncertainty of each time is at most this part of it; 0: never")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("--warm", options.warm, "Do not empty the GPU's last-level cache before each timed call");
  app.add_flag("!--no-families", options.families, "D1 to D4 only: no other families of inputs, nothing else that attested needs");
  app.add_flag("!--no-parameters", options.parameters, "Leave the parameters as constructed");
  app.add_flag("--all", options.all_cases, "Try every family even after a wrong output");
  app.add_flag("!--no-timing", options.timing, "Correctness only");
  app.add_flag("--compile-baseline", options.compile_baseline, "Time torch.compile as well");
  app.add_option("--build-timeout", options.stages.build_s, "Seconds for compiling")->capture_default_str();
  app.add_option("--load-timeout", options.stages.load_s, "Seconds for importing the candidate, and for its constructor")->capture_default_str();
  app.add_option("--call-timeout", options.stages.call_s, "Seconds for one forward call")->capture_default_str();
  app.add_option("--all-calls-timeout", options.stages.all_calls_s, "Seconds for all of a candidate's calls together")->capture_default_str();
}

}  // namespace kbv
