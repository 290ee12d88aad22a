// SPDX-License-Identifier: MIT
// The formats that people read.
#include "report/leaderboard_text.h"

#include <fmt/format.h>

#include <cctype>

#include "base/printable.h"
#include "report/leaderboard_tables.h"
#include "report/page.h"

namespace kbv {
namespace {

Table page_table(const LeaderboardTable& table) {
  Table shown{table.headers, table.align, {}};
  for (const auto& row : table.rows) {
    shown.rows.emplace_back();
    for (const std::string& text : row) shown.rows.back().push_back({text, Ink::plain});
  }
  return shown;
}

std::string markdown_row(const std::vector<std::string>& texts) {
  std::string line = "|";
  for (const std::string& text : texts) line += " " + markdown_text(text) + " |";
  return line + "\n";
}

/// Whether a host would make more of the '@' or '#' at `at` than text, whatever is escaped: call somebody, link an
/// address or an issue.
bool means_more(std::string_view text, std::size_t at) {
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i]));
  };
  if ((text[at] != '@' && text[at] != '#') || !is_word(at + 1)) return false;
  if (text[at] == '#' || at == 0 || !is_word(at - 1)) return true;
  const std::string_view host = text.substr(at + 1, text.find(' ', at) - at - 1);
  return host.find('.') != std::string_view::npos;  // "fast@1" is neither
}

}  // namespace

std::string leaderboard_table(const Leaderboard& board, const ReportStyle& style) {
  TerminalPage page(style);
  page.paragraph(leaderboard_rules(board));
  for (const std::string& note : board.notes) page.remark(note);
  for (const LeaderboardTable& table : leaderboard_tables(board)) {
    page.section(table.title);
    page.table(page_table(table));
    for (const std::string& remark : table.remarks) page.paragraph(remark, Ink::dim);
  }
  return page.take();
}

std::string markdown_text(std::string_view text) {
  std::string shown;
  const std::string plain = printable(text);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    if (means_more(plain, i))
      (shown += c) += "<!-- -->";
    else if (c == '&')
      shown += "&amp;";
    else if (c == '<')
      shown += "&lt;";
    else if (std::string_view("\\`*_[]|~#>!$:").find(c) != std::string_view::npos)
      (shown += '\\') += c;
    else if (c == '.' && shown.ends_with("www"))
      shown += "\\.";  // or it becomes a link
    else
      shown += c;
  }
  return shown;
}

std::string leaderboard_markdown(const Leaderboard& board) {
  std::string text = markdown_text(leaderboard_rules(board)) + "\n";
  for (const std::string& note : board.notes) text += "\n**" + markdown_text(note) + "**\n";
  for (const LeaderboardTable& table : leaderboard_tables(board)) {
    text += "\n## " + markdown_text(table.title) + "\n\n" + markdown_row(table.headers) + "|";
    for (const Align align : table.align) text += align == Align::left ? " --- |" : " ---: |";
    text += "\n";
    for (const auto& row : table.rows) text += markdown_row(row);
    for (const std::string& remark : table.remarks) text += "\n" + markdown_text(remark) + "\n";
  }
  return text;
}

}  // namespace kbv
