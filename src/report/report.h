// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "judge/observation.h"
#include "score/protocol.h"

namespace kbv {

struct ReportStyle {
  bool colour = false;
  int width = 100;
  bool verbose = false;  ///< every case, the whole build log
};

/// The report a person reads after `kbv eval`. The first verdict is the one that counts. Text that came from a candidate
/// is made harmless: control characters are shown as escapes.
std::string terminal_report(const Observation& observation, const std::vector<Verdict>& verdicts,
                            const ReportStyle& style);

/// The part of it about the static look; "" if nobody looked.
std::string labels_report(const SourceLabels& labels, const ReportStyle& style);

/// `text` with control characters, and bytes that are not UTF-8, as visible escapes; newlines stay if `keep_lines`.
std::string printable(std::string_view text, bool keep_lines = false);

/// Stricter, for a page that shows programs: what has no width (joiners, marks of order, tags) is an escape as well, and newlines and
/// tabs stay. At most `limit_bytes` of `text` are looked at, and never half a character; the rest is left out, silently.
std::string visible(std::string_view text, std::size_t limit_bytes = ~std::size_t{0});

}  // namespace kbv
