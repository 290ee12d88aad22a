// SPDX-License-Identifier: MIT
#include "judge/buffer_set.h"

#include <algorithm>

namespace kbv {

Result<BufferSet> BufferSet::allocate(Device& device, const nlohmann::json& tree, const std::string& root, Kind kind) {
  BufferSet set;
  set.tree = tree;
  KBV_TRY_ASSIGN(set.leaves, tree_leaves(tree, root));
  for (const auto& leaf : set.leaves) {
    auto buffer = kind == Kind::shared ? device.allocate_shared(leaf.bytes() + k_margin_bytes)
                                       : device.allocate_private(std::max<std::uint64_t>(leaf.bytes(), 1));  // an empty tensor has one too
    if (!buffer) return tl::make_unexpected(std::move(buffer).error());
    set.buffers.push_back(std::move(*buffer));
  }
  return set;
}

Result<void> copy_set(Device& device, BufferSet& to, const BufferSet& from) {
  for (std::size_t i = 0; i < to.leaves.size(); ++i)
    KBV_TRY(device.copy(*to.buffers[i], *from.buffers[i], to.leaves[i].bytes()));
  return {};
}

Result<bool> same_bytes(Device& device, const BufferSet& a, const BufferSet& b, const std::vector<bool>& except) {
  for (std::size_t i = 0; i < a.leaves.size(); ++i) {
    if (i < except.size() && except[i]) continue;
    KBV_TRY_ASSIGN(const bool equal, device.bytes_equal(*a.buffers[i], *b.buffers[i], a.leaves[i].bytes()));
    if (!equal) return false;
  }
  return true;
}

Result<bool> past_end_written(Device& device, const BufferSet& set) {
  std::vector<unsigned char> beyond(BufferSet::k_margin_bytes);
  for (std::size_t i = 0; i < set.leaves.size(); ++i) {
    KBV_TRY(device.read(beyond.data(), *set.buffers[i], set.leaves[i].bytes(), beyond.size()));
    if (std::any_of(beyond.begin(), beyond.end(), [](unsigned char byte) { return byte != 0xFF; })) return true;
  }
  return false;
}

Result<void> poison_set(Device& device, BufferSet& set) {
  for (auto& buffer : set.buffers) KBV_TRY(device.fill(*buffer, 0xFF));
  return {};
}

}  // namespace kbv
