// SPDX-License-Identifier: MIT
// The static look at a candidate's source: rules on Python by `ast`, in a helper in a box (look.py), and on the CUDA,
// C++ and PTX text in it (cuda_rules.h). Advice for people: it has labels, and no say in any verdict.
#pragma once

#include <string>

#include "look/labels.h"
#include "os/process.h"
#include "worker/environment.h"

namespace kbv {

inline constexpr double k_look_timeout_s = 10;

/// Never fails: what goes wrong is `why` of a state "not looked at". None of the candidate's code runs, neither here
/// nor in the helper's box, which has no device, no network, 512 MiB and k_look_timeout_s. Safe to call from several
/// threads.
SourceLabels look_at_source(const PythonEnvironment& python, const std::string& source, IsolationProfile profile);

}  // namespace kbv
