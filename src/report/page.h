// SPDX-License-Identifier: MIT
// What the sections of a report are written to: a terminal, or the web page (web_details.h). A page makes everything that it is given
// harmless where it will be shown, so no section has to.
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
  virtual ~Page() = default;

  virtual void headline(const std::string& verdict, Ink ink, const std::string& rest) = 0;
  virtual void section(const std::string& title) = 0;
  virtual void paragraph(std::string_view text, Ink ink = Ink::plain) = 0;
  virtual void remark(std::string_view text) = 0;  ///< something that a reader must not miss
  virtual void table(const Table& table) = 0;
  /// A label, and text that may wrap; nothing if the text is empty.
  virtual void fact(const std::string& label, std::string_view text, Ink ink = Ink::plain) = 0;
  /// Text of several lines, marked as quoted. Where room is short, its last `limit` lines, or all if it is 0.
  virtual void quote(std::string_view text, std::size_t limit) = 0;
};

/// Wraps, aligns and colours.
class TerminalPage final : public Page {
 public:
  explicit TerminalPage(const ReportStyle& style);

  void headline(const std::string& verdict, Ink ink, const std::string& rest) override;
  void section(const std::string& title) override;
  void paragraph(std::string_view text, Ink ink = Ink::plain) override;
  void remark(std::string_view text) override;
  void table(const Table& table) override;
  void fact(const std::string& label, std::string_view text, Ink ink = Ink::plain) override;
  void quote(std::string_view text, std::size_t limit) override;

  std::string take() { return std::move(text_); }

 private:
  std::string paint(std::string_view text, Ink ink) const;
  void line(const std::string& painted);

  std::size_t width_;
  bool colour_;
  std::string text_;
};

}  // namespace kbv
