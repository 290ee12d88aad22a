// SPDX-License-Identifier: MIT
#include "base/json_text.h"

#include "base/printable.h"

namespace kbv {

std::string utf8_text(std::string_view text) {
  return nlohmann::json::parse(json_text(nlohmann::json(text))).get<std::string>();
}

std::string quoted_text(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const Character c = first_character(text);
    const std::string one(text.substr(0, c.bytes));
    const std::string escaped = json_text(nlohmann::json(one));
    quoted += c.bytes == 4 ? one : escaped.substr(1, escaped.size() - 2);
    text.remove_prefix(c.bytes);
  }
  return quoted + '"';
}

}  // namespace kbv
