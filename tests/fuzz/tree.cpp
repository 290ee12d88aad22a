// SPDX-License-Identifier: MIT
// A worker's tree of tensors: its leaves are as many, and as large, as the bounds allow.
#include "worker/tree.h"

#include <nlohmann/json.hpp>

#include "fuzz.h"

using namespace kbv;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto tree = nlohmann::json::parse(fuzz::text_of(bytes, size), nullptr, false);
  if (tree.is_discarded()) return 0;
  const auto leaves = tree_leaves(tree, "output");
  if (!leaves) return 0;
  fuzz::must(leaves->size() <= 4096, "at most 4096 leaves");
  for (const Leaf& leaf : *leaves) {
    fuzz::must(leaf.elements <= std::uint64_t{1} << 46, "at most 2^46 elements");
    fuzz::must(leaf.shape.size() == leaf.stride.size(), "each dimension has a stride");
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < leaf.shape.size(); ++i) {
      fuzz::must(leaf.shape[i] >= 0, "no dimension is negative");
      if (leaf.elements > 0) last += static_cast<std::uint64_t>(leaf.shape[i] - 1) * static_cast<std::uint64_t>(leaf.stride[i]);
    }
    fuzz::must(leaf.elements == 0 || last < leaf.elements, "no element lies outside the buffer");
  }
  return 0;
}
