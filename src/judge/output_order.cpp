// SPDX-License-Identifier: MIT
#include "judge/output_order.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace kbv {
namespace {

using nlohmann::json;

tl::unexpected<Error> malformed() {
  return fail(Fault::candidate, "crash", "the worker broke the protocol: it says nonsense of the order of its outputs");
}

/// A permutation of the leaf's dimensions.
bool read_order(const json& value, const Leaf& leaf, std::vector<unsigned>& order) {
  if (!value.is_array() || value.size() != leaf.shape.size() || value.size() > Reorder::k_max_dims) return false;
  std::vector<bool> seen(value.size(), false);
  for (const auto& item : value) {
    if (!item.is_number_unsigned()) return false;
    const auto dim = item.get<std::uint64_t>();
    if (dim >= seen.size() || seen[dim]) return false;
    seen[dim] = true;
    order.push_back(static_cast<unsigned>(dim));
  }
  return true;
}

}  // namespace

Result<OutputOrders> read_output_orders(const json& reply, const std::vector<Leaf>& leaves) {
  OutputOrders orders(leaves.size());
  const auto found = reply.find("orders");
  if (found == reply.end()) return orders;
  if (!found->is_array() || found->size() > leaves.size()) return malformed();
  for (const auto& entry : *found) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_unsigned()) return malformed();
    const auto leaf = entry[0].get<std::uint64_t>();
    if (leaf >= leaves.size() || !orders[leaf].empty() || !read_order(entry[1], leaves[leaf], orders[leaf])) return malformed();
  }
  return orders;
}

Reorder plan_reorder(const Leaf& leaf, const std::vector<unsigned>& order) {
  Reorder plan;
  if (leaf.elements == 0) return plan;
  std::vector<std::uint64_t> from_stride(leaf.shape.size(), 0);
  std::uint64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    from_stride[order[i]] = step;
    step *= static_cast<std::uint64_t>(leaf.shape[order[i]]);
  }
  std::vector<unsigned> own;  // its dimensions as the leaf lies, outermost first
  for (const unsigned dim : order)
    if (leaf.shape[dim] > 1) own.push_back(dim);
  std::sort(own.begin(), own.end(), [&](unsigned a, unsigned b) { return leaf.stride[a] > leaf.stride[b]; });
  for (const unsigned dim : own) {
    const auto extent = static_cast<std::uint64_t>(leaf.shape[dim]);
    const unsigned last = plan.dims - 1;
    if (plan.dims > 0 && plan.from_stride[last] == extent * from_stride[dim]) {  // these two lie together on both sides
      plan.extent[last] *= extent;
      plan.from_stride[last] = from_stride[dim];
    } else {
      plan.extent[plan.dims] = extent;
      plan.from_stride[plan.dims++] = from_stride[dim];
    }
  }
  return plan.dims > 1 ? plan : Reorder{};
}

Result<void> put_in_order(Device& device, std::vector<BufferSet*> sets, const OutputOrders& orders) {
  if (sets.empty()) return {};
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (orders[i].empty()) continue;
    const Leaf& leaf = sets.front()->leaves[i];
    const Reorder plan = plan_reorder(leaf, orders[i]);
    if (plan.dims == 0) continue;
    KBV_TRY_ASSIGN(std::unique_ptr<Buffer> other, device.allocate_private(leaf.bytes()));
    for (BufferSet* set : sets) {
      KBV_TRY(device.reorder(*other, *set->buffers[i], dtype_bytes(leaf.dtype), plan));
      std::swap(other, set->buffers[i]);
    }
    KBV_TRY(device.sync());  // before the last one goes
  }
  return {};
}

}  // namespace kbv
