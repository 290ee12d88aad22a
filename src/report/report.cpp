// SPDX-License-Identifier: MIT
#include "report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "report/sections.h"
#include "report/units.h"

namespace kbv {
namespace {

/// What a code means, for somebody who sees it the first time.
std::string meaning(const std::string& code) {
  static const std::map<std::string, std::string> meanings{
      {"wrong_output", "Its output differs from the reference's by more than the rules allow."},
      {"wrong_shape", "Its output does not have the reference's shape."},
      {"wrong_dtype", "Its output does not have the reference's element type."},
      {"wrong_structure", "It does not return the same kind of value as the reference."},
      {"input_written", "It writes to its inputs, which the reference does not."},
      {"reused_output", "Its calls share one output buffer."},
      {"import_error", "Its file could not be imported."},
      {"no_model_new", "Its file defines no class ModelNew."},
      {"build_error", "Its extension could not be compiled."},
      {"construct_error", "ModelNew could not be constructed."},
      {"runtime_error", "It raised an error when it was called."},
      {"crash", "Its process died."},
      {"timeout", "It did not answer in time."},
      {"out_of_memory", "It ran out of memory."},
  };
  const auto found = meanings.find(code);
  return found == meanings.end() ? "" : found->second;
}

std::string speed_words(const Verdict& verdict) {
  if (verdict.speed.empty()) return "not timed";
  const SpeedScore& own = verdict.speed.front();
  if (!own.resolved) return "but how fast cannot be told, see below";
  const std::string figure = fmt::format("{} as fast as PyTorch ({}), 95 % interval {}", show_factor(own.speedup.value),
                                         own.baseline, show_range(own.speedup.low, own.speedup.high));
  return own.finding == "no difference" ? "no measurable difference: " + figure : own.finding + ": " + figure;
}

std::string size_words(const Observation& observation) {
  std::vector<std::string> words;
  if (!observation.size.empty()) words.push_back("size " + observation.size);
  if (observation.precision != "native") words.push_back(observation.precision);
  for (const auto& [name, value] : observation.constants) words.push_back(fmt::format("{} = {}", name, value));
  return words.empty() ? "" : fmt::format(" ({})", fmt::join(words, ", "));
}

/// What a correct one is besides.
std::string grade_words(const Verdict& verdict) {
  std::vector<std::string> words;
  if (verdict.robust) words.push_back(*verdict.robust ? "robust" : "not robust: " + verdict.robust_reason);
  if (verdict.strict)
    words.push_back(*verdict.strict ? "strict (right without TF32 or fast approximations)" : "not strict (right as TF32 or fast approximations are)");
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace

std::string labels_report(const SourceLabels& labels, const ReportStyle& style) {
  TerminalPage page(style);
  labels_section(page, labels, style.verbose);
  return page.take();
}

std::string excuse(const Verdict& verdict) {
  if (verdict.correct) return "";
  return verdict.code == "machine_error" ? "the machine's fault" : verdict.code == "problem_error" ? "the problem's fault" : verdict.code == "not_tried" ? "the user's choice" : "";
}

void verdict_section(Page& page, const Observation& observation, const std::vector<Verdict>& verdicts) {
  if (verdicts.empty()) {
    page.headline("NOT JUDGED", Ink::warn, "no protocol was given");
  } else if (const Verdict& verdict = verdicts.front(); verdict.correct) {
    page.headline("CORRECT", Ink::good, speed_words(verdict));
  } else if (const std::string whose = excuse(verdict); !whose.empty()) {
    page.headline("NO VERDICT: " + whose, Ink::warn, "nothing is held against the candidate");
  } else {
    page.headline("REJECTED: " + verdict.code, Ink::bad, meaning(verdict.code));
  }
  page.fact("candidate", observation.candidate.path);
  page.fact("problem", observation.problem.path + size_words(observation));
  if (verdicts.empty()) return;

  const Verdict& verdict = verdicts.front();
  page.fact("why", verdict.reason);
  if (const std::string grades = grade_words(verdict); !grades.empty()) page.fact("besides", grades);
  if (verdict.code == "machine_error")
    page.fact("", "This says something about the machine only. Run the evaluation again.");
  else if (verdict.code == "problem_error")
    page.fact("", "The reference itself gives nothing to compare with. Another size or problem is needed.");
  else if (verdict.code == "not_tried")
    page.fact("", fmt::format("The evaluation was asked for less than {} needs. Run it again without that option, or judge by another protocol.", verdict.protocol));
  for (const Evidence& evidence : verdict.evidence)
    if (evidence.kind == "vacuous_problem") page.remark(fmt::format("{}.", evidence.text));
  if (verdict.correct && observation.fault && observation.fault->fault == Fault::candidate)
    page.remark(fmt::format("The candidate failed later, where {} does not look: {}: {}", verdict.protocol,
                            observation.fault->code, observation.fault->message));
}

std::string terminal_report(const Observation& observation, const std::vector<Verdict>& verdicts,
                            const ReportStyle& style) {
  TerminalPage page(style);
  verdict_section(page, observation, verdicts);
  if (!verdicts.empty()) {
    const Verdict& verdict = verdicts.front();
    speed_section(page, observation, verdict);
    memory_section(page, verdict);
    evidence_section(page, verdict);
    kernels_section(page, observation, style.verbose);
    case_section(page, observation, verdict, style.verbose);
    rules_section(page, verdicts);
    output_section(page, observation, verdict, style.verbose);
    labels_section(page, observation.source_labels, style.verbose);
  }
  details_section(page, observation, style.verbose);
  return page.take();
}

}  // namespace kbv
