// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "judge/sanitize.h"
#include "report/report.h"

namespace kbv {

/// All tools together: errors if one found some, else clean if all are, else incomplete.
SanitizerStatus sanitize_status(const SanitizeFindings& findings);

/// The report a person reads after `kbv sanitize`. Everything in it that came from a report is made harmless, as in
/// terminal_report().
std::string sanitize_report(const SanitizeFindings& findings, const ReportStyle& style);

}  // namespace kbv
