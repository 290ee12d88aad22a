// SPDX-License-Identifier: MIT
#include "report/web_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/printable.h"
#include "base/secret.h"

namespace kbv {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view k_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < here ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= here ? k_digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace

void Html::escaped(std::string_view text) {
  for (const char c : visible(text)) {
    switch (c) {
      case '&':
        out_ += "&amp;";
        break;
      case '<':
        out_ += "&lt;";
        break;
      case '>':
        out_ += "&gt;";
        break;
      case '"':
        out_ += "&quot;";
        break;
      case '\'':
        out_ += "&#39;";
        break;
      default:
        out_ += c;
    }
  }
}

Html& Html::raw(Markup markup) {
  out_ += markup.text();
  return *this;
}

Html& Html::text(std::string_view text) {
  escaped(text);
  return *this;
}

Html& Html::open(Markup tag, std::initializer_list<Attribute> attributes) {
  out_ += '<';
  out_ += tag.text();
  for (const Attribute& attribute : attributes) {
    out_ += ' ';
    out_ += attribute.name.text();
    out_ += "=\"";
    escaped(attribute.value);
    out_ += '"';
  }
  out_ += '>';
  return *this;
}

Html& Html::close(Markup tag) {
  out_ += "</";
  out_ += tag.text();
  out_ += '>';
  return *this;
}

Html& Html::element(Markup tag, std::string_view content, std::initializer_list<Attribute> attributes) {
  return open(tag, attributes).text(content).close(tag);
}

Html& Html::candidate_link(std::int64_t id, std::string_view content, std::string_view title) {
  out_ += fmt::format("<a href=\"#c{}\"", id);
  if (!title.empty()) {
    out_ += " title=\"";
    escaped(title);
    out_ += '"';
  }
  out_ += '>';
  escaped(content);
  out_ += "</a>";
  return *this;
}

Html& Html::data(Markup id_prefix, std::string_view id, const JsonText& json) {
  open("script type=\"application/json\"", {{"id", std::string(id_prefix.text()) + std::string(id)}});
  out_ += json.json();
  out_ += "</script>\n";
  return *this;
}

Html& Html::own_style(std::string_view css) {
  out_ += fmt::format("<style>{}</style>\n", css);
  return *this;
}

Html& Html::own_script(std::string_view js) {
  out_ += fmt::format("<script>{}</script>\n", js);
  return *this;
}

void JsonText::separate() {
  if (!out_.empty() && out_.back() != '[' && out_.back() != '{' && out_.back() != ':') out_ += ',';
}

JsonText& JsonText::begin(char bracket) {
  separate();
  out_ += bracket;
  return *this;
}

JsonText& JsonText::end(char bracket) {
  out_ += bracket;
  return *this;
}

JsonText& JsonText::key(Markup name) {
  text(name.text());
  out_ += ':';
  return *this;
}

JsonText& JsonText::text(std::string_view text, std::size_t limit_bytes) {
  separate();
  out_ += '"';
  for (const char c : visible(text, limit_bytes)) {
    switch (c) {
      case '"':
        out_ += "\\\"";
        break;
      case '\\':
        out_ += "\\\\";
        break;
      case '\n':
        out_ += "\\n";
        break;
      case '\t':
        out_ += "\\t";
        break;
      case '<':
        out_ += "\\u003c";
        break;
      case '>':
        out_ += "\\u003e";
        break;
      case '&':
        out_ += "\\u0026";
        break;
      default:
        out_ += c;
    }
  }
  out_ += '"';
  return *this;
}

JsonText& JsonText::number(double value) {
  separate();
  out_ += std::isfinite(value) ? fmt::format("{:.4g}", value) : "null";
  return *this;
}

JsonText& JsonText::number(const std::optional<double>& value) { return value ? number(*value) : null(); }

JsonText& JsonText::whole(std::int64_t value) {
  separate();
  out_ += fmt::format("{}", value);
  return *this;
}

JsonText& JsonText::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonText& JsonText::null() {
  separate();
  out_ += "null";
  return *this;
}

std::string policy_hash(std::string_view bytes) {
  const std::string hex = sha256_hex(bytes);
  std::string digest;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    digest += static_cast<char>(static_cast<unsigned char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return "sha256-" + base64(digest);
}

std::string content_security_policy(std::string_view css, std::string_view js) {
  return fmt::format("default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
                     policy_hash(css), policy_hash(js));
}

}  // namespace kbv
