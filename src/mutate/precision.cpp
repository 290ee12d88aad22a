// SPDX-License-Identifier: MIT
// Less exact than it should be: a smaller type on the way, a function that only nearly is the one it stands for.
#include <fmt/format.h>

#include <set>

#include "mutate/operators.h"

namespace kbv {
namespace {

const std::set<std::string_view> k_exponentials = {"exp", "expf", "__expf"};
const std::set<std::string_view> k_functions = {"exp",    "expf", "__expf", "log",   "logf", "__logf", "sqrt",  "sqrtf",
                                                "rsqrtf", "erff", "erf",    "tanhf", "tanh", "erfcf",  "log1pf"};

// torch/extension.h brings both types, for the host and for kernels.
constexpr const char* k_half = "c10::Half";
constexpr const char* k_bfloat16 = "c10::BFloat16";

std::string through(const char* type, std::string_view expression) {
  return fmt::format("static_cast<float>({}(static_cast<float>({})))", type, expression);
}

/// Both types for the value from token `begin` to before `end`.
void round_edits(const char* rule, const Code& code, std::size_t begin, std::size_t end, std::vector<Edit>& edits) {
  for (const char* type : {k_bfloat16, k_half})
    edits.push_back({Family::precision, rule, begin, end, through(type, code.span(begin, end))});
}

/// A number, or a constant such as -FLT_MAX: what any type holds well enough.
bool is_literal(const Code& code, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::string_view name = code.at(i);
    const bool constant = name == "infinity" || name == "max" || name == "lowest" || name == "INFINITY" ||
                          name.ends_with("_MAX") || name.starts_with("CUDART_INF");
    if (constant && code.is(begin, "-")) return true;
    if (code.is_name(i) && name != "std" && name != "numeric_limits" && name != "float") return false;
  }
  return true;
}

void assignment_edits(const Code& code, std::size_t i, std::vector<Edit>& edits) {
  const std::size_t statement = code.statement_begin(i), end = code.expression_end(i + 1);
  if (code.for_part(i) != ForPart::none || end <= i + 1) return;
  if (code.is(i, "+=")) {
    const std::size_t name = code.assigned_name(statement);
    if (name == code.size() || code.scalar(name) != Scalar::real32) return;
    const std::string_view target = code.span(statement, i);
    for (const char* type : {k_bfloat16, k_half})
      edits.push_back({Family::precision, "accumulator rounded", i, end,
                       "= " + through(type, fmt::format("{} + ({})", target, code.span(i + 1, end)))});
    return;
  }
  if (!code.is(i, "=") || code.is(i + 1, "{") || is_literal(code, i + 1, end)) return;
  if (const std::size_t name = code.assigned_name(statement); name < code.size()) {
    const bool whole = code.is(i - 1, "]") || code.is_name(i - 1);
    if (code.scalar(name) == Scalar::real32 && whole && !code.is_declaration(statement))
      round_edits(code.declared_shared(name) ? "shared memory rounded" : "result rounded", code, i + 1, end, edits);
    return;
  }
  // const float x = ...; a pointer's value is an address.
  if (!code.is_name(i - 1) || code.scalar(i - 1) != Scalar::real32) return;
  for (std::size_t j = statement; j < i; ++j)
    if (code.is(j, "*") || code.is(j, "float2") || code.is(j, "float4")) return;
  round_edits("value rounded", code, i + 1, end, edits);
}

}  // namespace

void precision_edits(const Code& code, std::vector<Edit>& edits) {
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (code.is(i, "=") || code.is(i, "+=")) assignment_edits(code, i, edits);
    const bool call = code.is_name(i) && code.is(i + 1, "(") && code.partner(i + 1) < code.size();
    if (call && k_functions.count(code.at(i)) && code.expression_end(i + 2) == code.partner(i + 1)) {
      const std::size_t close = code.partner(i + 1);
      const std::size_t begin = code.is(i - 1, "::") && code.is(i - 2, "std") ? i - 2 : i;
      round_edits("function's argument rounded", code, i + 2, close, edits);
      // The limit that defines exp: right to about x * x / 8192.
      if (k_exponentials.count(code.at(i)))
        edits.push_back({Family::precision, "exponential as a limit", begin, close + 1,
                         fmt::format("powf(1.0f + ({}) / 4096.0f, 4096.0f)", code.span(i + 2, close))});
    }
    if (code.is(i, "double") && !code.in_template(i) && code.part(i) == std::string_view("kernel") &&
        !code.is(i + 1, "*") && !code.inside(i, "("))
      edits.push_back({Family::precision, "double to float", i, i + 1, "float"});
    // A cast: (double)x
    if (code.is(i, "double") && code.is(i - 1, "(") && code.is(i + 1, ")"))
      edits.push_back({Family::precision, "double to float", i, i + 1, "float"});
  }
}

}  // namespace kbv
