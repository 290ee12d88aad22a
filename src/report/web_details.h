// SPDX-License-Identifier: MIT
// What a web page shows of one candidate, as data for its script: the sections of the terminal report, and each
// protocol's verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "judge/observation.h"
#include "report/page.h"
#include "report/web_text.h"
#include "score/protocol.h"

namespace kbv {

/// Texts that many candidates have in common (explanations, the machine, the isolation) are in the page once: from its
/// second occurrence on, a text is a number.
class SharedTexts {
 public:
  /// The number that stands for `text` from now on; nothing if it is written where it stands.
  std::optional<std::int64_t> number_of(std::string_view text);
  /// All of them, as one list.
  JsonText json() const;

 private:
  std::unordered_set<std::size_t> seen_once_;  ///< hashes only
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<const std::string*> texts_;  ///< keys of numbers_
};

/// Writes sections as lists: ["h", title], ["p", text, ink], ["!", text], ["t", headers, align, rows], ["f", label,
/// text, ink],
/// ["q", text, bytes left out]. A text is a string, or a number of SharedTexts; a cell is a text, or [text, ink].
class DataPage final : public Page {
 public:
  static constexpr std::size_t k_text_limit = 4000;    ///< bytes of a paragraph or a cell
  static constexpr std::size_t k_quote_limit = 16384;  ///< bytes of a log: its beginning and its end

  DataPage(JsonText& json, SharedTexts& shared) : json_(json), shared_(shared) {}

  void headline(const std::string& verdict, Ink ink, const std::string& rest) override;
  void section(const std::string& title) override;
  void paragraph(std::string_view text, Ink ink = Ink::plain) override;
  void remark(std::string_view text) override;
  void table(const Table& table) override;
  void fact(const std::string& label, std::string_view text, Ink ink = Ink::plain) override;
  void quote(std::string_view text, std::size_t limit) override;

 private:
  void put(std::string_view text);
  JsonText& json_;
  SharedTexts& shared_;
};

/// One candidate of the page.
struct WebDetails {
  std::string path;
  std::string source_key;                    ///< of the data block with its source; empty: there is none
  std::uint64_t source_left_out = 0;         ///< bytes of it that the block lacks
  const Observation* observation = nullptr;  ///< or null: it has not been judged
  std::vector<Verdict> verdicts;             ///< in the page's order; the last one's cases and times are shown
  std::vector<std::string> failures;         ///< of the machine: told, never held against it
  std::vector<std::string> recorded;         ///< what other harnesses recorded, one line each
  std::vector<std::string> commands;         ///< that show it or repeat it
};

JsonText candidate_details(const WebDetails& details, SharedTexts& shared);

}  // namespace kbv
