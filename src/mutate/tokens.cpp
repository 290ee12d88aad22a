// SPDX-License-Identifier: MIT
#include "mutate/tokens.h"

#include <fmt/format.h>

#include <algorithm>

namespace kbv {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Longest first within each length.
constexpr std::string_view k_punctuators[] = {"<<<", ">>>", "<<=", ">>=", "...", "->*", "<=>", "::", "->",
                                              "++",  "--",  "<<",  "<=",  ">=",  "==",  "!=",  "&&", "||",
                                              "+=",  "-=",  "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "##"};

class Tokeniser {
 public:
  explicit Tokeniser(std::string_view source) : source_(source) {}

  Result<std::vector<Token>> run() {
    while (skip_blank(), at_ < source_.size()) {
      if (tokens_.size() == k_max_tokens)
        return fail(Fault::usage, "too_large", fmt::format("a source of more than {} tokens", k_max_tokens));
      const std::size_t begin = at_;
      const TokenKind kind = next();
      tokens_.push_back({kind, begin, at_});
      line_start_ = false;
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool starts(std::string_view what) const { return source_.substr(at_).starts_with(what); }
  void to(std::size_t place) { at_ = std::min(place, source_.size()); }

  void skip_blank() {
    while (at_ < source_.size()) {
      if (peek() == '\n') line_start_ = true;
      if (is_space(peek())) {
        ++at_;
      } else if (starts("//")) {
        skip_line();
      } else if (starts("/*")) {
        const std::size_t close = source_.find("*/", at_ + 2);
        to(close == std::string_view::npos ? close : close + 2);
      } else if (peek() == '#' && line_start_) {
        skip_line();
      } else {
        return;
      }
    }
  }

  /// To the newline that ends a line which backslashes may continue.
  void skip_line() {
    while (at_ < source_.size() && peek() != '\n') at_ += peek() == '\\' && peek(1) == '\n' ? 2u : 1u;
    to(at_);
  }

  TokenKind next() {
    if (is_name_start(peek())) {
      while (is_name_start(peek()) || is_digit(peek())) ++at_;
      if (peek() == '"' && source_[at_ - 1] == 'R') raw_string();
      return source_[at_ - 1] == '"' ? TokenKind::text : TokenKind::name;
    }
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
      number();
      return TokenKind::number;
    }
    if (peek() == '"' || peek() == '\'') {
      quoted(peek());
      return TokenKind::text;
    }
    const auto* longest =
        std::find_if(std::begin(k_punctuators), std::end(k_punctuators), [&](auto p) { return starts(p); });
    std::size_t length = longest == std::end(k_punctuators) ? 1 : longest->size();
    // A launch closes only what a launch opened: otherwise ">>>" ends templates.
    if (starts(">>>") && launches_ == 0) length = 1;
    if (starts("<<<"))
      ++launches_;
    else if (length == 3 && starts(">>>"))
      --launches_;
    at_ += length;
    return TokenKind::punctuator;
  }

  void number() {
    const bool hex = starts("0x") || starts("0X");
    while (at_ < source_.size()) {
      const char c = peek();
      const bool exponent = hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
      if (exponent && (peek(1) == '+' || peek(1) == '-'))
        at_ += 2;
      else if (is_name_start(c) || is_digit(c) || c == '.' ||
               (c == '\'' && (is_digit(peek(1)) || is_name_start(peek(1)))))
        ++at_;
      else
        break;
    }
  }

  void quoted(char quote) {
    ++at_;
    while (at_ < source_.size() && peek() != '\n') {
      const char c = peek();
      at_ += c == '\\' ? 2u : 1u;
      if (c == quote) break;
    }
    to(at_);
  }

  void raw_string() {
    const std::size_t open = source_.find('(', at_);
    if (open == std::string_view::npos || open - at_ > 17) return quoted('"');
    const std::string close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = source_.find(close, open);
    to(end == std::string_view::npos ? end : end + close.size());
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool line_start_ = true;
  int launches_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenise(std::string_view source) { return Tokeniser(source).run(); }

std::string normalised(std::string_view source, const std::vector<Token>& tokens) {
  std::string all;
  for (const Token& token : tokens) (all += source.substr(token.begin, token.end - token.begin)) += '\n';
  return all;
}

}  // namespace kbv
