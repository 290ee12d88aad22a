// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace kbv::test {

/// What a candidate, a run, a file or a log may be called, or say, to become a part of what shows it: of a page, a
/// terminal, a table, a script, a path. The test of each sink goes through all of them.
inline const std::vector<std::string>& hostile_texts() {
  using namespace std::string_literals;
  static const std::vector<std::string> texts{
      "</script><script>document.documentElement.dataset.owned='script'</script>",
      "<img src=x onerror=\"document.documentElement.dataset.owned='img'\">",
      "<!--<script>",
      "]]><svg onload=document.documentElement.dataset.owned='svg'>",
      "javascript:document.documentElement.dataset.owned='link'",
      "\" onmouseover=\"document.documentElement.dataset.owned='attribute'\" x=\"",
      "' autofocus onfocus='document.documentElement.dataset.owned=1' x='",
      "&lt;b&gt; &amp;#60;script&#62;",
      "</title></style></textarea></noscript><base href=//example.invalid><form action=//example.invalid><meta "
      "http-equiv=refresh content=0>",
      "{{constructor.constructor('document.documentElement.dataset.owned=1')()}} ${1+1}",
      "\u202Egnp.eman\u202C \u2066isolated\u2069 \u200Bzero\u200Dwidth \uFEFF \u2028 \u2029",
      "nul\0nul \x01 \x1b[31mred\x1b[0m \x7f \x80\xff\xc3( \xed\xa0\x80 \xf4\x90\x80\x80"s,
      "__proto__",
      "constructor",
      "\\u003cscript\\u003e \\",
      "\U000E0041\U000E0042 tags \u00AD \u3164",
      "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\ \x1b[2J\x1b]0;title\x07 \u009b31m \u0085next",
      "=HYPERLINK(\"https://evil.example\",\"click\")",
      "+cmd|' /C calc'!A0",
      "-2+3",
      "@SUM(1)",
      "\t=1+1",
      "\r\n=1+1",
      " =1+1",
      "\uFF1D1+1",
      "a;=1+1",
      "a | b || \\| c\n| d |",
      "`code` ```\nfence\n``` ~~~",
      "![i](https://evil.example/i.png) [l](javascript:alert(1)) <https://evil.example> www.evil.example @somebody "
      "a@b.example #1",
      "# heading\n- list\n---\n> quote",
      "\"\"\"\nimport os; os.abort()\n\"\"\"",
      "'''\\\nimport os; os.abort()  # \u2028import os; os.abort()",
      "../../escaped",
      "/etc/escaped",
      "..",
      "a/../../b",
      "C:\\evil\\x.py",
      "NUL",
      "name. ",
      "-rf",
      "\xff\xfe/invalid",
      std::string(5000, 'x'),
      std::string(199, 'x') + "\u4e2d\u6587",
  };
  return texts;
}

}  // namespace kbv::test
