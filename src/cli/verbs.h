// SPDX-License-Identifier: MIT
// One function a verb. Each returns the process's exit code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.h"
#include "judge/sanitize.h"

namespace kbv {

/// Exit codes of every verb.
enum ExitCode : int {
  k_exit_correct = 0,   ///< the candidate is correct; the verb did its work
  k_exit_rejected = 1,  ///< the candidate is rejected; a check failed
  k_exit_usage = 2,     ///< bad usage or bad input
  k_exit_machine = 3,   ///< the machine's fault: no verdict
  k_exit_interrupted = 130,
};

struct EvalVerbOptions {
  SessionOptions session;
  EvaluateOptions evaluate;
  std::string protocol = "attested";
  std::optional<double> tolerance;
  std::string json_path;  ///< "" none, "-" stdout
  std::string script_path;  ///< a reproducer of a rejection goes there; "" none
  bool verbose = false;
};
int run_eval(const EvalVerbOptions& options);

struct ReplayOptions {
  SessionOptions session;
  EvaluateOptions evaluate;
  std::string observation_path;
  std::string protocol = "attested";
  std::string problem_path, candidate_path;  ///< where they are now; "" as the observation says
  std::string script_path;                   ///< as in EvalVerbOptions; then nothing is evaluated
};
int run_replay(const ReplayOptions& options);

struct SanitizeVerbOptions {
  SessionOptions session;
  SanitizeOptions sanitize;  ///< its program is --sanitizer, "" if that is not given
  std::string tools;         ///< names, with commas between them
  std::string json_path;     ///< as in EvalVerbOptions
};
int run_sanitize(const SanitizeVerbOptions& options);

struct LookVerbOptions {
  std::vector<std::string> files;
  std::string python, isolation = "strict";
  bool json = false, summary = false, verbose = false;
};
int run_look(const LookVerbOptions& options);

struct ZooVerbOptions {
  SessionOptions session;
  EvaluateOptions evaluate;
  std::string folder;             ///< a zoo of the user's own; "" the one beside the binary
  std::string suite;              ///< the folder of its problems; "" the embedded suite
  std::string size;               ///< of problems that have sizes; "" gpu or cpu for the embedded suite, else as the file says
  std::vector<std::string> only;  ///< parts of file names
  std::string json_folder;        ///< observations go there
  bool go_on = false;             ///< what an earlier run left in json_folder counts, if its files and kbv are the same
  std::string from;               ///< nothing is evaluated: the observations that json_folder got before are judged
  std::string runs_folder;        ///< nothing is evaluated: what can run here is written as run folders, one for each kind
};
int run_zoo(const ZooVerbOptions& options);

struct MutateOptions {
  std::vector<std::string> candidates;  ///< right ones, each listed in the manifest
  std::string folder;                   ///< new or empty; gets the mutants and their zoo.toml
  int per_file = 10;                    ///< mutants of a candidate, at most
  std::vector<std::string> families;    ///< by name; none: all
  std::uint64_t seed = 0;
  std::string manifest;     ///< "": the embedded zoo's
  std::string equivalents;  ///< "": zoo/equivalent_mutants.toml
};
int run_mutate(const MutateOptions& options);

struct ProblemCheckOptions {
  SessionOptions session;
  StageLimits stages;
  std::vector<std::string> paths;  ///< files, or folders searched for N_name.py
  std::string size;
  std::map<std::string, std::string> constants;  ///< as in EvaluateOptions
  bool families = false;                         ///< families of inputs as well
  std::string json_path;
};
int run_problem_check(const ProblemCheckOptions& options);

struct ProblemAuditOptions {
  SessionOptions session;
  StageLimits stages;
  std::vector<std::string> paths;
  std::string size;
  std::map<std::string, std::string> constants;  ///< as in EvaluateOptions
  std::string protocol = "attested";  ///< whose gaps are listed
  std::string json_path;
  bool verbose = false;
};
int run_problem_audit(const ProblemAuditOptions& options);

struct BenchTimingOptions {
  SessionOptions session;
  EvaluateOptions evaluate;
  std::vector<std::string> only;  ///< parts of operator names
  std::string write_path;         ///< the instrument's file; "auto": instrument_path(); "" none
  std::string json_folder;        ///< observations go there
  int repeats = 1;                ///< of each operator; if there are several, each in worker processes of its own
};
int run_bench_timing(const BenchTimingOptions& options);

struct BenchBaselinesOptions {
  SessionOptions session;
  EvaluateOptions evaluate;
  std::vector<std::string> paths;  ///< problem files
};
int run_bench_baselines(const BenchBaselinesOptions& options);

struct SuiteAddOptions {
  std::string folder, name;
  bool replace = false;  ///< a name that stands for another folder
};
int run_suite_add(const SuiteAddOptions& options);
int run_suite_list();

struct RunVerbOptions {
  SessionOptions session;  ///< its jobs 0: as many as suit the machine
  EvaluateOptions evaluate;
  std::vector<std::string> folders;
  std::string suite, campaign;
  std::vector<std::string> devices;  ///< "0", "cuda:1", "cpu"; none: the session's
  std::string samples, only;         ///< as in cli/selection.h
  std::string run;                   ///< one name for all of them; "": the folders'
  std::optional<int> level;          ///< of files that do not tell
};
int run_campaign(const RunVerbOptions& options);

struct ShowOptions {
  std::string campaign, protocol = "attested";
  std::optional<std::int64_t> id;  ///< none: a list
  bool verbose = false, source = false;
  std::string files, script_path;
};
int run_show(const ShowOptions& options);

struct DoctorOptions {
  std::string python;  ///< --python
  bool json = false;
};
int run_doctor(const DoctorOptions& options);

struct ImportOptions {
  std::string campaign;            ///< made if it is not there
  std::vector<std::string> paths;  ///< see read_kernelbench_files()
  std::string run;                 ///< "": as the files say
  std::optional<int> level;        ///< none: as the files say
};
int run_import(const ImportOptions& options);

struct ExportOptions {
  std::string campaign;
  std::string folder;                    ///< gets runs/ and results/timing/; nothing in it is overwritten
  std::string run;                       ///< only this one; "": all
  std::string protocol = "kernelbench";  ///< "recorded": what was imported, as it was
  std::string format;                    ///< "kernelbench", "verified"; "": "verified" for that protocol, else "kernelbench"
  std::vector<int> attempts = {1, 5};    ///< the k of pass@k, where there are as many samples
};
int run_export(const ExportOptions& options);

struct ScoreOptions {
  std::vector<std::string> campaigns;
  std::string protocol = "attested";  ///< or "recorded"
  std::optional<double> tolerance;
  std::string format = "table";  ///< "table", "md", "csv", "json"
  std::string baseline;          ///< as in LeaderboardRequest
  std::string fp32_baseline = "eager";
  std::vector<int> attempts = {1, 5};  ///< the k of pass@k
};
int run_score(const ScoreOptions& options);

struct ReportVerbOptions {
  std::vector<std::string> campaigns;  ///< files
  std::string out;                     ///< the page
  std::string title = "kbv leaderboard";
};
int run_report(const ReportVerbOptions& options);

}  // namespace kbv
