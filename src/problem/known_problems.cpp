// SPDX-License-Identifier: MIT
#include "problem/known_problems.h"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace kbv {

extern const std::string_view k_known_problems_text;

namespace {

/// The table is our own, so that a mistake in it is a bug.
[[noreturn]] void bad(const toml::node& where, std::string_view what) {
  throw std::logic_error(fmt::format("known_problems.toml: line {}: {}", where.source().begin.line, what));
}

template <typename T>
T read(const toml::node& node, std::string_view field) {
  const auto value = node.value_exact<T>();
  if (!value) bad(node, fmt::format("{} has a wrong type", field));
  return *value;
}

std::vector<std::string> read_list(const toml::node& node, std::string_view field) {
  const toml::array* list = node.as_array();
  if (!list) bad(node, fmt::format("{} is no list", field));
  std::vector<std::string> values;
  for (const toml::node& value : *list) values.push_back(read<std::string>(value, field));
  return values;
}

KnownProblem read_problem(const toml::node& node) {
  const toml::table* row = node.as_table();
  if (!row) bad(node, "not a table");
  KnownProblem problem;
  for (const auto& [key, value] : *row) {
    const std::string_view field = key.str();
    if (field == "sha256")
      problem.sha256 = read<std::string>(value, field);
    else if (field == "level")
      problem.level = static_cast<int>(read<std::int64_t>(value, field));
    else if (field == "number")
      problem.number = static_cast<int>(read<std::int64_t>(value, field));
    else if (field == "name")
      problem.name = read<std::string>(value, field);
    else if (field == "sets")
      problem.sets = read_list(value, field);
    else if (field == "domains")
      problem.domains = read_list(value, field);
    else if (field == "vacuous")
      problem.vacuous = read<std::string>(value, field);
    else if (field == "excluded_by")
      problem.excluded_by = read_list(value, field);
    else if (field == "note")
      problem.note = read<std::string>(value, field);
    else
      bad(value, fmt::format("unknown field {}", field));
  }
  return problem;
}

}  // namespace

const std::vector<KnownProblem>& known_problems() {
  static const std::vector<KnownProblem> problems = [] {
    const toml::parse_result parsed = toml::parse(k_known_problems_text);
    if (!parsed)
      throw std::logic_error(fmt::format("known_problems.toml: line {}: {}", parsed.error().source().begin.line,
                                         parsed.error().description()));
    const toml::array* rows = parsed.table()["problem"].as_array();
    if (!rows) bad(parsed.table(), "it has no problem");
    std::vector<KnownProblem> read;
    for (const toml::node& row : *rows) read.push_back(read_problem(row));
    return read;
  }();
  return problems;
}

const KnownProblem* find_known_problem(const std::string& sha256) {
  const auto& problems = known_problems();
  const auto found =
      std::find_if(problems.begin(), problems.end(), [&](const auto& one) { return one.sha256 == sha256; });
  return found == problems.end() ? nullptr : &*found;
}

}  // namespace kbv
