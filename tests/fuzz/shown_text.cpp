// SPDX-License-Identifier: MIT
// Whatever a candidate says, what is shown of it holds nothing that a terminal or a browser obeys.
#include "base/printable.h"
#include "fuzz.h"
#include "report/report.h"
#include "report/text.h"
#include "report/web_text.h"

using namespace kbv;

namespace {

bool holds_control(std::string_view text, bool lines) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '\n' && lines) continue;
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;  // C1 in UTF-8
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = fuzz::text_of(bytes, size);
  const std::string line = printable(text), lines = printable(text, true);
  fuzz::must(!holds_control(line, false), "a line on the terminal holds no control code");
  fuzz::must(!holds_control(lines, true), "text on the terminal holds no control code but newlines");
  for (const std::string& part : wrap(line, 40)) fuzz::must(display_width(part) <= 40, "a wrapped line is no wider than asked");
  fuzz::must(display_width(cut(line, 20)) <= 20, "a cut text is no wider than asked");
  Html page;
  page.text(text);
  const std::string html = page.take();
  fuzz::must(html.find_first_of("<>\"") == html.npos, "text in the page opens no tag and ends no attribute");
  Html element;
  element.element("td", text, {{"title", std::string(text)}});
  const std::string cell = element.take();
  fuzz::must(cell.rfind("<td title=\"", 0) == 0 && cell.find('"', 11) == cell.find("\">"), "an attribute ends where it should");
  return 0;
}
