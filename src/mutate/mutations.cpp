// SPDX-License-Identifier: MIT
#include "mutate/mutations.h"

#include <algorithm>
#include <map>
#include <set>

#include "mutate/code.h"
#include "mutate/operators.h"
#include "mutate/python_literals.h"

namespace kbv {
namespace {

constexpr std::size_t k_limit_bytes = 1u << 20;

/// A source with one change in it is parsed again, so many changes of a long source would take long.
constexpr std::size_t k_most_edits = 20'000;

std::string single_spaces(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

Mutant make_mutant(std::string_view file, std::size_t origin, const Code& code, const Edit& edit) {
  Mutant mutant;
  mutant.family = edit.family;
  mutant.rule = edit.rule;
  mutant.part = code.part(edit.begin);
  mutant.begin = origin + code.tokens()[edit.begin].begin;
  mutant.end = edit.begin == edit.end ? mutant.begin : origin + code.tokens()[edit.end - 1].end;
  mutant.replacement = edit.replacement;
  mutant.line =
      1 + static_cast<int>(std::count(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(mutant.begin), '\n'));
  const std::size_t before = file.rfind('\n', mutant.begin == 0 ? 0 : mutant.begin - 1);
  const std::size_t first = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t last = std::min(file.find('\n', mutant.end), file.size());
  mutant.old_text = single_spaces(file.substr(first, last - first));
  mutant.new_text = single_spaces(std::string(file.substr(first, mutant.begin - first)) + mutant.replacement +
                                  std::string(file.substr(mutant.end, last - mutant.end)));
  return mutant;
}

}  // namespace

const char* to_string(Family family) {
  switch (family) {
    case Family::index:
      return "index";
    case Family::bound:
      return "bound";
    case Family::arithmetic:
      return "operator";
    case Family::constant:
      return "constant";
    case Family::sync:
      return "sync";
    case Family::precision:
      return "precision";
    case Family::init:
      return "init";
  }
  return "";
}

std::optional<Family> family_named(std::string_view name) {
  for (const Family family : k_mutation_families)
    if (name == to_string(family)) return family;
  return std::nullopt;
}

std::string Mutant::apply(std::string_view file) const {
  return std::string(file.substr(0, begin)) + replacement + std::string(file.substr(end));
}

Result<std::vector<Mutant>> all_mutants(std::string_view file) {
  if (file.size() > k_limit_bytes) return fail(Fault::usage, "too_large", "a candidate of more than 1 MiB");
  std::vector<Mutant> mutants;
  for (const PythonLiteral& literal : cxx_literals(file)) {
    const std::string_view text = file.substr(literal.begin, literal.end - literal.begin);
    KBV_TRY_ASSIGN(const Code code, Code::parse(text));
    std::vector<Edit> edits;
    for (const auto make :
         {index_edits, bound_edits, arithmetic_edits, constant_edits, sync_edits, precision_edits, init_edits})
      make(code, edits);
    if (edits.size() > k_most_edits)
      return fail(Fault::usage, "too_large", "a candidate with too many places to change");
    std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::set<std::string> seen = {normalised(text, code.tokens())};
    for (const Edit& edit : edits) {
      Mutant mutant = make_mutant(file, literal.begin, code, edit);
      const std::string changed = std::string(text.substr(0, mutant.begin - literal.begin)) + mutant.replacement +
                                  std::string(text.substr(mutant.end - literal.begin));
      KBV_TRY_ASSIGN(const std::vector<Token> tokens, tokenise(changed));
      if (seen.insert(normalised(changed, tokens)).second) mutants.push_back(std::move(mutant));
    }
  }
  std::map<std::string, int> times;
  for (Mutant& mutant : mutants)
    mutant.occurrence = ++times[to_string(mutant.family) + ("\n" + mutant.old_text) + "\n" + mutant.new_text];
  return mutants;
}

}  // namespace kbv
