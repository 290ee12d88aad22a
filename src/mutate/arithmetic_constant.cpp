// SPDX-License-Identifier: MIT
// Mistakes in what is computed: another operator, another function, another number.
#include <fmt/format.h>

#include <charconv>
#include <map>

#include "mutate/operators.h"

namespace kbv {
namespace {

using Swaps = std::map<std::string_view, const char*, std::less<>>;

const Swaps k_operators = {{"+", "-"},   {"-", "+"},   {"*", "+"},   {"/", "*"},   {"+=", "-="}, {"-=", "+="},
                           {"*=", "+="}, {"/=", "*="}, {"&&", "||"}, {"||", "&&"}, {"==", "!="}, {"!=", "=="}};
const Swaps k_functions = {{"max", "min"},      {"min", "max"},   {"fmaxf", "fminf"},        {"fminf", "fmaxf"},
                           {"fmax", "fmin"},    {"fmin", "fmax"}, {"__hmax", "__hmin"},      {"rsqrtf", "sqrtf"},
                           {"sqrtf", "rsqrtf"}, {"sinf", "cosf"}, {"atomicMax", "atomicMin"}};

bool assigns(const Code& code, std::size_t i) {
  for (const char* token : {"+=", "-=", "*=", "/="})
    if (code.is(i, token)) return true;
  return false;
}

bool is_epsilon(std::string_view name) {
  return name == "eps" || name == "epsilon" || name == "EPS" || name == "EPSILON" || name.ends_with("_eps");
}

/// "1.5f" as digits and suffix: "1.5", "f".
std::pair<std::string_view, std::string_view> split_suffix(std::string_view number) {
  const std::size_t end = number.find_last_not_of("fFlLuU");
  return {number.substr(0, end + 1), number.substr(end + 1)};
}

std::string real_literal(double value, std::string_view suffix) {
  std::string text = fmt::format("{:.9g}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + std::string(suffix);
}

void number_edits(const Code& code, std::size_t i, std::vector<Edit>& edits) {
  const std::string_view number = code.at(i);
  const auto [digits, suffix] = split_suffix(number);
  if (digits.find_first_of("'xXbB") != std::string_view::npos) return;  // a mask: not a quantity
  const auto add = [&](const char* rule, std::string with) {
    edits.push_back({Family::constant, rule, i, i + 1, std::move(with)});
  };
  if (is_real(number)) {
    double value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) return;
    if (value == 0) {
      add("number", real_literal(0.01, suffix));
    } else if (value < 1e-3) {
      add("epsilon", real_literal(10 * value, suffix));
      add("epsilon", real_literal(0, suffix));
    } else {
      add("number", real_literal(2 * value, suffix));
      add("number by 1 %", real_literal(1.01 * value, suffix));
    }
    return;
  }
  long value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) return;
  if (value > 1'000'000'000) return;
  add("number", std::to_string(value + 1) + std::string(suffix));
  // One less: never 0 where the program would not end, or where it would divide.
  const bool divides = code.is(i - 1, "/") || code.is(i - 1, "%") || code.is(i - 1, "/=");
  const bool shifts = code.is(i - 1, ">>=") || code.is(i - 1, "<<=") || code.for_part(i) == ForPart::step;
  if (value > 1 || (value == 1 && !divides && !shifts)) add("number", std::to_string(value - 1) + std::string(suffix));
}

}  // namespace

void arithmetic_edits(const Code& code, std::vector<Edit>& edits) {
  for (std::size_t i = 1; i < code.size(); ++i) {
    const bool in_step = code.for_part(i) == ForPart::step;  // another direction would not end
    if (const auto swap = k_operators.find(code.at(i));
        swap != k_operators.end() && !in_step && (assigns(code, i) || code.is_binary(i)))
      edits.push_back({Family::arithmetic, "operator", i, i + 1, swap->second});
    if (const auto swap = k_functions.find(code.at(i));
        swap != k_functions.end() && code.is_name(i) && code.is(i + 1, "("))
      if (!code.is_declaration(code.statement_begin(i)) || code.is(i - 1, "=") || code.is(i - 1, "::") ||
          !code.is_name(i - 1))
        edits.push_back({Family::arithmetic, "function", i, i + 1, swap->second});
    const bool unary = code.is(i, "-") && !code.is_binary(i) && (code.is_name(i + 1) || code.is(i + 1, "("));
    if (unary && code.scalar(i + 1) != Scalar::other)
      edits.push_back({Family::arithmetic, "sign removed", i, i + 1, ""});
  }
}

void constant_edits(const Code& code, std::vector<Edit>& edits) {
  for (std::size_t i = 1; i < code.size(); ++i) {
    // Loop starts are the bounds', starting values the initialisations', the extents of arrays nobody's: they only make
    // room.
    const std::size_t open = code.enclosing(i);
    const bool extent = code.is(open, "[") && !code.is_subscript(open);
    const bool launch = code.is(open, "<<<") && is_zero(code.at(i));
    const bool start = code.is(i - 1, "=") && is_zero(code.at(i));
    if (code.kind(i) == TokenKind::number && !code.in_template(i) && code.for_part(i) != ForPart::init && !extent &&
        !launch && !start)
      number_edits(code, i, edits);
    const bool used = code.is(i - 1, "(") || code.is(i - 1, ",") || code.is(i - 1, "+") || code.is(i - 1, ")");
    if (code.is_name(i) && is_epsilon(code.at(i)) && used && !code.is(i + 1, "(")) {
      edits.push_back({Family::constant, "epsilon", i, i + 1, fmt::format("(10 * {})", code.at(i))});
      edits.push_back({Family::constant, "epsilon", i, i + 1, fmt::format("(0 * {})", code.at(i))});
    }
  }
}

}  // namespace kbv
