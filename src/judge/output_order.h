// SPDX-License-Identifier: MIT
// Outputs in another order of memory than the reference's, such as channels_last. A worker stores what a forward returned as it lies,
// which costs as much as for any other output, and says afterwards in which order; the judge puts its snapshot right. What is
// compared is what was said: an order that is not the output's makes it wrong.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "judge/buffer_set.h"

namespace kbv {

/// For each leaf its dimensions from the outermost to the innermost in memory; empty: as the tree says.
using OutputOrders = std::vector<std::vector<unsigned>>;

/// What a reply's "orders" says, a list of [leaf, [dimension, ...]]. A candidate's fault, code "crash", if it is not well formed.
Result<OutputOrders> read_output_orders(const nlohmann::json& reply, const std::vector<Leaf>& leaves);

/// How to bring a leaf that lies in `order`, a permutation of its dimensions, into its own; no dimensions: it lies so already.
Reorder plan_reorder(const Leaf& leaf, const std::vector<unsigned>& order);

/// Brings private buffers into the order of their tree; one more buffer of each size is needed meanwhile.
Result<void> put_in_order(Device& device, std::vector<BufferSet*> sets, const OutputOrders& orders);

}  // namespace kbv
