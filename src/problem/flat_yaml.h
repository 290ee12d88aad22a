// SPDX-License-Identifier: MIT
// As much YAML as the generation_config.yaml of a run needs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace kbv {

/// The `key: value` lines; lists, nested values and comments are passed over. Text is at most 1 MiB; a usage error
/// "bad_config" names the file and the key whose quotes do not end.
Result<std::map<std::string, std::string>> read_flat_yaml(std::string_view text, const std::string& where);
/// The same, written: strings in quotes.
std::string write_flat_yaml(const std::vector<std::pair<std::string, std::string>>& strings,
                            const std::vector<std::pair<std::string, int>>& numbers);

}  // namespace kbv
