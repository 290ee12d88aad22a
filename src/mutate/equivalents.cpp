// SPDX-License-Identifier: MIT
#include "mutate/equivalents.h"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <set>

#include "base/file.h"

namespace kbv {
namespace {

const std::set<std::string> k_fields = {"file", "family", "old", "new", "occurrence", "reason"};

}  // namespace

Result<std::vector<EquivalentMutant>> read_equivalent_mutants(const std::string& path) {
  KBV_TRY_ASSIGN(const std::string text, read_file(path, "equivalent mutants", 4u << 20));
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return fail(Fault::usage, "bad_equivalents",
                fmt::format("{}: line {}: {}", path, parsed.error().source().begin.line, parsed.error().description()));
  std::vector<EquivalentMutant> all;
  const toml::array* list = parsed.table()["mutant"].as_array();
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const auto bad = [&](const std::string& what) {
      return fail(Fault::usage, "bad_equivalents", fmt::format("{}: mutant {}: {}", path, i + 1, what));
    };
    const toml::table* row = list->get(i)->as_table();
    if (!row) return bad("not a table");
    for (const auto& [key, value] : *row)
      if (!k_fields.count(std::string(key.str()))) return bad(fmt::format("unknown field {}", key.str()));
    const auto text_field = [&](const char* name) { return (*row)[name].value_or(std::string()); };
    EquivalentMutant one;
    one.file = text_field("file");
    one.old_text = text_field("old");
    one.new_text = text_field("new");
    one.reason = text_field("reason");
    for (const auto& [name, value] : {std::pair{"file", &one.file}, std::pair{"old", &one.old_text},
                                      std::pair{"new", &one.new_text}, std::pair{"reason", &one.reason}})
      if (value->empty()) return bad(fmt::format("{} is missing", name));
    const auto family = family_named(text_field("family"));
    if (!family) return bad("family");
    one.family = *family;
    one.occurrence = (*row)["occurrence"].value_or(0);
    all.push_back(std::move(one));
  }
  if (!list && !parsed.table().empty()) return fail(Fault::usage, "bad_equivalents", path + ": it has no [[mutant]]");
  return all;
}

const EquivalentMutant* find_equivalent(const std::vector<EquivalentMutant>& all, const std::string& file,
                                        const Mutant& mutant) {
  for (const EquivalentMutant& one : all)
    if (one.file == file && one.family == mutant.family && one.old_text == mutant.old_text &&
        one.new_text == mutant.new_text && (one.occurrence == 0 || one.occurrence == mutant.occurrence))
      return &one;
  return nullptr;
}

}  // namespace kbv
