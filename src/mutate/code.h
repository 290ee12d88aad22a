// SPDX-License-Identifier: MIT
// What mutation operators ask of a piece of CUDA or C++. There is no type checker here: what a name is, is read off its
// declaration and off the layout, so an answer may be wrong for unusual code; the compiler then refuses the mutant, or
// it is one of another family.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "mutate/tokens.h"

namespace kbv {

enum class Scalar { other, real32, real64, integer };
enum class ForPart { none, init, condition, step };

/// Tokens are named by their index. An index that is out of range is allowed everywhere and means a token without text.
class Code {
 public:
  /// A usage error if the text has too many tokens. `text` must outlive it.
  static Result<Code> parse(std::string_view text);

  std::size_t size() const { return tokens_.size(); }
  const std::vector<Token>& tokens() const { return tokens_; }
  std::string_view text() const { return text_; }
  std::string_view at(std::size_t i) const;
  TokenKind kind(std::size_t i) const { return i < size() ? tokens_[i].kind : TokenKind::punctuator; }
  bool is(std::size_t i, std::string_view text) const { return at(i) == text; }
  bool is_name(std::size_t i) const { return kind(i) == TokenKind::name && i < size(); }
  /// The source from token `begin` to before token `end`, as it stands.
  std::string_view span(std::size_t begin, std::size_t end) const;

  /// The other bracket of (), [], {}, <<<>>>, or of a template's <>; size() if there is none.
  std::size_t partner(std::size_t i) const { return i < size() ? partner_[i] : size(); }
  bool in_template(std::size_t i) const { return i < size() && in_template_[i]; }
  /// The innermost ( [ { or <<< that is open at token i; size() at the top.
  std::size_t enclosing(std::size_t i) const { return i < size() ? enclosing_[i] : size(); }
  bool inside(std::size_t i, std::string_view bracket) const { return is(enclosing(i), bracket); }

  /// The statement that token i stands in: its first token, and the ';' (or closing bracket) that ends it. Within for
  /// (...) each of the three parts is a statement.
  std::size_t statement_begin(std::size_t i) const;
  std::size_t statement_end(std::size_t i) const;
  /// The end of the expression or argument from i on: the next ',' ';' ':' or closing bracket at its depth.
  std::size_t expression_end(std::size_t i) const;

  ForPart for_part(std::size_t i) const { return i < size() ? for_part_[i] : ForPart::none; }
  /// A '+', '-', '*', '<'... between two operands; not a sign, a pointer, a template's bracket.
  bool is_binary(std::size_t i) const;
  /// [ of an element access; not of an array's declaration, a lambda, an attribute.
  bool is_subscript(std::size_t i) const;
  /// The statement declares names: `const float* row = ...`, `__shared__ float sums[4]`, a parameter list.
  bool is_declaration(std::size_t statement) const;
  /// The token is within a subscript, a pointer's offset or the value of an integer that is declared.
  bool in_index(std::size_t i) const;
  /// What the name at i was last declared as, before i in the same function; an array or a pointer counts as its
  /// element.
  Scalar scalar(std::size_t i) const;
  bool declared_shared(std::size_t i) const;  ///< ... and that it was __shared__
  /// The name of what the statement at `statement` assigns to: `sums` of `sums[i] += x`; size() if it does not begin
  /// so.
  std::size_t assigned_name(std::size_t statement) const;

  /// "kernel": in a __global__ or __device__ function; "host": elsewhere in a source that has one; "C++": in a source
  /// that has none.
  const char* part(std::size_t i) const;

 private:
  struct Declared {
    std::size_t at = 0;
    Scalar scalar = Scalar::other;
    bool shared = false;
  };
  void match_brackets();
  void match_templates();
  void find_for_parts();
  void find_kernels();
  void find_declarations();
  const Declared* declared(std::size_t i) const;
  void find_functions();

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partner_, enclosing_;
  std::vector<std::size_t>
      function_;  ///< where the function (or other thing of the top level) that holds the token begins
  std::vector<bool> in_template_, in_kernel_;
  std::vector<ForPart> for_part_;
  bool has_kernels_ = false;
  std::map<std::string, std::vector<Declared>, std::less<>> declared_;  ///< in order of place
};

}  // namespace kbv
