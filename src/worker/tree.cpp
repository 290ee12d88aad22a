// SPDX-License-Identifier: MIT
#include "worker/tree.h"

#include <nlohmann/json.hpp>

namespace kbv {
namespace {

using nlohmann::json;

constexpr int k_max_depth = 17;
constexpr std::size_t k_max_leaves = 4096;
constexpr std::uint64_t k_max_elements = 1ull << 46;

tl::unexpected<Error> malformed(const std::string& what) {
  return fail(Fault::machine, "protocol", "the worker described a value wrongly: " + what);
}

bool integers(const json& value, std::vector<std::int64_t>& out) {
  if (!value.is_array() || value.size() > 32) return false;
  for (const auto& item : value) {
    if (!item.is_number_integer()) return false;
    out.push_back(item.get<std::int64_t>());
  }
  return true;
}

Result<Leaf> read_leaf(const json& node, const std::string& path) {
  Leaf leaf;
  leaf.path = path;
  const auto name = node.find("dtype");
  const auto dtype = name != node.end() && name->is_string() ? dtype_from_name(name->get_ref<const std::string&>())
                                                              : std::nullopt;
  if (!dtype) return malformed(path + ": dtype");
  leaf.dtype = *dtype;
  if (!node.contains("shape") || !integers(node["shape"], leaf.shape)) return malformed(path + ": shape");
  if (!node.contains("stride") || !integers(node["stride"], leaf.stride) || leaf.stride.size() != leaf.shape.size())
    return malformed(path + ": stride");
  // All of them first: nobody who reads the shape of an empty tensor meets a negative extent either.
  bool empty = false;
  for (std::size_t i = 0; i < leaf.shape.size(); ++i) {
    if (leaf.shape[i] < 0 || leaf.stride[i] < 0) return malformed(path + ": negative extent");
    if (static_cast<std::uint64_t>(leaf.shape[i]) > k_max_elements) return malformed(path + ": too large");
    empty |= leaf.shape[i] == 0;
  }
  leaf.elements = empty ? 0 : 1;
  if (empty) return leaf;
  std::uint64_t last = 0;  // index of the last element in the buffer
  for (std::size_t i = 0; i < leaf.shape.size(); ++i) {
    const auto extent = static_cast<std::uint64_t>(leaf.shape[i]);
    const auto step = static_cast<std::uint64_t>(leaf.stride[i]);
    if (leaf.elements > k_max_elements / extent || step > k_max_elements) return malformed(path + ": too large");
    leaf.elements *= extent;
    if (extent > 1) last += (extent - 1) * step;
    if (last > k_max_elements) return malformed(path + ": too large");
  }
  if (last != leaf.elements - 1) return malformed(path + ": not dense");
  return leaf;
}

Result<void> collect(const json& node, const std::string& path, int depth, std::vector<Leaf>& leaves) {
  if (depth > k_max_depth) return malformed("nested too deep");
  if (!node.is_object()) return malformed(path + ": not an object");
  if (const auto slot = node.find("slot"); slot != node.end()) {
    if (leaves.size() >= k_max_leaves) return malformed("too many tensors");
    if (!slot->is_number_unsigned() || slot->get<std::uint64_t>() != leaves.size()) return malformed(path + ": slot");
    KBV_TRY_ASSIGN(Leaf leaf, read_leaf(node, path));
    leaves.push_back(std::move(leaf));
  }
  const auto items = node.find("items");
  if (items == node.end()) return {};
  if (!items->is_array()) return malformed(path + ": items");
  const auto keys = node.find("keys");
  if (keys != node.end() && (!keys->is_array() || keys->size() != items->size())) return malformed(path + ": keys");
  for (std::size_t i = 0; i < items->size(); ++i) {
    std::string name = std::to_string(i);
    if (keys != node.end()) {
      if (!(*keys)[i].is_string()) return malformed(path + ": keys");
      name = "'" + (*keys)[i].get<std::string>() + "'";
    }
    KBV_TRY(collect((*items)[i], path + "[" + name + "]", depth + 1, leaves));
  }
  return {};
}

}  // namespace

Result<std::vector<Leaf>> tree_leaves(const json& tree, const std::string& root) {
  std::vector<Leaf> leaves;
  KBV_TRY(collect(tree, root, 0, leaves));
  return leaves;
}

std::uint64_t total_bytes(const std::vector<Leaf>& leaves) {
  std::uint64_t bytes = 0;
  for (const auto& leaf : leaves) bytes += leaf.bytes();
  return bytes;
}

}  // namespace kbv
