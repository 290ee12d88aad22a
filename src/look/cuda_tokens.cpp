// SPDX-License-Identifier: MIT
#include "look/cuda_tokens.h"

#include <algorithm>
#include <iterator>

namespace kbv {
namespace {

// '$' and bytes of UTF-8 are in names that compilers take; PTX has '$' and '%' as well, but there '%' is a token.
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_string_prefix(std::string_view name) {
  return name == "L" || name == "u" || name == "U" || name == "u8" || name == "R" || name == "LR" || name == "uR" ||
         name == "UR" || name == "u8R";
}

// Longest first. ">>" is two tokens, since each may close a template; ">>>" closes a launch only where one is open.
constexpr std::string_view k_punctuators[] = {"%:%:", "<<<", ">>>", "...", "->*", "%:", "##", "::", "->", "==", "!=",
                                              "<=",   ">=",  "&&",  "||",  "+=",  "-=", "*=", "/=", "++", "--"};

}  // namespace

CudaTokens::CudaTokens(std::string_view source) {
  join_lines(source);
  read();
}

void CudaTokens::join_lines(std::string_view source) {
  joins_.push_back({0, 0});
  joined_.reserve(source.size());
  for (std::size_t i = 0; i < source.size();) {
    if (source[i] == '\\') {
      // Compilers allow blanks between the backslash and the end of the line.
      std::size_t end = i + 1;
      while (end < source.size() && (source[end] == ' ' || source[end] == '\t' || source[end] == '\r')) ++end;
      if (end < source.size() && source[end] == '\n') {
        i = end + 1;
        joins_.push_back({joined_.size(), i});
        continue;
      }
    }
    joined_ += source[i++];
  }
}

std::size_t CudaTokens::in_source(std::size_t joined) const {
  const auto after = std::upper_bound(joins_.begin(), joins_.end(), joined,
                                      [](std::size_t at, const Join& join) { return at < join.joined; });
  const Join& join = *std::prev(after);
  return join.source + (joined - join.joined);
}

void CudaTokens::skip_comment() {
  const std::size_t end = starts("//") ? joined_.find('\n', at_) : joined_.find("*/", at_ + 2);
  if (end == std::string::npos)
    at_ = joined_.size();
  else
    at_ = starts("//") ? end : end + 2;
}

void CudaTokens::read() {
  bool line_start = true, directive = false;
  int launches = 0;
  while (at_ < joined_.size()) {
    if (peek() == '\n') {
      line_start = true;
      directive = false;
    }
    if (is_space(peek())) {
      ++at_;
      continue;
    }
    if (starts("//") || starts("/*")) {
      skip_comment();
      continue;
    }
    if (tokens_.size() == k_max_look_tokens) {
      cut_off_ = true;
      return;
    }
    const std::size_t begin = at_;
    LookToken token = next();
    // Of a ">>>" that ends templates, only the first.
    if (token.text == ">>>" && launches == 0) {
      at_ = begin + 1;
      token.text = std::string_view(joined_).substr(begin, 1);
    } else if (token.kind == LookTokenKind::punctuator && (token.text == "<<<" || token.text == ">>>")) {
      launches += token.text == "<<<" ? 1 : -1;
    }
    token.offset = in_source(begin);
    const bool own = token.text.data() >= joined_.data() && token.text.data() <= joined_.data() + joined_.size();
    token.text_offset = own ? in_source(static_cast<std::size_t>(token.text.data() - joined_.data())) : token.offset;
    token.line_start = line_start && token.kind == LookTokenKind::punctuator && token.text == "#";
    directive = directive || token.line_start;
    token.directive = directive;
    line_start = false;
    tokens_.push_back(token);
  }
}

LookToken CudaTokens::next() {
  LookToken token;
  const std::size_t begin = at_;
  const auto taken = [&] { return std::string_view(joined_).substr(begin, at_ - begin); };
  if (is_name_start(peek())) {
    while (is_name_start(peek()) || is_digit(peek())) ++at_;
    token.kind = LookTokenKind::name;
    token.text = taken();
    if ((peek() == '"' || peek() == '\'') && is_string_prefix(token.text)) {
      token.kind = LookTokenKind::text;
      token.text = token.text.back() == 'R' && peek() == '"' ? raw_string() : quoted(peek());
    }
  } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
    token.kind = LookTokenKind::number;
    while (
        is_name_start(peek()) || is_digit(peek()) || peek() == '.' ||
        (peek() == '\'' && (is_digit(peek(1)) || is_name_start(peek(1)))) ||
        ((peek() == '+' || peek() == '-') && (joined_[at_ - 1] == 'e' || joined_[at_ - 1] == 'E') && is_digit(peek(1))))
      ++at_;
    token.text = taken();
  } else if (peek() == '"' || peek() == '\'') {
    token.kind = LookTokenKind::text;
    token.text = quoted(peek());
  } else {
    const auto* longest =
        std::find_if(std::begin(k_punctuators), std::end(k_punctuators), [&](auto p) { return starts(p); });
    at_ += longest == std::end(k_punctuators) ? 1 : longest->size();
    token.text = taken();
    if (token.text == "%:%:") token.text = "##";
    if (token.text == "%:") token.text = "#";
  }
  return token;
}

std::string_view CudaTokens::quoted(char quote) {
  const std::size_t begin = ++at_;
  while (at_ < joined_.size() && peek() != '\n' && peek() != quote) at_ += peek() == '\\' && peek(1) != '\n' ? 2u : 1u;
  at_ = std::min(at_, joined_.size());
  const auto text = std::string_view(joined_).substr(begin, at_ - begin);
  if (peek() == quote) ++at_;
  return text;
}

std::string_view CudaTokens::raw_string() {
  constexpr std::size_t k_longest_delimiter = 16;
  const std::size_t length = std::string_view(joined_).substr(at_ + 1, k_longest_delimiter + 1).find('(');
  if (length == std::string_view::npos) return quoted('"');
  const std::size_t open = at_ + 1 + length;
  const std::string close = ")" + joined_.substr(at_ + 1, length) + "\"";
  const std::size_t end = joined_.find(close, open);
  at_ = end == std::string::npos ? joined_.size() : end + close.size();
  return std::string_view(joined_).substr(open + 1, std::min(end, joined_.size()) - open - 1);
}

}  // namespace kbv
