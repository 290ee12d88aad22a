// SPDX-License-Identifier: MIT
// Which rule a name in CUDA, C++ or PTX text belongs to, by itself.
#pragma once

#include <string_view>
#include <vector>

namespace kbv {

/// "" if none. Names that mean something only in their surroundings (half, static, asm) are cuda_rules.cpp's.
std::string_view rule_of_cuda_name(std::string_view name);

/// Every rule that the table names; for its test.
std::vector<std::string_view> rules_of_cuda_names();

/// A member function that computes on a tensor: x.matmul(y).
bool is_tensor_operation(std::string_view name);

/// A function in at:: or torch:: that computes: at::matmul, torch::softmax. Not those that make or ask for tensors.
bool is_library_operation(std::string_view name);

}  // namespace kbv
