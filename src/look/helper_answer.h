// SPDX-License-Identifier: MIT
// What look.py writes, read as hostile input: it parses a stranger's source, so a stranger may have taken it over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "look/cuda_rules.h"
#include "look/labels.h"

namespace kbv {

inline constexpr std::size_t k_max_answer_bytes = 24u
                                                  << 20;  ///< look.py keeps its texts to 2 MiB, an escaped byte takes 6
inline constexpr std::size_t k_max_answer_labels = 20'000;
inline constexpr std::size_t k_max_answer_texts = 1000;
inline constexpr std::size_t k_max_answer_text_bytes = 4u << 20;  ///< of all texts together

struct HelperLabel {
  std::string rule;
  std::int64_t line = 0, column = 0;
  std::string detail;
};

struct HelperAnswer {
  std::string state, why;
  std::vector<HelperLabel> labels;
  std::map<std::string, std::uint64_t> left_out;
  std::vector<SourceText> texts;
};

/// An error (machine, "bad_look") if it is anything but such an object within the bounds.
Result<HelperAnswer> read_helper_answer(std::string_view bytes);

/// The labels of the answer, and those of the texts in it.
SourceLabels conclude_look(const HelperAnswer& answer);

}  // namespace kbv
