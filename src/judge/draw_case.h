// SPDX-License-Identifier: MIT
// One case's draw by the reference, and outputs against what float64 says of it: the same for a candidate and for an
// audit's stand-ins.
#pragma once

#include "judge/reference.h"

namespace kbv {

/// Makes the draw of `entry`, by its kind, distribution, scale and seed, in draw_in(0), and what is expected of it in
/// draw_out(0); where the reference has buffers for that, in exact() as well. Nothing: the case is dropped, and `entry`
/// says why. The reply has no outputs where float64 says nothing. An error: the reference is gone, or fails where every
/// candidate needs it.
Result<std::optional<FamilyReply>> draw_case(Reference& reference, CaseResult& entry, std::uint64_t forward_seed);

/// Compares the outputs in `got`, laid out like draw_out(0), with float64, as far as `drawn` knows it; `outputs` has
/// one entry for each.
Result<void> compare_exact(Device& device, const Reference& reference, const FamilyReply& drawn, const BufferSet& got,
                           std::vector<OutputCheck>& outputs);

}  // namespace kbv
