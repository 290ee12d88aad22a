// SPDX-License-Identifier: MIT
// A page of the terminal: wraps, aligns and colours. It makes everything that it is given printable, so no section has to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "report/text.h"

namespace kbv {

enum class Ink { plain, strong, dim, good, bad, warn };

struct Cell {
  std::string text;
  Ink ink = Ink::plain;
};

struct Table {
  std::vector<std::string> headers;  ///< empty strings for no header line
  std::vector<Align> align;
  std::vector<std::vector<Cell>> rows;
};

class Page {
 public:
  explicit Page(const ReportStyle& style);

  void headline(const std::string& verdict, Ink ink, const std::string& rest);
  void section(const std::string& title);
  void paragraph(std::string_view text, Ink ink = Ink::plain);
  void remark(std::string_view text);  ///< something that a reader must not miss
  void table(const Table& table);
  /// A label, and text that may wrap; nothing if the text is empty.
  void fact(const std::string& label, std::string_view text, Ink ink = Ink::plain);
  /// Text of several lines, marked as quoted, long lines wrapped. The last `limit` lines of that, or all if it is 0.
  void quote(std::string_view text, std::size_t limit);

  std::string take() { return std::move(text_); }

 private:
  std::string paint(std::string_view text, Ink ink) const;
  void line(const std::string& painted);

  std::size_t width_;
  bool colour_;
  std::string text_;
};

}  // namespace kbv
