// SPDX-License-Identifier: MIT
// What a protocol would let through on a problem: a pure function of an audit.
#pragma once

#include <string>
#include <vector>

#include "judge/problem_audit.h"
#include "score/protocol.h"

namespace kbv {

/// From worst to best.
enum class Sight {
  not_judged,  ///< no distribution of the protocol is left
  vacuous,     ///< an output passes for which nothing of the problem's work is done
  blind,       ///< one passes that leaves out a part of it: an input, a parameter, an activation, the last index
  coarse,      ///< only what a smaller type or another formula for GELU gives
  sound,       ///< none of what was tried
};
std::string_view to_string(Sight sight);

struct AuditVerdict {
  Sight sight = Sight::not_judged;
  std::vector<const StandIn*> passing;  ///< that say so, worst first; they lie in the audit
  std::vector<const StandIn*>
      no_effect;  ///< inputs and parameters on which the output does not depend: to leave one out is right
};

/// "another draw's output", "parameter bn.weight as ones", ...
std::string stand_in_name(const StandIn& stand_in);

AuditVerdict judge_audit(const ProblemAudit& audit, const Protocol& protocol);

}  // namespace kbv
