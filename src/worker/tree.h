// SPDX-License-Identifier: MIT
// How values are built: which tensors a call takes and gives, as the reference tells it in a request's JSON tree.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/dtype.h"

namespace kbv {

/// One tensor (or number) of a tree, laid out densely in a buffer of its own.
struct Leaf {
  std::string path;  ///< "output[1]", "output['mask']"
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> stride;  ///< in elements, of each dimension
  std::uint64_t elements = 0;
  std::uint64_t bytes() const { return elements * dtype_bytes(dtype); }
};

/// The leaves of `tree` in slot order; `root` begins their paths. A machine fault, code "protocol", if the tree is not
/// well formed: more than 4096 leaves, 16 levels or 2^46 elements, or strides that leave the buffer.
Result<std::vector<Leaf>> tree_leaves(const nlohmann::json& tree, const std::string& root);

std::uint64_t total_bytes(const std::vector<Leaf>& leaves);

}  // namespace kbv
