// SPDX-License-Identifier: MIT
// The rule by errors: an output is right if it is as near to float64 as right implementations are, within a factor.
#pragma once

#include <optional>
#include <string>

#include "score/protocol.h"

namespace kbv {

/// Which right implementations count.
enum class Precision {
  tf32,    ///< products in TF32 too, where the forward has products
  strict,  ///< those in the reference's own type only
};

/// What the errors of one output may be.
struct Allowance {
  double e_max = 0, e_rms = 0;
  std::optional<double> e_var;         ///< nothing: samples can't be told apart
  double right_max = 0, right_rms = 0;  ///< the largest of right implementations
};
Allowance allowance(const ExactCheck& check, DType dtype, const Budget& budget, Precision precision);

/// The largest error of an output that has an exact check, as a part of what it may be; infinite where something is not finite that should be.
double allowed_part(const OutputCheck& output, const Budget& budget, Precision precision);

/// Why `output`, which has an exact check, does not pass, as the rest of a sentence; nothing if it passes.
std::optional<std::string> budget_failure(const OutputCheck& output, const Budget& budget, Precision precision);

/// What the difference of two right outputs may be: as tau (see CompareStats), and as a part of the output's own size (rms).
struct DifferenceAllowance {
  double tau = 0, rms = 0;
};
DifferenceAllowance difference_allowance(const ExactCheck& native, DType dtype, const Budget& budget, Precision precision);

/// The same for an output that was compared with the reference's own output only: `native` is the same output in the case of another draw of
/// the same distribution which has an exact check. Both are as far from float64 as they may be, so their difference is bounded as well.
std::optional<std::string> difference_failure(const OutputCheck& output, const OutputCheck& native, const Budget& budget, Precision precision);

}  // namespace kbv
