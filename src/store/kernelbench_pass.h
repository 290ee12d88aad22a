// SPDX-License-Identifier: MIT
// pass_at_k_results.json, which KernelBench writes beside the results of several samples of a problem.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/campaign.h"

namespace kbv {

/// Of one run's results; nothing where no problem has several samples, as in KernelBench. Of `attempts`, the k of
/// pass@k, those count that some problem has as many samples for. As KernelBench defines it, a problem with fewer than
/// k samples has its pass@n for its own number n instead, and adds nothing to the average of pass@k.
std::optional<std::string> write_pass_at_k(const std::vector<RecordedResult>& results, std::vector<int> attempts);

}  // namespace kbv
