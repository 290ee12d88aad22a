// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "judge/observation.h"
#include "score/protocol.h"

namespace kbv {

/// A Python script that runs the deciding case of a rejection again in plain PyTorch, without kbv: the cases up to it,
/// with their seeds. A usage error where there is no such case: the verdict is no wrong output, or it fell in a timed
/// call, whose inputs come many at a time (`kbv replay` makes those).
Result<std::string> reproducer_script(const Observation& observation, const Verdict& verdict);

}  // namespace kbv
