// SPDX-License-Identifier: MIT
#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"

namespace kbv {
namespace {

constexpr std::size_t k_indent = 2;
constexpr std::size_t k_label = 13;
constexpr std::size_t k_cell_limit = 48;

std::string_view code_of(Ink ink) {
  switch (ink) {
    case Ink::plain: return "";
    case Ink::strong: return "1";
    case Ink::dim: return "2";
    case Ink::good: return "1;32";
    case Ink::bad: return "1;31";
    case Ink::warn: return "33";
  }
  return "";
}

}  // namespace

TerminalPage::TerminalPage(const ReportStyle& style)
    : width_(static_cast<std::size_t>(std::clamp(style.width, 40, 400))), colour_(style.colour) {}

std::string TerminalPage::paint(std::string_view text, Ink ink) const {
  if (!colour_ || ink == Ink::plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(ink), text);
}

void TerminalPage::line(const std::string& painted) {
  const std::size_t end = painted.find_last_not_of(' ');
  text_ += end == std::string::npos ? "" : painted.substr(0, end + 1);
  text_ += '\n';
}

void TerminalPage::headline(const std::string& verdict, Ink ink, const std::string& rest) {
  const std::string first = cut(printable(verdict), width_);
  const std::string second = printable(rest);
  if (display_width(first) + 2 + display_width(second) <= width_) {
    line(paint(first, ink) + (second.empty() ? "" : "  " + second));
    return;
  }
  line(paint(first, ink));
  paragraph(rest);
}

void TerminalPage::section(const std::string& title) {
  const std::string shown = cut(printable(title), width_ - 4);
  std::string rule;
  for (std::size_t i = display_width(shown) + 4; i < width_; ++i) rule += "─";
  text_ += '\n';
  line(paint("── ", Ink::dim) + paint(shown, Ink::strong) + " " + paint(rule, Ink::dim));
}

void TerminalPage::paragraph(std::string_view text, Ink ink) {
  for (const std::string& part : wrap(printable(text), width_ - k_indent))
    line(std::string(k_indent, ' ') + paint(part, ink));
}

void TerminalPage::remark(std::string_view text) {
  bool first = true;
  for (const std::string& part : wrap(printable(text), width_ - k_indent)) {
    line(paint((first ? "! " : "  ") + part, Ink::warn));
    first = false;
  }
}

void TerminalPage::table(const Table& table) {
  std::vector<std::vector<Cell>> rows;
  const bool headed = std::any_of(table.headers.begin(), table.headers.end(), [](const auto& h) { return !h.empty(); });
  if (headed) {
    rows.emplace_back();
    for (const std::string& header : table.headers) rows.back().push_back({header, Ink::dim});
  }
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());

  std::vector<std::size_t> widths(table.headers.size(), 0);
  for (auto& row : rows)
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      row[i].text = cut(printable(row[i].text), k_cell_limit);
      widths[i] = std::max(widths[i], display_width(row[i].text));
    }

  for (auto& row : rows) {
    while (!row.empty() && row.back().text.empty()) row.pop_back();
    std::string painted;
    std::size_t used = 0;
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      const std::size_t gap = i == 0 ? 0 : 2;
      if (used + gap >= width_) break;
      const bool bare = i + 1 == row.size() && table.align[i] == Align::left;
      const std::string cell = cut(bare ? row[i].text : pad(row[i].text, widths[i], table.align[i]), width_ - used - gap);
      used += gap + display_width(cell);
      painted += std::string(gap, ' ') + paint(cell, row[i].ink);
    }
    line(painted);
  }
}

void TerminalPage::fact(const std::string& label, std::string_view text, Ink ink) {
  std::string left = std::string(k_indent, ' ') + paint(pad(cut(printable(label), k_label - 1), k_label), Ink::dim);
  for (const std::string& part : wrap(printable(text), width_ - k_indent - k_label)) {
    line(left + paint(part, ink));
    left = std::string(k_indent + k_label, ' ');
  }
}

void TerminalPage::quote(std::string_view text, std::size_t limit) {
  std::vector<std::string> lines;
  for (const std::string& whole : split_lines(printable(text, true))) {
    const std::vector<std::string> parts = wrap(whole, width_ - 4);
    if (parts.empty()) lines.emplace_back();
    lines.insert(lines.end(), parts.begin(), parts.end());
  }
  const std::size_t skipped = limit != 0 && lines.size() > limit ? lines.size() - limit : 0;
  if (skipped > 0) paragraph(fmt::format("({} lines above are not shown)", skipped), Ink::dim);
  for (std::size_t i = skipped; i < lines.size(); ++i) line("  " + paint("| ", Ink::dim) + lines[i]);
}

}  // namespace kbv
