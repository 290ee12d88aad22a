// SPDX-License-Identifier: MIT
// What the static look found in one candidate's source: advice for people. No protocol reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace kbv {

inline constexpr std::size_t k_max_labels = 200;
inline constexpr std::size_t k_max_labels_of_rule = 20;
inline constexpr std::size_t k_max_label_detail = 100;  ///< [bytes]
inline constexpr std::size_t k_max_look_why = 300;      ///< [bytes]

struct SourceLabel {
  std::string rule;    ///< LookRule::id
  int line = 0;        ///< in the candidate's file, from 1
  int column = 0;      ///< from 1, in bytes; 0: not known
  std::string detail;  ///< the source's own words, bounded: anything may be in it
};

struct SourceLabels {
  std::string state = "not looked at";            ///< or "looked at", or "looked at in part"
  std::string why;                                ///< of the other two, if anybody tried; bounded
  double seconds = 0;                             ///< what the look took
  std::vector<SourceLabel> labels;                ///< in order of lines
  std::map<std::string, std::uint64_t> left_out;  ///< by rule: found as well, and not kept
};

/// Keeps labels within their bounds; of two with the same rule, line and detail the first.
class LabelCollector {
 public:
  /// A rule that the table does not have is dropped and counted. Lines that no file has become 1.
  void add(std::string_view rule, std::int64_t line, std::int64_t column, std::string_view detail);

  /// `count` more of a rule, that somebody else left out.
  void leave_out(std::string_view rule, std::uint64_t count);

  std::uint64_t unknown_rules() const { return unknown_; }

  /// Moves what was kept into `labels`, in order of lines.
  void finish(SourceLabels& labels);

 private:
  std::vector<SourceLabel> kept_;
  std::map<std::string, std::size_t, std::less<>> of_rule_;
  std::map<std::string, std::uint64_t> left_out_;
  std::set<std::tuple<std::string, int, std::string>> seen_;
  std::uint64_t unknown_ = 0;
};

}  // namespace kbv
