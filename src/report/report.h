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

}  // namespace kbv
