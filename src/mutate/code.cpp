// SPDX-License-Identifier: MIT
#include "mutate/code.h"

#include <algorithm>
#include <set>

namespace kbv {
namespace {

using Names = std::set<std::string_view>;

const Names k_real32 = {"float", "float1", "float2", "float3", "float4"};
const Names k_real64 = {"double", "double2"};
const Names k_integer = {"int",     "long",    "short",    "unsigned", "size_t",   "bool",
                         "char",    "int2",    "int4",     "int8_t",   "int16_t",  "int32_t",
                         "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uint"};
const Names k_other_types = {"auto", "void", "half", "half2", "__half", "__half2", "__nv_bfloat16", "dim3"};
const Names k_qualifiers = {"const",    "static",       "constexpr", "__shared__", "extern",
                            "volatile", "__restrict__", "register",  "inline"};
const Names k_not_operands = {"return", "case", "else", "do", "goto", "throw", "new", "delete", "and", "or", "not"};

bool is_type(std::string_view name) {
  return k_real32.count(name) || k_real64.count(name) || k_integer.count(name) || k_other_types.count(name);
}

bool space_before(std::string_view text, const Token& token) {
  return token.begin > 0 && (text[token.begin - 1] == ' ' || text[token.begin - 1] == '\n');
}
bool space_after(std::string_view text, const Token& token) {
  return token.end < text.size() && (text[token.end] == ' ' || text[token.end] == '\n');
}

}  // namespace

Result<Code> Code::parse(std::string_view text) {
  Code code;
  code.text_ = text;
  KBV_TRY_ASSIGN(code.tokens_, tokenise(text));
  code.match_brackets();
  code.match_templates();
  code.find_functions();
  code.find_for_parts();
  code.find_kernels();
  code.find_declarations();
  return code;
}

std::string_view Code::at(std::size_t i) const {
  return i < size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin) : std::string_view();
}

std::string_view Code::span(std::size_t begin, std::size_t end) const {
  if (begin >= end || end > size()) return {};
  return text_.substr(tokens_[begin].begin, tokens_[end - 1].end - tokens_[begin].begin);
}

void Code::match_brackets() {
  partner_.assign(size(), size());
  enclosing_.assign(size(), size());
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string_view token = at(i);
    const bool closes =
        kind(i) == TokenKind::punctuator && (token == ")" || token == "]" || token == "}" || token == ">>>");
    if (closes && !open.empty()) {
      const std::string_view bracket = at(open.back());
      // A bracket of another kind is left without a partner, and so is what it closes.
      if ((bracket == "(" && token == ")") || (bracket == "[" && token == "]") || (bracket == "{" && token == "}") ||
          (bracket == "<<<" && token == ">>>")) {
        partner_[i] = open.back();
        partner_[open.back()] = i;
        open.pop_back();
      }
    }
    if (!open.empty()) enclosing_[i] = open.back();
    if (kind(i) == TokenKind::punctuator && (token == "(" || token == "[" || token == "{" || token == "<<<"))
      open.push_back(i);
  }
}

/// A '<' right behind a name whose '>' follows before anything that a template's arguments do not hold.
void Code::match_templates() {
  in_template_.assign(size(), false);
  for (std::size_t i = 1; i < size(); ++i) {
    if (!is(i, "<") || in_template_[i] || kind(i - 1) != TokenKind::name || space_before(text_, tokens_[i])) continue;
    std::vector<std::size_t> open = {i};
    std::size_t j = i + 1;
    constexpr std::size_t k_longest = 64;
    for (; j < size() && !open.empty() && j - i < k_longest; ++j) {
      if (is(j, "<"))
        open.push_back(j);
      else if (is(j, ">")) {
        partner_[j] = open.back();
        partner_[open.back()] = j;
        open.pop_back();
      } else if (kind(j) == TokenKind::punctuator && !is(j, "::") && !is(j, ",") && !is(j, "*") && !is(j, "&"))
        break;
    }
    if (open.empty()) {
      std::fill(in_template_.begin() + static_cast<std::ptrdiff_t>(i),
                in_template_.begin() + static_cast<std::ptrdiff_t>(j), true);
    } else {
      for (std::size_t k = i; k < j; ++k)
        if (is(k, "<") || is(k, ">")) partner_[k] = size();
    }
  }
}

void Code::find_functions() {
  function_.assign(size(), 0);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    function_[i] = begin;
    if ((is(i, "}") && partner(i) < size() && enclosing(partner(i)) == size()) ||
        (is(i, ";") && enclosing(i) == size()))
      begin = i + 1;
  }
}

