// SPDX-License-Identifier: MIT
#include "problem/flat_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_text.h"

namespace kbv {
namespace {

constexpr std::size_t k_config_bytes = 1u << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view k_space = " \t\r";
  const std::size_t begin = text.find_first_not_of(k_space);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(k_space) - begin + 1);
}

/// A scalar of YAML on one line. Nothing if its quotes do not end.
std::optional<std::string> scalar(std::string_view text) {
  if (text.empty() || (text[0] != '"' && text[0] != '\'')) return std::string(trimmed(text.substr(0, text.find(" #"))));
  const char quote = text[0];
  std::size_t end = 1;
  std::string single;
  for (; end < text.size(); ++end) {
    const bool pair = end + 1 < text.size() && ((quote == '"' && text[end] == '\\') ||
                                                (quote == '\'' && text[end] == quote && text[end + 1] == quote));
    if (!pair && text[end] == quote) break;
    if (pair) ++end;
    single += text[end];
  }
  if (end == text.size()) return std::nullopt;
  if (quote == '\'') return single;
  const auto decoded =
      nlohmann::json::parse(text.substr(0, end + 1), nullptr, false);  // YAML's double quotes hold JSON's strings
  return decoded.is_string() ? std::optional(decoded.get<std::string>()) : std::nullopt;
}

}  // namespace

Result<std::map<std::string, std::string>> read_flat_yaml(std::string_view text, const std::string& where) {
  if (text.size() > k_config_bytes) return fail(Fault::usage, "bad_config", where + ": larger than 1 MiB");
  std::map<std::string, std::string> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (line.empty() || colon == std::string_view::npos ||
        std::string_view(" \t#-").find(line[0]) != std::string_view::npos)
      continue;
    if (colon + 1 < line.size() && line[colon + 1] != ' ' && line[colon + 1] != '\r') continue;
    const std::string key(trimmed(line.substr(0, colon)));
    const auto value = scalar(trimmed(line.substr(colon + 1)));
    if (!value)
      return fail(Fault::usage, "bad_config",
                  fmt::format("{}: {}: quotes that do not end on their line", where, key.substr(0, 60)));
    values[key] = utf8_text(*value);
  }
  return values;
}

std::string write_flat_yaml(const std::vector<std::pair<std::string, std::string>>& strings,
                            const std::vector<std::pair<std::string, int>>& numbers) {
  std::string text;
  // Quoted so that there is no line break of YAML's own in it, such as U+2028.
  for (const auto& [key, value] : strings) text += fmt::format("{}: {}\n", key, quoted_text(value));
  for (const auto& [key, value] : numbers) text += fmt::format("{}: {}\n", key, value);
  return text;
}

}  // namespace kbv
