// SPDX-License-Identifier: MIT
// CUDA, C++ and PTX text as the static look reads it. Unlike mutate/tokens.h, which changes honest sources and so
// leaves the preprocessor's lines alone, it reads those too, joins continued lines, and knows how names are hidden.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbv {

enum class LookTokenKind {
  name,  ///< an identifier or a keyword, lines that continue it joined
  number,
  text,        ///< a string or a character; `text` is what stands between the quotes, escapes as they are
  punctuator,  ///< digraphs of # and ## as those
};

struct LookToken {
  LookTokenKind kind = LookTokenKind::punctuator;
  std::string_view text;        ///< into CudaTokens
  std::size_t offset = 0;       ///< where it begins in the source [bytes]
  std::size_t text_offset = 0;  ///< where `text` does: of a string behind its quote
  bool directive = false;       ///< it stands in a preprocessor's line
  bool line_start = false;      ///< of a directive: its '#'
};

inline constexpr std::size_t k_max_look_tokens = 200'000;

/// Never fails: what is not C++ gives tokens of one byte. The tokens point into it, so it does not move.
class CudaTokens {
 public:
  explicit CudaTokens(std::string_view source);
  CudaTokens(const CudaTokens&) = delete;
  CudaTokens& operator=(const CudaTokens&) = delete;

  const std::vector<LookToken>& all() const { return tokens_; }
  /// There were more tokens than the bound: the rest was not read.
  bool cut_off() const { return cut_off_; }

 private:
  void join_lines(std::string_view source);
  std::size_t in_source(std::size_t joined) const;
  void read();
  void skip_comment();
  LookToken next();
  std::string_view quoted(char quote);
  std::string_view raw_string();
  char peek(std::size_t ahead = 0) const { return at_ + ahead < joined_.size() ? joined_[at_ + ahead] : '\0'; }
  bool starts(std::string_view what) const { return std::string_view(joined_).substr(at_).starts_with(what); }

  std::string joined_;  // the source without continuations of lines
  struct Join {
    std::size_t joined, source;
  };
  std::vector<Join> joins_;  // from `joined` on, a place lies at `source` and as many bytes behind
  std::size_t at_ = 0;
  std::vector<LookToken> tokens_;
  bool cut_off_ = false;
};

}  // namespace kbv
