// SPDX-License-Identifier: MIT
// What a protocol would let through on a problem: a pure function of an audit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/problem_audit.h"
#include "score/protocol.h"

namespace kbv {

/// From worst to best.
enum class Sight {
  not_judged,  ///< no draw that the protocol looks at is left
  vacuous,     ///< an output passes for which nothing of the problem's work is done
  blind,  ///< one passes that leaves out or confuses a part of it: an input, a parameter, an activation, the last index
  coarse,  ///< only what a smaller type or another formula for the same gives
  sound,   ///< none of what was tried
};
std::string_view to_string(Sight sight);

/// A stand-in, and the first draw that rejects it.
struct Rejection {
  const StandIn* stand_in = nullptr;
  std::string draw;    ///< "hidden-D4", "family-S6", "parameters-P1-S1"
  std::string reason;  ///< one sentence without the draw
};

/// Pointers are to what lies in the audit.
struct AuditVerdict {
  Sight sight = Sight::not_judged;
  std::vector<const StandIn*> passing;  ///< gaps, worst first
  std::vector<const StandIn*>
      no_effect;  ///< inputs and parameters on which the output does not depend: to leave one out is right
  /// Accepted, and right: what it changes does nothing in float64, on any draw. A negated input of an even function,
  /// say.
  std::vector<const StandIn*> harmless;
  std::vector<Rejection> rejected;  ///< in the order of the draws
};

/// "another draw's output", "ones for parameter bn.weight", ...
std::string stand_in_name(const StandIn& stand_in);

/// Whether a protocol looks at an audit's draw. One hidden draw under D1 stands for all trials.
bool audit_looks_at(const Protocol& protocol, const CaseResult& draw);
/// The first draw under which `protocol` rejects the stand-in, as far as it was made; nothing if none does.
std::optional<Rejection> first_rejection(const StandIn& stand_in, const Protocol& protocol);
/// For the audit's callbacks: what any of the protocols looks at, and what one that looks at the draw has accepted so
/// far.
AuditOptions audit_options(const std::vector<Protocol>& protocols);

AuditVerdict judge_audit(const ProblemAudit& audit, const Protocol& protocol);

}  // namespace kbv
