// SPDX-License-Identifier: MIT
#include "judge/draw_case.h"

namespace kbv {

Result<std::optional<FamilyReply>> draw_case(Reference& reference, CaseResult& entry, std::uint64_t forward_seed) {
  const bool exact = entry.kind != "trial" && entry.kind != "timed" && reference.has_exact();
  const auto drop = [&](const std::string& why) {
    entry.dropped = true;
    entry.drop_reason = why;
    return std::optional<FamilyReply>();
  };
  FamilyReply drawn;
  if (exact) {
    auto reply = reference.family(entry.distribution, entry.scale, entry.seed, forward_seed);
    // An exception under a transformed distribution drops that distribution; a reference that is gone ends everything.
    if (!reply && spends_worker(reply.error())) return tl::make_unexpected(std::move(reply).error());
    if (!reply) return drop("the reference fails: " + reply.error().message);
    drawn = std::move(*reply);
  } else {
    const Draw wanted{entry.seed};
    auto reply = reference.draw({&wanted, 1}, entry.scale, forward_seed);
    if (!reply) {
      const Error& error = reply.error();
      if (entry.kind != "hidden" || error.fault != Fault::problem || error.code == "crash" || error.code == "timeout")
        return tl::make_unexpected(std::move(reply).error());
      return drop("the reference fails: " + error.message);
    }
    drawn.inputs = std::move(reply->inputs[0]);
    if (!reply->finite) {
      drawn.status = FamilyReply::Status::not_finite;
      drawn.why = "the reference's output is not finite";
    }
  }
  entry.outside_domain = !drawn.in_domain;
  const bool has_oracle = exact && drawn.status == FamilyReply::Status::ok;
  if (exact && !has_oracle) entry.no_oracle = drawn.why;
  // What is repeated or kept is compared with the call before; to have it compared with float64 as well is not worth a verdict.
  const bool contract_without_room = drawn.status == FamilyReply::Status::no_room && entry.kind == "contract";
  entry.no_room = drawn.status == FamilyReply::Status::no_room && !contract_without_room;
  // A distribution of the paper counts wherever the reference's own output is finite; a family only where float64 can
  // tell.
  if (drawn.status == FamilyReply::Status::not_finite || (exact && !has_oracle && entry.kind != "hidden" && !contract_without_room))
    return drop(drawn.why);
  // Of a reference that is far from float64 itself, float64 still tells what no right implementation gives.
  if (!has_oracle && drawn.status != FamilyReply::Status::inexact) drawn.outputs.clear();
  return std::optional(std::move(drawn));
}

Result<void> compare_exact(Device& device, const Reference& reference, const FamilyReply& drawn, const BufferSet& got,
                           std::vector<OutputCheck>& outputs) {
  for (std::size_t i = 0; i < outputs.size() && i < drawn.outputs.size(); ++i) {
    const FamilyReply::Output& known = drawn.outputs[i];
    ExactCheck check;
    KBV_TRY_ASSIGN(
        check.stats,
        device.compare_exact(outputs[i].dtype, *reference.exact().buffers[i], *reference.rho().buffers[i],
                             *got.buffers[i], reference.exact().leaves[i].elements, reference.slice_elements(i)));
    check.variation = known.variation;
    check.rho_max = known.rho_max;
    check.members = known.members;
    outputs[i].exact = std::move(check);
  }
  return {};
}

}  // namespace kbv