void Code::find_for_parts() {
  for_part_.assign(size(), ForPart::none);
  for (std::size_t i = 0; i + 1 < size(); ++i) {
    if (!is(i, "for") || !is(i + 1, "(") || partner(i + 1) == size()) continue;
    int part = 0;
    for (std::size_t j = i + 2; j < partner(i + 1); ++j) {
      if (is(j, ";") && enclosing(j) == i + 1)
        ++part;
      else
        for_part_[j] = part == 0 ? ForPart::init : part == 1 ? ForPart::condition : ForPart::step;
    }
  }
}

void Code::find_kernels() {
  in_kernel_.assign(size(), false);
  for (std::size_t i = 0; i < size(); ++i) {
    if (!is(i, "__global__") && !is(i, "__device__")) continue;
    has_kernels_ = true;
    std::size_t body = i;
    while (body < size() && !is(body, "{") && !is(body, ";"))
      body = is(body, "(") && partner(body) < size() ? partner(body) + 1 : body + 1;
    if (!is(body, "{") || partner(body) == size()) continue;
    for (std::size_t j = i; j <= partner(body); ++j) in_kernel_[j] = true;
  }
}

const char* Code::part(std::size_t i) const {
  if (!has_kernels_) return "C++";
  return i < size() && in_kernel_[i] ? "kernel" : "host";
}

std::size_t Code::statement_begin(std::size_t i) const {
  while (i > 0 && i < size()) {
    const std::size_t before = i - 1;
    if (is(before, ")") || is(before, "]") || is(before, ">>>")) {
      // The head of for, if, while is no part of the statement that it governs.
      const std::size_t open = partner(before);
      if (open == size() ||
          (is(before, ")") && open > 0 && (is(open - 1, "for") || is(open - 1, "if") || is(open - 1, "while"))))
        return i;
      i = open;
    } else if (is(before, "}") && partner(before) < size() && enclosing(partner(before)) != size() &&
               (is(partner(before) - 1, "=") || is(partner(before) - 1, ",") || is(partner(before) - 1, "("))) {
      i = partner(before);
    } else if (is(before, ";") || is(before, "{") || is(before, "}") || is(before, "(") || is(before, "[") ||
               is(before, "else") || is(before, "<<<")) {
      return i;
    } else {
      i = before;
    }
  }
  return i;
}

std::size_t Code::statement_end(std::size_t i) const {
  while (i < size() && !is(i, ";") && !is(i, ")") && !is(i, "]") && !is(i, "}") && !is(i, ">>>")) {
    const bool opens = is(i, "(") || is(i, "[") || is(i, "{") || is(i, "<<<");
    i = opens && partner(i) < size() ? partner(i) + 1 : i + 1;
  }
  return i;
}

std::size_t Code::expression_end(std::size_t i) const {
  int questions = 0;
  while (i < size() && !is(i, ";") && !is(i, ")") && !is(i, "]") && !is(i, "}") && !is(i, ">>>")) {
    if (is(i, ",") && !in_template(i)) break;
    if (is(i, "?")) ++questions;
    if (is(i, ":") && questions-- == 0) break;
    const bool opens = is(i, "(") || is(i, "[") || is(i, "{") || is(i, "<<<");
    i = opens && partner(i) < size() ? partner(i) + 1 : i + 1;
  }
  return i;
}

bool Code::is_binary(std::size_t i) const {
  if (i == 0 || i + 1 >= size() || in_template(i)) return false;
  const bool left = kind(i - 1) == TokenKind::number || is(i - 1, ")") || is(i - 1, "]") ||
                    (is_name(i - 1) && !k_not_operands.count(at(i - 1)) && !is_type(at(i - 1)));
  const bool right = kind(i + 1) != TokenKind::punctuator || is(i + 1, "(") || is(i + 1, "-") || is(i + 1, "+") ||
                     is(i + 1, "!") || is(i + 1, "*") || is(i + 1, "&") || is(i + 1, "~") || is(i + 1, "++") ||
                     is(i + 1, "--") || is(i + 1, "::");
  if (!left || !right) return false;
  // `Moments* m` and `Moments *m` against `a * b` and `a*b`: a product stands evenly between its operands.
  return !(is(i, "*") || is(i, "&") || is(i, "&&")) ||
         space_before(text_, tokens_[i]) == space_after(text_, tokens_[i]);
}

