// SPDX-License-Identifier: MIT
#include "problem/zoo_manifest.h"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <set>

#include "base/file.h"

namespace kbv {
namespace {

const std::set<std::string> k_fields = {"file", "group", "problem", "expect", "kernelbench", "verified", "needs", "limits", "attack", "looks_like", "stopped_by", "note"};
const std::set<std::string> k_needs = {"cxx", "cuda", "triton", "gpu", "cpu"};

/// What can stop an attack; with "seccomp" the call may follow.
const std::set<std::string> k_layers = {
    "process", "fresh_inputs", "every_call", "snapshot", "poison", "oracle", "families", "contracts", "typed_records", "timing",
    "freeze", "label", "limits", "death", "build_box", "uid", "pid", "mount", "net", "seccomp"};

bool is_layer(const std::string& name) { return k_layers.count(name.substr(0, name.find(": "))) > 0 && (name.find(':') == name.npos || name.rfind("seccomp: ", 0) == 0); }

/// An id of docs/attacks.md: a letter and a number.
bool is_attack(const std::string& id) {
  return id.size() >= 2 && id.size() <= 3 && id[0] >= 'A' && id[0] <= 'Z' && id.find_first_not_of("0123456789", 1) == id.npos;
}

tl::unexpected<Error> bad(const std::string& path, std::size_t index, const std::string& what) {
  return fail(Fault::usage, "bad_manifest", fmt::format("{}: candidate {}: {}", path, index + 1, what));
}

}  // namespace

Result<std::vector<ZooEntry>> read_zoo_manifest(const std::string& path) {
  KBV_TRY_ASSIGN(const std::string text, read_file(path, "zoo"));
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return fail(Fault::usage, "bad_manifest", fmt::format("{}: line {}: {}", path, parsed.error().source().begin.line,
                                                          parsed.error().description()));
  const toml::array* list = parsed.table()["candidate"].as_array();
  if (!list) return fail(Fault::usage, "bad_manifest", path + ": it has no [[candidate]]");
  std::vector<ZooEntry> entries;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const toml::table* row = list->get(i)->as_table();
    if (!row) return bad(path, i, "not a table");
    for (const auto& [key, value] : *row)
      if (!k_fields.count(std::string(key.str()))) return bad(path, i, fmt::format("unknown field {}", key.str()));
    ZooEntry entry;
    const auto text_field = [&](const char* name) { return (*row)[name].value_or(std::string()); };
    entry.file = text_field("file");
    entry.group = text_field("group");
    if (entry.group.empty()) entry.group = entry.file.substr(0, entry.file.find('/'));
    entry.problem = text_field("problem");
    entry.expect = text_field("expect");
    entry.note = text_field("note");
    entry.stopped_by = text_field("stopped_by");
    if (entry.file.empty()) return bad(path, i, "file is missing");
    if (entry.problem.empty()) return bad(path, i, entry.file + ": problem is missing");
    if (entry.expect.empty()) return bad(path, i, entry.file + ": expect is missing");
    for (const char* protocol : {"kernelbench", "verified"})
      if (const auto code = text_field(protocol); !code.empty()) entry.under[protocol] = code;
    if (const toml::array* needs = (*row)["needs"].as_array())
      for (const auto& need : *needs) {
        const auto name = need.value<std::string>();
        if (!name || !k_needs.count(*name)) return bad(path, i, entry.file + ": needs");
        entry.needs.push_back(*name);
      }
    for (const auto& [field, ids] : {std::pair{"attack", &entry.attack}, std::pair{"looks_like", &entry.looks_like}}) {
      if (!row->contains(field)) continue;
      const toml::array* named = (*row)[field].as_array();
      if (!named || named->empty()) return bad(path, i, fmt::format("{}: {}", entry.file, field));
      for (const auto& id : *named) {
        ids->push_back(id.value_or(std::string()));
        if (!is_attack(ids->back())) return bad(path, i, fmt::format("{}: {}: {} is no id of an attack", entry.file, field, ids->back()));
      }
    }
    if (!entry.stopped_by.empty() && !is_layer(entry.stopped_by))
      return bad(path, i, fmt::format("{}: stopped_by: {} is no layer", entry.file, entry.stopped_by));
    entry.timeout_s = (*row)["limits"]["timeout_s"].value_or(0.0);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace kbv
