// SPDX-License-Identifier: MIT
// What is left out: a barrier, an atomic, a starting value.
#include <fmt/format.h>

#include <set>

#include "mutate/operators.h"

namespace kbv {
namespace {

using Names = std::set<std::string_view>;

const Names k_barriers = {"__syncthreads",         "__syncwarp",
                          "__threadfence",         "__threadfence_block",
                          "__threadfence_system",  "__pipeline_wait_prior",
                          "cudaStreamSynchronize", "cudaDeviceSynchronize",
                          "cudaStreamWaitEvent",   "cudaEventRecord"};
const Names k_sync_methods = {"sync", "wait", "block", "synchronize", "arrive_and_wait"};
const Names k_fills = {"fill", "fill_n", "memset", "cudaMemset", "cudaMemsetAsync"};

/// The statement that a call's name begins, so that it can be left out whole: from its first token to before the ';'.
bool whole_statement(const Code& code, std::size_t call, std::size_t& begin, std::size_t& end) {
  begin = code.statement_begin(call);
  end = code.statement_end(call);
  if (!code.is(end, ";") || code.for_part(call) != ForPart::none) return false;
  for (std::size_t i = begin; i < call; ++i)
    if (!code.is_name(i) && !code.is(i, "::") && !code.is(i, ".") && !code.is(i, "->")) return false;
  return code.is(call + 1, "(") && code.partner(call + 1) + 1 == end;
}

void atomic_edits(const Code& code, std::size_t i, std::vector<Edit>& edits) {
  std::size_t begin = 0, end = 0;
  if (!code.is(i, "atomicAdd") || !whole_statement(code, i, begin, end) || begin != i) return;
  const std::size_t comma = code.expression_end(i + 2);
  if (!code.is(comma, ",") || code.expression_end(comma + 1) != end - 1) return;
  edits.push_back({Family::sync, "atomic removed", begin, end,
                   fmt::format("*({}) += {}", code.span(i + 2, comma), code.span(comma + 1, end - 1))});
}

/// `-INFINITY` and its like, from the '-'; begin if there is none.
std::size_t lowest_end(const Code& code, std::size_t begin) {
  if (!code.is(begin, "-")) return begin;
  const std::size_t end = code.expression_end(begin);
  for (std::size_t i = begin + 1; i < end; ++i)
    for (const char* name :
         {"INFINITY", "FLT_MAX", "DBL_MAX", "CUDART_INF_F", "CUDART_INF", "infinity", "HUGE_VALF", "max"})
      if (code.is(i, name) && (i == begin + 1 || code.is(i - 1, "::"))) return end;
  return begin;
}

void start_edits(const Code& code, std::size_t i, std::vector<Edit>& edits) {
  if (!code.is(i, "=") || code.for_part(i) != ForPart::none) return;
  const std::size_t end = code.expression_end(i + 1);
  // Only a variable: an element of an array that is set is a result.
  if (!code.is_name(i - 1)) {
    if (code.is(i + 1, "{") && code.is(i - 1, "]") && code.partner(i + 1) < code.size())
      edits.push_back({Family::init, "initialiser removed", i, code.partner(i + 1) + 1, ""});
    return;
  }
  if (end == i + 2 && code.kind(i + 1) == TokenKind::number && is_zero(code.at(i + 1)))
    edits.push_back({Family::init, "start at one", i + 1, end, is_real(code.at(i + 1)) ? "1.0f" : "1"});
  if (lowest_end(code, i + 1) == end && end > i + 1)
    edits.push_back({Family::init, "start at zero", i + 1, end, "0.0f"});
  if (end == i + 2 && (code.is(i + 1, "INT_MAX") || code.is(i + 1, "INT_MIN")))
    edits.push_back({Family::init, "start at zero", i + 1, end, "0"});
  if (code.is(i + 1, "{") && code.partner(i + 1) == i + 2)
    edits.push_back({Family::init, "initialiser removed", i, i + 3, ""});
}

}  // namespace

void sync_edits(const Code& code, std::vector<Edit>& edits) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code.is_name(i)) continue;
    std::size_t begin = 0, end = 0;
    const bool method = k_sync_methods.count(code.at(i)) && i > 0 && (code.is(i - 1, ".") || code.is(i - 1, "->"));
    if ((method || k_barriers.count(code.at(i))) && whole_statement(code, i, begin, end))
      edits.push_back({Family::sync, "barrier removed", begin, end, ""});
    atomic_edits(code, i, edits);
    for (const char* order :
         {"memory_order_acquire", "memory_order_release", "memory_order_acq_rel", "memory_order_seq_cst"})
      if (code.is(i, order)) edits.push_back({Family::sync, "memory order", i, i + 1, "memory_order_relaxed"});
  }
}

void init_edits(const Code& code, std::vector<Edit>& edits) {
  for (std::size_t i = 1; i < code.size(); ++i) {
    start_edits(code, i, edits);
    if (!code.is_name(i)) continue;
    if (code.is(i, "zeros")) edits.push_back({Family::init, "memory not cleared", i, i + 1, "empty"});
    if (code.is(i, "zeros_like")) edits.push_back({Family::init, "memory not cleared", i, i + 1, "empty_like"});
    std::size_t begin = 0, end = 0;
    if (k_fills.count(code.at(i)) && whole_statement(code, i, begin, end))
      edits.push_back({Family::init, "memory not cleared", begin, end, ""});
    if (code.is(i, "zero_") && code.is(i - 1, ".") && code.is(i + 1, "(") && code.partner(i + 1) == i + 2)
      edits.push_back({Family::init, "memory not cleared", i - 1, i + 3, ""});
    // wmma::fill_fragment(sums, 0.f)
    if (code.is(i, "fill_fragment") && code.is(i + 1, "(") && code.partner(i + 1) < code.size()) {
      const std::size_t value = code.expression_end(i + 2) + 1;
      if (code.partner(i + 1) == value + 1 && is_zero(code.at(value)))
        edits.push_back({Family::init, "start at one", value, value + 1, "1.0f"});
    }
    // Shared memory that is set before the block's threads meet: in CUDA, what it held before is another block's.
    const std::size_t statement = code.statement_begin(i);
    if (statement == i && code.assigned_name(i) == i && code.declared_shared(i)) {
      const std::size_t stop = code.statement_end(i);
      std::size_t equals = i;
      while (equals < stop && !code.is(equals, "=")) ++equals;
      if (code.is(stop, ";") && equals < stop) edits.push_back({Family::init, "shared memory not set", i, stop, ""});
    }
  }
}

}  // namespace kbv
