// SPDX-License-Identifier: MIT
// The one way by which JSON is written: tests/e2e/sinks_test.sh finds others.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace kbv {

/// `json` as ASCII, so that whoever shows the file shows no control code, no mark of writing direction and no line
/// separator of a stranger's; it reads the same. Of bytes that are not UTF-8, U+FFFD. `indent` spaces a level; -1: all
/// in one line.
template <typename Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace);
}

/// `text` with U+FFFD for what is not UTF-8, as json_text() writes it.
std::string utf8_text(std::string_view text);

/// `text` in double quotes, as JSON, YAML and TOML all read it: ASCII, but for characters beyond U+FFFF, which JSON
/// escapes as two that the others don't join.
std::string quoted_text(std::string_view text);

}  // namespace kbv
