// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "judge/observation.h"
#include "score/protocol.h"

namespace kbv {

enum class JsonLayout { pretty, compact };

/// The observation, with the verdicts it gets under the given protocols, as JSON of schema kbv-observation/5
/// (docs/observation.md).
std::string observation_to_json(const Observation& observation, const std::vector<Verdict>& verdicts,
                                JsonLayout layout = JsonLayout::pretty);

/// Reads it back, without the verdicts (they are computed again). A usage error names the field that is wrong.
Result<Observation> observation_from_json(std::string_view text, const std::string& where);

}  // namespace kbv
