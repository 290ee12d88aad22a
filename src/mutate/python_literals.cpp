// SPDX-License-Identifier: MIT
#include "mutate/python_literals.h"

#include <algorithm>
#include <string>

namespace kbv {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/// Where the literal whose quotes are `quotes` and which begins at `at` ends; npos if it does not.
std::size_t literal_end(std::string_view file, std::size_t at, std::string_view quotes) {
  for (; at < file.size(); ++at) {
    if (file.substr(at).starts_with(quotes)) return at;
    if (file[at] == '\n' && quotes.size() == 1) return std::string_view::npos;
    if (file[at] == '\\') ++at;  // in a raw literal, too, the quote after a backslash does not end it
  }
  return std::string_view::npos;
}

/// A ')' and then a '{': a function's body, or a loop's.
bool has_body(std::string_view text) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const std::size_t before = at == 0 ? at : text.find_last_not_of(" \t\r\n", at - 1);
    if (before != std::string_view::npos && text[before] == ')') return true;
  }
  return false;
}

}  // namespace

std::vector<PythonLiteral> python_literals(std::string_view file) {
  std::vector<PythonLiteral> found;
  for (std::size_t at = 0; at < file.size();) {
    if (file[at] == '#') {
      at = std::min(file.find('\n', at), file.size());
      continue;
    }
    std::string prefix;
    if (is_letter(file[at])) {
      while (at < file.size() && is_letter(file[at])) prefix += file[at++];
      if (at == file.size() || prefix.size() > 2 || prefix.find_first_not_of("rRbBuUfFtT") != std::string::npos)
        continue;
    }
    if (file[at] != '"' && file[at] != '\'') {
      at += prefix.empty();
      continue;
    }
    const std::string one(1, file[at]), three(3, file[at]);
    const std::string& quotes = file.substr(at).starts_with(three) ? three : one;
    PythonLiteral literal;
    literal.begin = at + quotes.size();
    literal.end = literal_end(file, literal.begin, quotes);
    if (literal.end == std::string_view::npos) return found;
    literal.raw = prefix.find_first_of("rR") != std::string::npos;
    literal.formatted = prefix.find_first_of("fFtT") != std::string::npos;
    at = literal.end + quotes.size();
    found.push_back(literal);
  }
  return found;
}

std::vector<PythonLiteral> cxx_literals(std::string_view file) {
  std::vector<PythonLiteral> found = python_literals(file);
  std::erase_if(found, [&](const PythonLiteral& literal) {
    const std::string_view text = file.substr(literal.begin, literal.end - literal.begin);
    const bool code = has_body(text) && text.find(';') != std::string_view::npos;
    return !code || literal.formatted || (!literal.raw && text.find('\\') != std::string_view::npos);
  });
  return found;
}

}  // namespace kbv
