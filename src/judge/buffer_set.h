// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "device/device.h"
#include "worker/tree.h"

namespace kbv {

/// The buffers behind one tree: one for each leaf, in slot order.
struct BufferSet {
  nlohmann::json tree;
  std::vector<Leaf> leaves;
  std::vector<std::unique_ptr<Buffer>> buffers;

  /// What lies beyond the leaf in each shared buffer, for past_end_written(); also what an index past the end reads: NaN, after poison_set().
  static constexpr std::uint64_t k_margin_bytes = 4096;

  /// Shared buffers can be mapped by a worker; private ones are the judge's alone. `root` names the paths.
  enum class Kind { shared, private_to_judge };
  static Result<BufferSet> allocate(Device& device, const nlohmann::json& tree, const std::string& root, Kind kind);

  std::uint64_t bytes() const { return total_bytes(leaves); }
};

/// Starts to copy every leaf.
Result<void> copy_set(Device& device, BufferSet& to, const BufferSet& from);

/// Whether all leaves hold the same bits, but for those that `except` names by number; waits.
Result<bool> same_bytes(Device& device, const BufferSet& a, const BufferSet& b, const std::vector<bool>& except = {});

/// Whether something has written past the end of a leaf of a shared set since poison_set(); waits.
Result<bool> past_end_written(Device& device, const BufferSet& set);

/// Starts to fill every buffer with bytes that no honest output holds: NaN for floating types.
Result<void> poison_set(Device& device, BufferSet& set);

}  // namespace kbv
