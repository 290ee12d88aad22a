// SPDX-License-Identifier: MIT
// Mutation operators: each looks at every token of a source and appends what it would change.
#pragma once

#include <string>
#include <vector>

#include "mutate/code.h"
#include "mutate/mutations.h"

namespace kbv {

/// Replaces the tokens from `begin` to before `end`; an insertion has begin == end and stands before the token `begin`.
struct Edit {
  Family family = Family::index;
  const char* rule = "";
  std::size_t begin = 0, end = 0;
  std::string replacement;
};

void index_edits(const Code& code, std::vector<Edit>& edits);
void bound_edits(const Code& code, std::vector<Edit>& edits);
void arithmetic_edits(const Code& code, std::vector<Edit>& edits);
void constant_edits(const Code& code, std::vector<Edit>& edits);
void sync_edits(const Code& code, std::vector<Edit>& edits);
void precision_edits(const Code& code, std::vector<Edit>& edits);
void init_edits(const Code& code, std::vector<Edit>& edits);

/// `expression + 1` such that the sum holds whatever binds less tightly than '+' in the expression.
std::string plus(std::string_view expression, const char* what);

/// 0, 0.f, 0.0f, 0u...: a number that is zero.
bool is_zero(std::string_view number);
bool is_real(std::string_view number);  ///< a literal of a floating type

}  // namespace kbv
