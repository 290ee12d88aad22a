// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include "cli/doctor_facts.h"
#include "cli/doctor_report.h"
#include "cli/say.h"
#include "cli/verbs.h"

namespace kbv {

int run_doctor(const DoctorOptions& options) {
  const DoctorFacts facts = gather_doctor_facts(options.python);
  const auto findings = doctor_findings(facts);
  const std::string report = options.json ? doctor_json(facts, findings) : doctor_text(facts, findings);
  say_lines(stdout, report);
  const bool hopeless = std::any_of(findings.begin(), findings.end(),
                                    [](const Finding& finding) { return finding.severity == Severity::problem; });
  return hopeless ? k_exit_machine : k_exit_correct;
}

}  // namespace kbv