bool Code::is_declaration(std::size_t statement) const {
  std::size_t i = statement;
  while (k_qualifiers.count(at(i)) || is(i, "unsigned") || (is(i, "__align__") && is(i + 1, "(")))
    i = is(i + 1, "(") && partner(i + 1) < size() ? partner(i + 1) + 1 : i + 1;
  if (i > statement && is(i - 1, "unsigned") && is_name(i)) return true;
  if (!is_name(i) || k_not_operands.count(at(i)) || is(i, "if") || is(i, "for") || is(i, "while")) return false;
  while (is(i + 1, "::")) i += 2;
  if (is(i + 1, "<") && in_template(i + 1)) i = partner(i + 1);
  while (is(i + 1, "::")) i += 2;
  ++i;
  while (is(i, "*") || is(i, "&") || is(i, "&&") || k_qualifiers.count(at(i))) {
    if (is(i, "*") && is_binary(i)) return false;
    ++i;
  }
  return is_name(i) && !k_not_operands.count(at(i));
}

bool Code::is_subscript(std::size_t i) const {
  if (!is(i, "[") || i == 0 || partner(i) == size() || partner(i) == i + 1) return false;
  if (!is_name(i - 1) && !is(i - 1, "]") && !is(i - 1, ")")) return false;
  if (is_name(i - 1) && (k_not_operands.count(at(i - 1)) || is_type(at(i - 1)))) return false;
  const std::size_t statement = statement_begin(i);
  if (!is_declaration(statement)) return true;
  // In a declaration, what stands behind a '=' of the same declarator is a value; before it, the array's own extents.
  std::size_t j = i;
  while (j > statement && !is(j, "=")) {
    if (is(j, ",") && enclosing(j) == enclosing(statement)) return false;
    const bool closes = is(j, "]") || is(j, ")");
    j = closes && partner(j) < size() && partner(j) > statement ? partner(j) : j;
    --j;
  }
  return is(j, "=");
}

bool Code::in_index(std::size_t i) const {
  for (std::size_t open = enclosing(i); open < size() && !is(open, "{"); open = enclosing(open))
    if (is_subscript(open)) return true;
  // Climb out of parentheses to the statement.
  std::size_t place = i;
  while (inside(place, "(") && for_part(place) == ForPart::none) place = enclosing(place);
  const std::size_t statement = statement_begin(place);
  if (!is_declaration(statement)) return false;
  for (std::size_t j = statement; j < i && !is(j, "="); ++j)
    if (is(j, "*")) return true;
  for (std::size_t j = statement; j < statement + 3; ++j)
    if (k_integer.count(at(j)) && !is(j, "bool")) return true;
  return false;
}

void Code::find_declarations() {
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string_view type = at(i);
    const bool known = kind(i) == TokenKind::name && is_type(type) && !in_template(i);
    if (!known || (is(i + 1, ")") && !is(i, "void"))) continue;
    Declared declared;
    declared.scalar = k_real32.count(type)    ? Scalar::real32
                      : k_real64.count(type)  ? Scalar::real64
                      : k_integer.count(type) ? Scalar::integer
                                              : Scalar::other;
    for (std::size_t j = i > 3 ? i - 4 : 0; j < i; ++j)
      if (is(j, "__shared__") && statement_begin(i) <= j) declared.shared = true;
    const bool parameter = inside(i, "(") && for_part(i) != ForPart::init;
    for (std::size_t j = i + 1; j < size();) {
      while (is(j, "*") || is(j, "&") || k_qualifiers.count(at(j)) || k_integer.count(at(j))) ++j;
      if (!is_name(j)) break;
      declared.at = j;
      declared_[std::string(at(j))].push_back(declared);
      j = expression_end(j);
      if (!is(j, ",") || parameter) break;
      ++j;
    }
  }
}

const Code::Declared* Code::declared(std::size_t i) const {
  const auto found = declared_.find(at(i));
  if (i >= size() || found == declared_.end()) return nullptr;
  const Declared* last = nullptr;
  for (const Declared& one : found->second)
    if (one.at <= i && function_[one.at] == function_[i]) last = &one;
  return last;
}

Scalar Code::scalar(std::size_t i) const {
  const Declared* one = declared(i);
  return one ? one->scalar : Scalar::other;
}

bool Code::declared_shared(std::size_t i) const {
  const Declared* one = declared(i);
  return one && one->shared;
}

std::size_t Code::assigned_name(std::size_t statement) const {
  std::size_t i = statement;
  if (is(i, "*")) ++i;
  if (!is_name(i) || is_declaration(statement)) return size();
  const std::size_t name = i++;
  while (is(i, "[") || is(i, ".") || is(i, "->")) i = is(i, "[") && partner(i) < size() ? partner(i) + 1 : i + 2;
  for (const char* assigns : {"=", "+=", "-=", "*=", "/="})
    if (is(i, assigns)) return name;
  return size();
}

}  // namespace kbv
