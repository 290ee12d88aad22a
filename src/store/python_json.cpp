// SPDX-License-Identifier: MIT
#include "store/python_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace kbv {
namespace {

constexpr std::size_t k_digits_limit = 1000;  // of one number: no measurement has more

/// Length of the UTF-8 character at the start of `text`; 0 if there is none: cut off, overlong, a surrogate, beyond
/// U+10FFFF.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool allowed = (first != 0xe0 || second >= 0xa0) && (first != 0xed || second < 0xa0) &&
                       (first != 0xf0 || second >= 0x90) && (first != 0xf4 || second < 0x90);
  return allowed ? length : 0;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Result<PythonJson> whole() {
    if (text_.size() > k_python_json_bytes) return wrong("larger than a file of results can be");
    PythonJson value;
    KBV_TRY(read(value, 0));
    skip_space();
    if (at_ != text_.size()) return wrong("something follows the end");
    return value;
  }

 private:
  tl::unexpected<Error> wrong(const std::string& what) const {
    return fail(Fault::usage, "bad_json", fmt::format("{}: not JSON at byte {}: {}", where_, at_, what));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Result<void> read(PythonJson& value, int depth) {
    if (depth > k_python_json_depth) return wrong(fmt::format("nested deeper than {}", k_python_json_depth));
    if (++values_ > k_python_json_values) return wrong(fmt::format("more than {} values", k_python_json_values));
    skip_space();
    const std::size_t begin = at_;
    KBV_TRY(read_after_space(value, depth));
    value.text = text_.substr(begin, at_ - begin);
    return {};
  }

  Result<void> read_after_space(PythonJson& value, int depth) {
    using Kind = PythonJson::Kind;
    using Limits = std::numeric_limits<double>;
    if (at_ == text_.size()) return wrong("it ends too early");
    const auto number = [&](double what) {
      value.kind = Kind::number;
      value.number = what;
    };
    switch (text_[at_]) {
      case '{':
        return read_object(value, depth);
      case '[':
        return read_array(value, depth);
      case '"':
        value.kind = Kind::string;
        return read_string(value.string);
      default:
        break;
    }
    if (take("null")) return {};
    if (take("NaN")) return number(Limits::quiet_NaN()), Result<void>{};
    if (take("Infinity")) return number(Limits::infinity()), Result<void>{};
    if (take("-Infinity")) return number(-Limits::infinity()), Result<void>{};
    value.truth = text_[at_] == 't';
    if (take("true") || take("false")) return value.kind = Kind::boolean, Result<void>{};
    return read_number(value);
  }

  Result<void> read_number(PythonJson& value) {
    const std::size_t begin = at_;
    const auto digits = [&] {
      const std::size_t first = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      return at_ - first;
    };
    take("-");
    const bool zero = at_ < text_.size() && text_[at_] == '0';
    const std::size_t whole = digits();
    if (whole == 0) return at_ = begin, wrong("expected a value");
    if (zero && whole > 1) return wrong("a number begins with 0");
    if (take(".") && digits() == 0) return wrong("a number ends at its point");
    if (take("e") || take("E")) {
      if (!take("+")) take("-");
      if (digits() == 0) return wrong("a number has an empty exponent");
    }
    if (at_ - begin > k_digits_limit)
      return at_ = begin, wrong(fmt::format("a number of more than {} characters", k_digits_limit));
    value.kind = PythonJson::Kind::number;
    const std::string_view token = text_.substr(begin, at_ - begin);
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value.number);
    // from_chars does not say on which side a number is out of range; strtod does.
    if (error == std::errc::result_out_of_range) value.number = std::strtod(std::string(token).c_str(), nullptr);
    return {};
  }

  Result<std::uint32_t> read_hex4() {
    std::uint32_t code = 0;
    if (text_.size() - at_ < 4) return wrong("a \\u without four digits");
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
    if (error != std::errc() || end != text_.data() + at_ + 4) return wrong("a \\u without four digits");
    at_ += 4;
    return code;
  }

  Result<void> read_escape(std::string& out) {
    if (at_ == text_.size()) return wrong("a string without an end");
    const char kind = text_[at_++];
    constexpr std::string_view k_letters = "\"\\/bfnrt", k_meant = "\"\\/\b\f\n\r\t";
    if (const auto found = k_letters.find(kind); found != std::string_view::npos)
      return out += k_meant[found], Result<void>{};
    if (kind != 'u') return --at_, wrong("an unknown escape");
    KBV_TRY_ASSIGN(std::uint32_t code, read_hex4());
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
      const std::size_t before = at_;
      at_ += 2;
      KBV_TRY_ASSIGN(const std::uint32_t low, read_hex4());
      if (low >= 0xdc00 && low < 0xe000)
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      else
        at_ = before;
    }
    append_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    return {};
  }

  Result<void> read_string(std::string& out) {
    ++at_;
    while (true) {
      if (at_ == text_.size()) return wrong("a string without an end");
      const char c = text_[at_];
      if (c == '"') return ++at_, Result<void>{};
      if (static_cast<unsigned char>(c) < 0x20) return wrong("a control character in a string");
      if (c == '\\') {
        ++at_;
        KBV_TRY(read_escape(out));
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(at_, 4));
      if (length == 0) return wrong("not UTF-8");
      out.append(text_.substr(at_, length));
      at_ += length;
    }
  }

  Result<void> read_array(PythonJson& value, int depth) {
    value.kind = PythonJson::Kind::array;
    ++at_;
    skip_space();
    if (take("]")) return {};
    while (true) {
      KBV_TRY(read(value.items.emplace_back(), depth + 1));
      skip_space();
      if (take("]")) return {};
      if (!take(",")) return wrong("expected ',' or ']'");
    }
  }

  Result<void> read_object(PythonJson& value, int depth) {
    value.kind = PythonJson::Kind::object;
    ++at_;
    skip_space();
    if (take("}")) return {};
    while (true) {
      skip_space();
      if (at_ == text_.size() || text_[at_] != '"') return wrong("expected a name");
      KBV_TRY(read_string(value.keys.emplace_back()));
      skip_space();
      if (!take(":")) return wrong("expected ':'");
      KBV_TRY(read(value.items.emplace_back(), depth + 1));
      skip_space();
      if (take("}")) return {};
      if (!take(",")) return wrong("expected ',' or '}'");
    }
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0, values_ = 0;
};

}  // namespace

const PythonJson* PythonJson::find(std::string_view key) const {
  for (std::size_t i = keys.size(); i-- > 0;)
    if (keys[i] == key) return &items[i];
  return nullptr;
}

std::optional<std::string> PythonJson::repeated_key() const {
  std::vector<std::string_view> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end());
  const auto found = std::adjacent_find(sorted.begin(), sorted.end());
  return found == sorted.end() ? std::nullopt : std::optional(std::string(*found));
}

const char* to_string(PythonJson::Kind kind) {
  switch (kind) {
    case PythonJson::Kind::null:
      return "null";
    case PythonJson::Kind::boolean:
      return "true or false";
    case PythonJson::Kind::number:
      return "a number";
    case PythonJson::Kind::string:
      return "a string";
    case PythonJson::Kind::array:
      return "a list";
    case PythonJson::Kind::object:
      return "an object";
  }
  return "?";
}

Result<PythonJson> parse_python_json(std::string_view text, const std::string& where) {
  return Parser(text, where).whole();
}

}  // namespace kbv
