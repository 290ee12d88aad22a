// SPDX-License-Identifier: MIT
// Mistakes in where a kernel reads and writes, and in how far it goes.
#include "mutate/operators.h"

namespace kbv {
namespace {

bool is_axis(std::string_view name) { return name == "x" || name == "y" || name == "z"; }

bool is_place(std::string_view name) {
  return name == "threadIdx" || name == "blockIdx" || name == "blockDim" || name == "gridDim";
}

/// A comparison other than == and !=, not a template's bracket.
bool is_relation(const Code& code, std::size_t i) {
  return (code.is(i, "<") || code.is(i, ">") || code.is(i, "<=") || code.is(i, ">=")) && code.is_binary(i);
}

bool has_relation(const Code& code, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (is_relation(code, i)) return true;
  return false;
}

/// The end of a relation's right operand: what binds less tightly ends it.
std::size_t operand_end(const Code& code, std::size_t i) {
  while (i < code.size() && !code.is(i, "&&") && !code.is(i, "||") && !code.is(i, "?") && !code.is(i, ";") &&
         !code.is(i, ",") && !code.is(i, ")") && !code.is(i, "]") && !code.is(i, "}") && !code.is(i, ":"))
    i = (code.is(i, "(") || code.is(i, "[")) && code.partner(i) < code.size() ? code.partner(i) + 1 : i + 1;
  return i;
}

}  // namespace

bool is_real(std::string_view number) {
  const bool hex = number.starts_with("0x") || number.starts_with("0X");
  return number.find('.') != std::string_view::npos || (!hex && number.find_first_of("eE") != std::string_view::npos);
}

bool is_zero(std::string_view number) {
  bool digit = false;
  for (const char c : number) {
    if (c == '0')
      digit = true;
    else if (c != '.' && c != 'f' && c != 'F' && c != 'u' && c != 'U' && c != 'l' && c != 'L')
      return false;
  }
  return digit;
}

std::string plus(std::string_view expression, const char* what) {
  const bool loose = expression.find_first_of("?<>&|^=") != std::string_view::npos;
  return (loose ? "(" + std::string(expression) + ")" : std::string(expression)) + what;
}

void index_edits(const Code& code, std::vector<Edit>& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code.is_subscript(i)) {
      const std::size_t end = code.partner(i);
      edits.push_back({Family::index, "index off by one", i + 1, end, plus(code.span(i + 1, end), " + 1")});
    }
    if (is_axis(code.at(i)) && code.is(i - 1, ".") && i > 1 && is_place(code.at(i - 2)))
      edits.push_back({Family::index, "axis swapped", i, i + 1, code.is(i, "x") ? "y" : "x"});
    // A stride one too small stays within the buffer; one too large would mostly crash.
    if (code.is(i, "*") && code.is_binary(i) && code.in_index(i)) {
      const bool single = code.is_name(i + 1) && !code.is(i + 2, "(") && !code.is(i + 2, ".") && !code.is(i + 2, "[");
      if (single && !is_place(code.at(i + 1)))
        edits.push_back({Family::index, "stride", i + 1, i + 2, "(" + std::string(code.at(i + 1)) + " - 1)"});
    }
    if ((code.is(i, "/") || code.is(i, "%")) && code.is_binary(i) && code.in_index(i))
      edits.push_back({Family::index, "quotient and remainder", i, i + 1, code.is(i, "/") ? "%" : "/"});
    if (code.for_part(i) == ForPart::step && code.is(i, "+=")) {
      const std::size_t end = code.expression_end(i + 1);
      edits.push_back({Family::index, "loop stride", i + 1, end, plus(code.span(i + 1, end), " + 1")});
    }
  }
}

void bound_edits(const Code& code, std::vector<Edit>& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (is_relation(code, i)) {
      const std::string_view other = code.is(i, "<") ? "<=" : code.is(i, "<=") ? "<" : code.is(i, ">") ? ">=" : ">";
      edits.push_back({Family::bound, "relation", i, i + 1, std::string(other)});
      if (code.for_part(i) == ForPart::condition && (code.is(i, "<") || code.is(i, "<="))) {
        const std::size_t end = operand_end(code, i + 1);
        edits.push_back({Family::bound, "loop end", i + 1, end, plus(code.span(i + 1, end), " - 1")});
      }
    }
    if (code.is(i, "for") && code.is(i + 1, "(")) {
      std::size_t equals = i + 2;
      while (code.for_part(equals) == ForPart::init && !code.is(equals, "=")) ++equals;
      const std::size_t begin = equals + 1, end = code.expression_end(begin);
      const bool counts_up = has_relation(code, end, code.partner(i + 1)) && !code.is(code.partner(i + 1) - 1, "1");
      if (code.is(equals, "=") && end > begin && counts_up)
        edits.push_back({Family::bound, "loop start", begin, end,
                         is_zero(code.span(begin, end)) ? "1" : plus(code.span(begin, end), " + 1")});
    }
    if (code.is(i, "if") && code.is(i + 1, "(") && code.partner(i + 1) < code.size()) {
      const std::size_t close = code.partner(i + 1);
      if (!has_relation(code, i + 2, close)) continue;
      const bool leaves = code.is(close + 1, "return") || code.is(close + 1, "continue") || code.is(close + 1, "break");
      edits.push_back({Family::bound, "guard removed", i + 2, close, leaves ? "false" : "true"});
    }
    // `inside ? load : 0` as in the edge of a tile: the guard of a load.
    if (code.is(i, "?")) {
      std::size_t begin = code.statement_begin(i);
      for (std::size_t j = begin; j < i; ++j)
        if ((code.is(j, "=") || code.is(j, ",") || code.is(j, "return")) && code.enclosing(j) == code.enclosing(i))
          begin = j + 1;
      if (begin < i && has_relation(code, begin, i))
        edits.push_back({Family::bound, "guard removed", begin, i, "true"});
    }
  }
}

}  // namespace kbv
