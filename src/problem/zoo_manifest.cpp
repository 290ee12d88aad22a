// SPDX-License-Identifier: MIT
#include "problem/zoo_manifest.h"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
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

/// A file below the folder that it is said to be in, whatever a stranger's manifest says.
bool is_below(const std::string& file) {
  const std::filesystem::path path(file);
  return path.is_relative() && std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
}

/// One [[candidate]], field by field. What is wrong with the first that is wrong is kept.
class Row {
 public:
  Row(const toml::table& table, ZooEntry& entry) : table_(table), entry_(entry) {}

  /// Nothing, or what is wrong, with the field's name.
  std::string read() {
    for (const auto& [key, value] : table_)
      if (!k_fields.count(std::string(key.str()))) return fmt::format("unknown field {}", key.str());
    text("file", entry_.file);
    text("group", entry_.group);
    text("problem", entry_.problem);
    text("expect", entry_.expect);
    text("note", entry_.note);
    text("stopped_by", entry_.stopped_by);
    for (const char* protocol : {"kernelbench", "verified"})
      if (table_.contains(protocol)) text(protocol, entry_.under[protocol]);
    for (const auto& [name, value] : {std::pair{"file", &entry_.file}, {"problem", &entry_.problem}, {"expect", &entry_.expect}})
      if (value->empty()) wrong(name, "is missing");
    for (const auto& [name, value] : {std::pair{"file", &entry_.file}, {"problem", &entry_.problem}})
      if (!is_below(*value)) wrong(name, "a path within its folder is expected");
    if (entry_.group.empty()) entry_.group = entry_.file.substr(0, entry_.file.find('/'));
    texts("needs", entry_.needs, [](const std::string& need) { return k_needs.count(need) > 0; }, "cxx, cuda, triton, gpu or cpu");
    for (const auto& [name, ids] : {std::pair{"attack", &entry_.attack}, {"looks_like", &entry_.looks_like}}) {
      texts(name, *ids, is_attack, "an id of an attack");
      if (table_.contains(name) && ids->empty()) wrong(name, "empty");
    }
    if (!entry_.stopped_by.empty() && !is_layer(entry_.stopped_by)) wrong("stopped_by", entry_.stopped_by + " is no layer");
    limits();
    return wrong_.empty() || entry_.file.empty() ? wrong_ : entry_.file + ": " + wrong_;
  }

 private:
  void wrong(const char* name, const std::string& what) {
    if (wrong_.empty()) wrong_ = fmt::format("{}: {}", name, what);
  }

  void text(const char* name, std::string& value) {
    if (!table_.contains(name)) return;
    if (const auto given = table_[name].value_exact<std::string>()) value = *given;
    else wrong(name, "a text is expected");
  }

  template <typename Holds>
  void texts(const char* name, std::vector<std::string>& values, Holds holds, const char* what) {
    if (!table_.contains(name)) return;
    const toml::array* list = table_[name].as_array();
    if (!list) return wrong(name, "a list of texts is expected");
    for (const auto& item : *list) {
      const auto value = item.value_exact<std::string>();
      if (!value) return wrong(name, "a list of texts is expected");
      if (!holds(*value)) return wrong(name, fmt::format("{} is not {}", *value, what));
      values.push_back(*value);
    }
  }

  void limits() {
    if (!table_.contains("limits")) return;
    const toml::table* limits = table_["limits"].as_table();
    if (!limits) return wrong("limits", "{timeout_s = SECONDS} is expected");
    for (const auto& [key, value] : *limits) {
      const auto seconds = value.value<double>();
      if (key.str() != "timeout_s" || !value.is_number() || !seconds || !(*seconds > 0))
        return wrong("limits", "{timeout_s = SECONDS} is expected");
      entry_.timeout_s = *seconds;
    }
  }

  const toml::table& table_;
  ZooEntry& entry_;
  std::string wrong_;
};

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
    const toml::table* table = list->get(i)->as_table();
    if (!table) return bad(path, i, "not a table");
    ZooEntry& entry = entries.emplace_back();
    if (const std::string wrong = Row(*table, entry).read(); !wrong.empty()) return bad(path, i, wrong);
  }
  return entries;
}

}  // namespace kbv
