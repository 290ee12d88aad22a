// SPDX-License-Identifier: MIT
// The only two ways by which text gets into a web page. Markup is what the compiler saw as a literal: nothing that is
// made at run time can be it, so text that was not escaped does not compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace kbv {

/// A literal of this source code.
class Markup {
 public:
  template <std::size_t N>
  consteval Markup(const char (&literal)[N]) : text_(literal, N - 1) {}  // NOLINT: implicit on purpose
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// The name of an attribute whose value may be any text. Not one that a browser runs, follows or reads as style: those
/// do not compile.
class AttributeName {
 public:
  template <std::size_t N>
  consteval AttributeName(const char (&literal)[N]) : text_(literal, N - 1) {  // NOLINT: implicit on purpose
    const auto starts = [&](std::string_view what) { return text_.substr(0, what.size()) == what; };
    const bool known = starts("data-") || starts("aria-") || text_ == "class" || text_ == "id" || text_ == "title" ||
                       text_ == "scope" || text_ == "lang" || text_ == "headers" || text_ == "x" || text_ == "y" ||
                       text_ == "x1" || text_ == "x2" || text_ == "y1" || text_ == "y2" || text_ == "cx" ||
                       text_ == "cy" || text_ == "r" || text_ == "d" || text_ == "width" || text_ == "height" ||
                       text_ == "viewBox" || text_ == "text-anchor" || text_ == "colspan" || text_ == "rowspan" ||
                       text_ == "points" || text_ == "transform" || text_ == "role";
    if (!known) throw "an attribute that text must not get into";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

struct Attribute {
  AttributeName name;
  std::string value;
};

/// HTML and SVG. What is opened must be closed by the caller.
class Html {
 public:
  Html& raw(Markup markup);
  Html& text(std::string_view text);  ///< visible(), and escaped
  Html& open(Markup tag, std::initializer_list<Attribute> attributes = {});
  Html& close(Markup tag);
  /// <tag attributes>text</tag>
  Html& element(Markup tag, std::string_view text, std::initializer_list<Attribute> attributes = {});
  /// A link into the page: to the candidate of that number.
  Html& candidate_link(std::int64_t id, std::string_view text, std::string_view title = {});
  /// A data block that the page's own script reads; `json` is a JsonText's, which holds nothing that ends the block.
  Html& data(Markup id_prefix, std::string_view id, const class JsonText& json);
  /// Files of our own that were embedded at build time (kbv_embed), never anything else.
  Html& own_style(std::string_view css);
  Html& own_script(std::string_view js);

  std::string take() { return std::move(out_); }
  std::size_t size() const { return out_.size(); }

 private:
  void escaped(std::string_view text);
  std::string out_;
};

/// JSON, fit for a <script type="application/json">: <, >, & are escapes, and text is visible(), so U+2028 never
/// occurs.
class JsonText {
 public:
  JsonText& begin_array() { return begin('['); }
  JsonText& end_array() { return end(']'); }
  JsonText& begin_object() { return begin('{'); }
  JsonText& end_object() { return end('}'); }
  JsonText& key(Markup name);
  JsonText& text(std::string_view text, std::size_t limit_bytes = ~std::size_t{0});  ///< of longer text, the beginning
  JsonText& number(double value);  ///< four significant digits; null if it is not finite
  JsonText& number(const std::optional<double>& value);
  JsonText& whole(std::int64_t value);
  JsonText& boolean(bool value);
  JsonText& null();

  const std::string& json() const { return out_; }

 private:
  JsonText& begin(char bracket);
  JsonText& end(char bracket);
  void separate();
  std::string out_;
};

/// The value of a Content-Security-Policy under which nothing runs, shows or loads but this style and this script.
std::string content_security_policy(std::string_view css, std::string_view js);

/// "sha256-" and the hash of `bytes` in Base64, as such a policy names a script.
std::string policy_hash(std::string_view bytes);

}  // namespace kbv
