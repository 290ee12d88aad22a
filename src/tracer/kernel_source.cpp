// SPDX-License-Identifier: MIT
// The kernels that a source defines, found by a scan of its text.
#include <algorithm>

#include "tracer/provenance.h"

namespace kbv {

namespace {

constexpr std::size_t k_max_source_bytes = 4u << 20;
constexpr std::size_t k_max_names = 256;
constexpr std::size_t k_max_identifier_bytes = 128;
constexpr std::size_t k_max_comment_look_back = 200;
constexpr std::string_view k_global = "__global__";

bool starts_identifier(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_identifier(char c) { return starts_identifier(c) || (c >= '0' && c <= '9'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void keep(std::vector<std::string>& names, std::string_view name) {
  if (name.empty() || name.size() > k_max_identifier_bytes || names.size() >= k_max_names) return;
  if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
}

std::string_view identifier_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && in_identifier(text[end])) ++end;
  return text.substr(at, end - at);
}

/// Whether what stands before `at` in its line makes it a comment.
bool in_comment(std::string_view text, std::size_t at) {
  const std::size_t from = at > k_max_comment_look_back ? at - k_max_comment_look_back : 0;
  std::string_view line = text.substr(from, at - from);
  if (const auto newline = line.rfind('\n'); newline != std::string_view::npos) line.remove_prefix(newline + 1);
  if (line.find("//") != std::string_view::npos) return true;
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  return line.starts_with('#') || line.starts_with('*');
}

bool void_before(std::string_view text, std::size_t at) {
  while (at > 0 && is_space(text[at - 1])) --at;
  return at >= 4 && text.substr(at - 4, 4) == "void" && (at == 4 || !in_identifier(text[at - 5]));
}

/// The name of the function declared after "__global__", which ends at `at`; moves `at` past all that was read. Reads
/// over attributes with parentheses, such as __launch_bounds__(256), and stops at the next __global__.
std::string_view declared_name(std::string_view text, std::size_t& at, bool after_void) {
  int parentheses = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (starts_identifier(c)) {
      const std::string_view word = identifier_at(text, at);
      if (word == k_global) return {};
      at += word.size();
      if (parentheses > 0) continue;
      if (word == "void") {
        after_void = true;
        continue;
      }
      std::size_t next = at;
      while (next < text.size() && is_space(text[next])) ++next;
      at = next;
      const bool opens = next < text.size() && (text[next] == '(' || text[next] == '<');
      if (opens && after_void && !word.starts_with("__")) return word;
    } else {
      if (c == ';' || c == '{' || c == '}') return {};
      if (c == '(') ++parentheses;
      if (c == ')') --parentheses;
      ++at;
    }
  }
  return {};
}

void find_cuda(std::string_view text, std::vector<std::string>& names) {
  std::size_t at = 0;
  while (names.size() < k_max_names && (at = text.find(k_global, at)) != std::string_view::npos) {
    const std::size_t start = at;
    at += k_global.size();
    if (start > 0 && in_identifier(text[start - 1])) continue;
    if (at < text.size() && in_identifier(text[at])) continue;
    if (in_comment(text, start)) continue;
    keep(names, declared_name(text, at, void_before(text, start)));
  }
}

bool is_kernel_decorator(std::string_view line) {
  for (const std::string_view decorator :
       {"@triton.jit", "@triton.autotune", "@triton.heuristics", "@gluon.jit", "@jit", "@autotune", "@heuristics"}) {
    if (line.starts_with(decorator) && (line.size() == decorator.size() || !in_identifier(line[decorator.size()])))
      return true;
  }
  return false;
}

void find_triton(std::string_view text, std::vector<std::string>& names) {
  // "@jit" alone is Triton's only where Triton is used; Numba has one too.
  if (text.find("triton") == std::string_view::npos) return;
  bool decorated = false;  // stays so over the lines of a decorator's arguments
  while (!text.empty() && names.size() < k_max_names) {
    const auto newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    if (is_kernel_decorator(line)) {
      decorated = true;
    } else if (line.starts_with("def ") || line.starts_with("class ")) {
      std::size_t at = line.find(' ');
      while (at < line.size() && is_space(line[at])) ++at;
      if (decorated && line.starts_with("def ")) keep(names, identifier_at(line, at));
      decorated = false;
    }
  }
}

std::string_view bounded(const std::string& source) { return std::string_view(source).substr(0, k_max_source_bytes); }

}  // namespace

std::vector<std::string> kernel_names_in_source(const std::string& source) {
  std::vector<std::string> names;
  find_cuda(bounded(source), names);
  find_triton(bounded(source), names);
  return names;
}

std::vector<std::string> triton_names_in_source(const std::string& source) {
  std::vector<std::string> names;
  find_triton(bounded(source), names);
  return names;
}

}  // namespace kbv
