// SPDX-License-Identifier: MIT
// The command line: every verb and its options. CLI11 is a heavy header: only this file and shared_options have it.
#include "cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "base/version.h"
#include "cli/say.h"
#include "cli/shared_options.h"
#include "cli/verbs.h"
#include "os/interrupt.h"

namespace kbv {
int run_cli(int argc, char** argv) {
  if (const auto hidden = hide_own_memory(); !hidden) return print_error(hidden.error());
  CLI::App app{"kbv: is a generated GPU kernel correct, and really faster and leaner than PyTorch as people run it?"};
  app.set_version_flag("--version", std::string("kbv ") + k_version);
  app.require_subcommand(0, 1);  // none is told apart from an unknown one below

  EvalVerbOptions eval;
  std::vector<std::string> sets;
  auto* eval_app = app.add_subcommand("eval", "Judge one candidate against one problem");
  eval_app->add_option("PROBLEM", eval.evaluate.problem_path, "A KernelBench problem file (Model, get_inputs)")->required();
  eval_app->add_option("CANDIDATE", eval.evaluate.candidate_path, "A solution (ModelNew)")->required();
  eval_app->add_option("--size", eval.evaluate.size, "An entry of the problem's SIZES, such as cpu or gpu");
  eval_app->add_option("--set", sets, "NAME=VALUE: a module constant of the problem, VALUE in JSON (again for more)");
  eval_app->add_option("--protocol", eval.protocol, "The rules that count: attested, verified or kernelbench")->capture_default_str();
  eval_app->add_option("--tolerance", eval.tolerance, "atol = rtol for floating outputs, instead of the protocol's");
  eval_app->add_option("--seed", eval.evaluate.secret_hex, "Repeat with a published secret (64 hex digits)");
  eval_app->add_option("--json", eval.json_path, "Write the observation to this file (- for stdout)");
  eval_app->add_option("--script", eval.script_path, "If an output is wrong, write a script to this file that shows it in plain PyTorch");
  eval_app->add_flag("-v,--verbose", eval.verbose, "Every case, the whole build log");
  add_session_options(*eval_app, eval.session);
  add_box_options(*eval_app, eval.session);
  add_evaluate_options(*eval_app, eval.evaluate);
  add_instrument_option(*eval_app, eval.session);

  ReplayOptions replay;
  auto* replay_app = app.add_subcommand("replay", "Repeat an evaluation from its observation, on the same inputs, and say whether it agrees");
  replay_app->add_option("FILE", replay.observation_path, "What kbv eval --json has written")->required();
  replay_app->add_option("--problem", replay.problem_path, "Where the problem is now");
  replay_app->add_option("--candidate", replay.candidate_path, "Where the candidate is now");
  replay_app->add_option("--protocol", replay.protocol, "The rules that count: attested, verified or kernelbench")->capture_default_str();
  replay_app->add_option("--script", replay.script_path, "Evaluate nothing; write a script that shows the wrong output in plain PyTorch");
  add_session_options(*replay_app, replay.session);
  add_box_options(*replay_app, replay.session);
  add_evaluate_options(*replay_app, replay.evaluate);

  SanitizeVerbOptions sanitize;
  sanitize.tools = "memcheck,racecheck,initcheck,synccheck";
  std::vector<std::string> sanitize_sets;
  auto* sanitize_app = app.add_subcommand("sanitize", "Run a candidate's kernels under NVIDIA's compute-sanitizer, at reduced size");
  sanitize_app->add_option("PROBLEM", sanitize.sanitize.problem_path, "A KernelBench problem file (Model, get_inputs)")->required();
  sanitize_app->add_option("CANDIDATE", sanitize.sanitize.candidate_path, "A solution (ModelNew)")->required();
  sanitize_app->add_option("--tools", sanitize.tools, "Which, with commas between them")->capture_default_str();
  sanitize_app->add_option("--size", sanitize.sanitize.size, "An entry of the problem's SIZES (default: cpu if it has that one, else as the file says)")
      ->type_name("NAME");
  sanitize_app->add_option("--set", sanitize_sets, "NAME=VALUE: a module constant of the problem, VALUE in JSON (again for more)");
  sanitize_app->add_option("--forwards", sanitize.sanitize.forwards, "Calls under each tool, on fresh inputs")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  sanitize_app->add_option("--timeout", sanitize.sanitize.timeout_s, "Seconds for each tool; what takes longer is incomplete")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  sanitize_app->add_option("--sanitizer", sanitize.sanitize.program,
                           "Path of compute-sanitizer (default: on PATH, in $CUDA_HOME, in /usr/local/cuda)");
  sanitize_app->add_option("--seed", sanitize.sanitize.secret_hex, "Repeat with a published secret (64 hex digits)");
  sanitize_app->add_option("--json", sanitize.json_path, "Write what was found to this file (- for stdout)");
  sanitize_app->add_option("--build-timeout", sanitize.sanitize.stages.build_s, "Seconds for compiling, without the tool")->capture_default_str();
  sanitize_app->footer("Exit codes: 0 clean under every tool, 1 errors in the candidate's kernels, 2 bad usage or bad input, 3 not known: a tool\n"
                       "was not there or did not come to its end. docs/sanitizer.md says what each tool sees.");
  add_session_options(*sanitize_app, sanitize.session);
  add_box_options(*sanitize_app, sanitize.session);

  LookVerbOptions look;
  auto* look_app = app.add_subcommand("look", "What a source holds that a reader may want to look at; nothing of it runs");
  look_app->add_option("FILE", look.files, "Candidates")->required();
  auto* look_json = look_app->add_flag("--json", look.json, "As JSON, one object a file in a list");
  look_app->add_flag("--summary", look.summary, "Only how many files of each folder have each rule's label")->excludes(look_json);
  look_app->add_flag("-v,--verbose", look.verbose, "Every line and every detail");
  look_app->add_option("--python", look.python, "A Python 3 (default: $KBV_PYTHON, the active venv, .venv, python3); PyTorch is not needed");
  look_app->add_option("--isolation", look.isolation, "How far to shut in the helper that parses the files")
      ->check(CLI::IsMember({"strict", "basic", "none"}))
      ->capture_default_str();
  look_app->footer("Exit codes: 0 all were looked at, 1 one could not be (it is not Python, say), 2 bad usage or bad input. Labels are advice: many\n"
                   "honest kernels have some. docs/static-look.md lists the rules.");

  ZooVerbOptions zoo;
  zoo.evaluate.sampling.budget_s = 1;
  zoo.evaluate.sampling.max_calls = 20;
  auto* zoo_app = app.add_subcommand("zoo", "Judge the labelled candidates: the verifier's own examination");
  zoo_app->add_option("--folder", zoo.folder, "Another zoo: a folder with a zoo.toml");
  zoo_app->add_option("--suite", zoo.suite, "The folder of its problems, if not the embedded suite");
  zoo_app->add_option("--size", zoo.size, "Use SIZES[NAME] of the problems (default: gpu or cpu for the embedded suite)")->type_name("NAME");
  zoo_app->add_option("--only", zoo.only, "Only files whose name contains this (again for more)");
  zoo_app->add_option("--jobs", zoo.session.jobs, "Evaluations at once; the device is used by one at a time")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  zoo_app->add_option("--json", zoo.json_folder, "Write each observation into this folder");
  zoo_app->add_flag("--continue", zoo.go_on, "Judge only what an earlier run into the folder of --json has no verdict of, or of other files");
  zoo_app->add_option("--from", zoo.from, "Evaluate nothing; judge the observations that --json has written into this folder");
  zoo_app->add_option("--runs", zoo.runs_folder, "Evaluate nothing; write what can run here into this folder as runs, for kbv run");
  add_session_options(*zoo_app, zoo.session);
  add_box_options(*zoo_app, zoo.session);
  add_evaluate_options(*zoo_app, zoo.evaluate);

  MutateOptions mutate;
  auto* mutate_app = app.add_subcommand("mutate", "Make wrong candidates out of right ones, one change in each, for kbv zoo --folder");
  mutate_app->add_option("CANDIDATE", mutate.candidates, "Right candidates whose CUDA or C++ source stands in strings")->required();
  mutate_app->add_option("--out", mutate.folder, "A new or empty folder for the mutants and their zoo.toml")->required();
  mutate_app->add_option("--per-file", mutate.per_file, "Mutants of each candidate, at most")->check(CLI::Range(1, 100000))->capture_default_str();
  mutate_app->add_option("--families", mutate.families, "Only these: index, bound, operator, constant, sync, precision, init")->delimiter(',');
  mutate_app->add_option("--seed", mutate.seed, "Another choice of mutants")->capture_default_str();
  mutate_app->add_option("--manifest", mutate.manifest, "The zoo.toml that lists the candidates (default: the embedded one)");
  mutate_app->add_option("--equivalents", mutate.equivalents, "Mutants known to be right (default: the embedded zoo's equivalent_mutants.toml)");

  ProblemCheckOptions check;
  auto* problem_app = app.add_subcommand("problem", "Look at problem files");
  problem_app->require_subcommand(1);
  auto* check_app = problem_app->add_subcommand("check", "Load problems and run their reference under each distribution");
  check_app->add_option("PATH", check.paths, "Problem files, or folders of them")->required();
  check_app->add_option("--size", check.size, "An entry of the problems' SIZES");
  std::vector<std::string> check_sets;
  check_app->add_option("--set", check_sets, "NAME=VALUE: a module constant of the problems, VALUE in JSON (again for more)");
  check_app->add_flag("--families", check.families, "Run it on families of inputs as well, and in float64: where could an error be judged?");
  check_app->add_option("--json", check.json_path, "Write the results to this file");
  check_app->add_option("--jobs", check.session.jobs, "Problems at once")->check(CLI::Range(1, 256))->capture_default_str();
  check_app->add_option("--call-timeout", check.stages.call_s, "Seconds for one run of the reference")->capture_default_str();
  add_session_options(*check_app, check.session);

  ProblemAuditOptions audit;
  std::vector<std::string> audit_sets;
  auto* audit_app = problem_app->add_subcommand("audit", "What a problem's check would let pass, and what its output does not depend on");
  audit_app->add_option("PATH", audit.paths, "Problem files, or folders of them")->required();
  audit_app->add_option("--size", audit.size, "An entry of the problems' SIZES");
  audit_app->add_option("--set", audit_sets, "NAME=VALUE: a module constant of the problems, VALUE in JSON (again for more)");
  audit_app->add_option("--protocol", audit.protocol, "Whose gaps are listed: attested, verified or kernelbench")->capture_default_str();
  audit_app->add_option("--json", audit.json_path, "Write the results to this file");
  audit_app->add_option("--jobs", audit.session.jobs, "Problems at once")->check(CLI::Range(1, 256))->capture_default_str();
  audit_app->add_option("--call-timeout", audit.stages.call_s, "Seconds for one run of the reference")->capture_default_str();
  audit_app->add_flag("-v,--verbose", audit.verbose, "Every stand-in that passes");
  add_session_options(*audit_app, audit.session);

  BenchTimingOptions bench;
  auto* bench_app = app.add_subcommand("bench", "Measure the instrument itself");
  bench_app->require_subcommand(1);
  auto* timing_app = bench_app->add_subcommand("timing", "The judge's clock against the workers' own event timing");
  timing_app->add_option("--write", bench.write_path, "Write how well times are known to this file; auto: where every evaluation looks for it");
  timing_app->add_option("--only", bench.only, "Only operators whose name contains this (again for more)");
  timing_app->add_option("--json", bench.json_folder, "Write each observation into this folder");
  timing_app->add_option("--repeats", bench.repeats, "Evaluate each operator so often, in new processes, and tell the spread of the ratio")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_session_options(*timing_app, bench.session);
  add_box_options(*timing_app, bench.session);
  add_evaluate_options(*timing_app, bench.evaluate);

  BenchBaselinesOptions baselines;
  baselines.evaluate.trials = 1;
  auto* baselines_app = bench_app->add_subcommand("baselines", "PyTorch itself: default flags, TF32 off, TF32 on; what a speedup owes to the baseline");
  baselines_app->add_option("PROBLEM", baselines.paths, "Problem files")->required();
  baselines_app->add_option("--size", baselines.evaluate.size, "An entry of the problems' SIZES");
  add_session_options(*baselines_app, baselines.session);
  add_box_options(*baselines_app, baselines.session);
  add_evaluate_options(*baselines_app, baselines.evaluate);

  SuiteAddOptions suite;
  auto* suite_app = app.add_subcommand("suite", "Which problem sets there are");
  suite_app->require_subcommand(1);
  auto* suite_add_app = suite_app->add_subcommand("add", "Remember your copy of KernelBench, KernelBench-Verified or another suite by a name");
  suite_add_app->add_option("FOLDER", suite.folder, "A checkout, or a folder with level1, level2, level3 in it")->required();
  suite_add_app->add_option("--name", suite.name, "Its name (default: the data set's, else the folder's)");
  suite_add_app->add_flag("--replace", suite.replace, "Give it the name even if that stands for another folder");
  auto* suite_list_app = suite_app->add_subcommand("list", "The suites, their data sets and how many problems they have");

  RunVerbOptions campaign;
  campaign.session.jobs = 0;
  auto* run_app = app.add_subcommand("run", "Judge a run folder's candidates into a campaign; goes on where it was stopped");
  run_app->add_option("FOLDER", campaign.folders, "A run folder (level_1_problem_2_sample_0_kernel.py ...), or a folder of such")->required();
  run_app->add_option("--suite", campaign.suite, "A suite's name (kbv suite list) or folder")->required();
  run_app->add_option("--out", campaign.campaign, "The campaign: a file; made if it is not there")->required();
  run_app->add_option("--jobs", campaign.session.jobs, "Candidates at once, so that builds run ahead; a device is used by one at a time (0: as suits the machine)")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  run_app->add_option("--devices", campaign.devices, "GPUs to use, with commas between them: 0,1 (default: --device)")->delimiter(',');
  run_app->add_option("--samples", campaign.samples, "Only these samples, such as 0,2-4");
  run_app->add_option("--only", campaign.only, "Only these levels and problems, such as 1,2/7,3/1-10");
  run_app->add_option("--as", campaign.run, "One name for all of FOLDER's runs: a line of the leaderboard");
  run_app->add_option("--level", campaign.level, "The level of files whose name and folder do not tell")->check(CLI::Range(1, 9));
  run_app->add_option("--size", campaign.evaluate.size, "Use SIZES[NAME] of the problems (default: gpu or cpu for the embedded suite)")->type_name("NAME");
  add_session_options(*run_app, campaign.session);
  add_box_options(*run_app, campaign.session);
  add_evaluate_options(*run_app, campaign.evaluate);
  add_instrument_option(*run_app, campaign.session);

  ShowOptions show;
  auto* show_app = app.add_subcommand("show", "What a campaign holds: a list of its candidates, or everything about one");
  show_app->add_option("CAMPAIGN", show.campaign, "What kbv run has written")->required();
  show_app->add_option("ID", show.id, "The candidate's number in the list");
  show_app->add_option("--protocol", show.protocol, "The rules that count: attested, verified or kernelbench")->capture_default_str();
  show_app->add_flag("--source", show.source, "Its source, and nothing else");
  show_app->add_option("--files", show.files, "Write problem.py, candidate.py and observation.json into this folder (for kbv replay)");
  show_app->add_option("--script", show.script_path, "Write a script that shows a wrong output in plain PyTorch");
  show_app->add_flag("-v,--verbose", show.verbose, "Every case, the whole build log");

  DoctorOptions doctor;
  auto* doctor_app = app.add_subcommand("doctor", "What this machine offers, what that means, how to mend what is missing");
  doctor_app->add_option("--python", doctor.python, "A Python that has PyTorch");
  doctor_app->add_flag("--json", doctor.json, "As JSON");

  ImportOptions import;
  auto* import_app = app.add_subcommand("import", "Take KernelBench's results and baselines into a campaign");
  import_app->add_option("CAMPAIGN", import.campaign, "The campaign's file; made if it is not there")->required();
  import_app->add_option("PATH", import.paths, "eval_results*.json, baseline_time_*.json, or folders of them: a run, runs, results/timing")->required();
  import_app->add_option("--run", import.run, "What to call the run (default: generation_config.yaml's run_name, else its folder's name)");
  import_app->add_option("--level", import.level, "The results' level (default: as generation_config.yaml, the run's name or its candidates say)")
      ->check(CLI::Range(0, 999));

  ExportOptions exported;
  auto* export_app = app.add_subcommand("export", "Write a campaign's results as KernelBench's files, for its users' own scripts");
  export_app->add_option("CAMPAIGN", exported.campaign, "What kbv run or kbv import has written")->required();
  export_app->add_option("--out", exported.folder, "Gets runs/ and results/timing/; no file in it is overwritten")->required();
  export_app->add_option("--run", exported.run, "Only this run");
  export_app->add_option("--protocol", exported.protocol,
                         "The rules that say what is correct: kernelbench, verified or attested; recorded: what was imported, as it was")
      ->capture_default_str();
  export_app->add_option("--format", exported.format, "Whose files (default: verified for that protocol, else kernelbench)")
      ->check(CLI::IsMember({"kernelbench", "verified"}));
  export_app->add_option("-k", exported.attempts, "The k of pass_at_k_results.json, with commas between them; those that no problem has the samples for are left out")
      ->delimiter(',')
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();

  ScoreOptions score;
  auto* score_app = app.add_subcommand("score", "The paper's metrics of campaigns: correctness, speedup, memory, with intervals");
  score_app->add_option("CAMPAIGN", score.campaigns, "What kbv run or kbv import has written; several side by side")->required();
  score_app->add_option("--protocol", score.protocol, "Whose rules: attested, verified or kernelbench; recorded: what other harnesses recorded")
      ->check(CLI::IsMember({"attested", "verified", "kernelbench", "recorded"}))
      ->capture_default_str();
  score_app->add_option("--tolerance", score.tolerance, "atol = rtol for floating outputs, instead of the protocol's")->check(CLI::NonNegativeNumber);
  score_app->add_option("--format", score.format, "table, md, csv or json")->check(CLI::IsMember({"table", "md", "csv", "json"}))->capture_default_str();
  score_app->add_option("--baseline", score.baseline,
                        "What a speedup means, instead of the protocol's: eager, tf32_off, tf32_on or compile; of recorded results NAME@HARDWARE");
  score_app->add_option("--fp32-baseline", score.fp32_baseline, "The FP32 baseline of the decomposition")
      ->check(CLI::IsMember({"eager", "tf32_off"}))
      ->capture_default_str();
  score_app->add_option("-k", score.attempts, "The k of pass@k, with commas between them")->delimiter(',')->check(CLI::Range(1, 10000))->capture_default_str();

  ReportVerbOptions report;
  auto* report_app = app.add_subcommand("report", "Campaigns as one page with leaderboard, figures and every candidate; it needs no network");
  report_app->add_option("CAMPAIGN", report.campaigns, "What kbv run has written")->required();
  report_app->add_option("-o,--out", report.out, "The page: an HTML file")->required();
  report_app->add_option("--title", report.title, "Its title")->capture_default_str();

  // Said last: a verb inherits the footer that its parent has when it is made.
  app.footer("Exit codes: 0 done, 1 rejected or not as it must be, 2 bad usage or bad input, 3 the machine's fault, 130 interrupted. Each verb's --help\n"
             "says what they mean there.");
  const std::string others = " 2 bad usage or bad input, 3 the machine's fault, 130 interrupted.";
  const std::string reads = "Exit codes: 0 done, 2 bad usage or bad input.";
  eval_app->footer("Exit codes: 0 correct, 1 rejected," + others);
  replay_app->footer("Exit codes: 0 it agrees, 1 it does not," + others);
  zoo_app->footer("Exit codes: 0 every candidate got the verdict that it must get, 1 some did not," + others);
  const std::string families =
      "Families of inputs (docs/protocols.md): D1 to D4 the problem's own times 1, 3, 0.01, -1; S1 N(0, 1); S2 about 10, S2-far about -1000;\n"
      "S3 over 2^-20 to 2^20, S3-rows by row; S4 where functions saturate; S5 mostly zeros; S6 single large values and edges; S7 small whole\n"
      "numbers; S8 inputs of very different size; S9 long products; S10 terms along rows, columns, samples; S11 constant rows; X1 NaN and\n"
      "infinities; X2 subnormals. P1, PI, P+, P-, PB, PR: other parameters. Robust asks for S2-far, X1 and X2 as\n"
      "well.\n";
  for (CLI::App* verb : {check_app, audit_app}) verb->footer(families + "Exit codes: 0 every problem runs, 1 some do not," + others);
  for (CLI::App* verb : {timing_app, baselines_app}) verb->footer("Exit codes: 0 all is measured, 2 bad usage or bad input, 3 something is not, 130 interrupted.");
  run_app->footer("Exit codes: 0 every candidate has a result, right or wrong; 2 bad usage or bad input; 3 the machine failed some; 130 interrupted.\n"
                  "After 3 and 130 the same command goes on.");
  doctor_app->footer("Exit codes: 0 something can be judged here, 2 bad usage, 3 nothing can.");
  for (CLI::App* verb : {mutate_app, suite_add_app, suite_list_app, show_app, score_app, report_app}) verb->footer(reads);
  import_app->footer("All files or none are taken. docs/kernelbench-files.md lists what is read.\n" + reads);
  export_app->footer("docs/kernelbench-files.md lists what is written, field by field.\n" + reads);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // An argument may be the name of a stranger's file: FOLDER/*
    std::ostringstream out, complaint;
    const int code = app.exit(error, out, complaint);
    say_lines(stdout, out.str());
    say_lines(stderr, complaint.str());
    return code == 0 ? k_exit_correct : k_exit_usage;
  }
  if (app.get_subcommands().empty()) {
    say_lines(stderr, app.help());
    return k_exit_usage;
  }
  for (const auto& [texts, constants] : {std::pair{&sets, &eval.evaluate.constants}, std::pair{&audit_sets, &audit.constants},
                                          std::pair{&check_sets, &check.constants}, std::pair{&sanitize_sets, &sanitize.sanitize.constants}})
    for (const std::string& text : *texts) {
      const auto equals = text.find('=');
      if (equals == std::string::npos || equals == 0)
        return print_error({Fault::usage, "bad_constant", "--set " + text + ": NAME=VALUE is needed", {}});
      (*constants)[text.substr(0, equals)] = text.substr(equals + 1);
    }
  catch_interrupts();
  if (eval_app->parsed()) return run_eval(eval);
  if (replay_app->parsed()) return run_replay(replay);
  if (sanitize_app->parsed()) return run_sanitize(sanitize);
  if (look_app->parsed()) return run_look(look);
  if (zoo_app->parsed()) return run_zoo(zoo);
  if (mutate_app->parsed()) return run_mutate(mutate);
  if (check_app->parsed()) return run_problem_check(check);
  if (audit_app->parsed()) return run_problem_audit(audit);
  if (timing_app->parsed()) return run_bench_timing(bench);
  if (baselines_app->parsed()) return run_bench_baselines(baselines);
  if (import_app->parsed()) return run_import(import);
  if (export_app->parsed()) return run_export(exported);
  if (suite_add_app->parsed()) return run_suite_add(suite);
  if (suite_list_app->parsed()) return run_suite_list();
  if (run_app->parsed()) return run_campaign(campaign);
  if (show_app->parsed()) return run_show(show);
  if (score_app->parsed()) return run_score(score);
  if (report_app->parsed()) return run_report(report);
  return run_doctor(doctor);
}

}  // namespace kbv
