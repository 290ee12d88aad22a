// SPDX-License-Identifier: MIT
// The parts of the terminal report, in the order in which they appear. `verdict` is the one that counts.
#pragma once

#include <vector>

#include "report/page.h"

namespace kbv {

void verdict_section(Page& page, const Observation& observation, const std::vector<Verdict>& verdicts);
void speed_section(Page& page, const Observation& observation, const Verdict& verdict);
void evidence_section(Page& page, const Verdict& verdict);
void memory_section(Page& page, const Verdict& verdict);
void kernels_section(Page& page, const Observation& observation, bool verbose);
void labels_section(Page& page, const SourceLabels& labels, bool verbose);
void case_section(Page& page, const Observation& observation, const Verdict& verdict, bool verbose);
void rules_section(Page& page, const std::vector<Verdict>& verdicts);
void output_section(Page& page, const Observation& observation, const Verdict& verdict, bool verbose);
void details_section(Page& page, const Observation& observation, bool verbose);

/// "the machine's fault", "the problem's fault" or "the user's choice" where the verdict is none on the candidate, else
/// empty.
std::string excuse(const Verdict& verdict);

}  // namespace kbv
