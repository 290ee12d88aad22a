// SPDX-License-Identifier: MIT
#include "mutator.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace kbv::fuzz {
namespace {

constexpr std::size_t k_longest = 65'536;  // as scripts/fuzz.sh's
constexpr int k_most_changes = 6;

/// splitmix64: enough for this, and the same on every machine.
class Dice {
 public:
  explicit Dice(std::uint64_t state) : state_(state) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// 0 to count - 1; 0 if there is none.
  std::size_t below(std::size_t count) { return count == 0 ? 0 : static_cast<std::size_t>(next() % count); }
  /// Short ones are more likely: most faults need little.
  std::size_t length(std::size_t longest) { return below(std::min(longest, std::size_t{1} << below(17)) + 1); }
  template <typename Texts>
  std::string_view one_of(const Texts& texts) {
    return texts[below(std::size(texts))];
  }

 private:
  std::uint64_t state_;
};

using namespace std::string_view_literals;

// What formats and readers trip over.
constexpr std::string_view k_words[] = {"\0"sv,
                                        "\0\0\0\0"sv,
                                        "\xff\xff\xff\xff",
                                        "\x7f",
                                        "\n",
                                        "\r\n",
                                        "\t",
                                        " ",
                                        ",",
                                        ":",
                                        "\"",
                                        "'",
                                        "\\",
                                        "\\u0000",
                                        "\\ud800",
                                        "\\u",
                                        "\\x",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        "[[[[[[[[[[[[[[[[",
                                        "{\"a\":{\"a\":{\"a\":",
                                        "null",
                                        "true",
                                        "false",
                                        "NaN",
                                        "-Infinity",
                                        "Infinity",
                                        "{}",
                                        "[]",
                                        "\"\"",
                                        "\"\":",
                                        "#",
                                        "-",
                                        "- ",
                                        "~",
                                        "/*",
                                        "*/",
                                        "//",
                                        "R\"(",
                                        ")\"",
                                        "<",
                                        ">",
                                        "<<<",
                                        ">>>",
                                        "<script>",
                                        "&amp;",
                                        "../",
                                        "%s%n",
                                        "\x1b[31m",
                                        "\x1b]8;;",
                                        "\xc2\x9b",
                                        "\xe2\x80\xae",
                                        "\xe2\x80\xa8",
                                        "\xed\xa0\x80",
                                        "\xf4\x90\x80\x80",
                                        "\xc0\x80",
                                        "\xe4\xb8",
                                        "\xef\xbb\xbf",
                                        "__proto__"};
constexpr std::string_view k_numbers[] = {"0",
                                          "-0",
                                          "-1",
                                          "1",
                                          "127",
                                          "128",
                                          "255",
                                          "256",
                                          "32767",
                                          "32768",
                                          "65535",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "-2147483648",
                                          "-2147483649",
                                          "4294967295",
                                          "4294967296",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "-9223372036854775808",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "1e308",
                                          "1e309",
                                          "-1e999",
                                          "1e-400",
                                          "0.1",
                                          "00",
                                          "1e",
                                          "0x10",
                                          "99999999999999999999999999999999999999"};
constexpr std::uint64_t k_integers[] = {0,
                                        1,
                                        0x7f,
                                        0x80,
                                        0xff,
                                        0x100,
                                        0x7fff,
                                        0x8000,
                                        0xffff,
                                        0x7fffffff,
                                        0x80000000u,
                                        0xffffffffu,
                                        ~std::uint64_t{0} >> 1,
                                        std::uint64_t{1} << 63,
                                        ~std::uint64_t{0}};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The digits around or behind `at`, which are then a number's.
std::pair<std::size_t, std::size_t> number_near(const std::string& text, std::size_t at) {
  std::size_t begin = at;
  while (begin < text.size() && !is_digit(text[begin])) ++begin;
  while (begin > 0 && begin < text.size() && is_digit(text[begin - 1])) --begin;
  std::size_t end = begin;
  while (end < text.size() && is_digit(text[end])) ++end;
  return {begin, end - begin};
}

void put_integer(std::string& text, Dice& dice) {
  const std::uint64_t value = k_integers[dice.below(std::size(k_integers))] + dice.below(3) - 1;
  const std::size_t bytes = std::size_t{1} << dice.below(4);
  if (text.size() < bytes) return;
  const std::size_t at = dice.below(text.size() - bytes + 1);
  const bool big = dice.below(2) == 0;
  for (std::size_t i = 0; i < bytes; ++i) text[at + i] = static_cast<char>(value >> (8 * (big ? bytes - 1 - i : i)));
}

}  // namespace

Mutator::Mutator(std::vector<std::string> corpus, std::uint64_t seed) : corpus_(std::move(corpus)), seed_(seed) {
  std::set<std::string> words;
  for (const std::string& text : corpus_)
    for (std::size_t at = 0; at < text.size() && words.size() < 2000;) {
      std::size_t end = at;
      while (end < text.size() && end - at < 40 &&
             (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
      if (end - at >= 3) words.insert(text.substr(at, end - at));
      at = std::max(end, at + 1);
    }
  dictionary_.assign(words.begin(), words.end());
  dictionary_.insert(dictionary_.end(), std::begin(k_words), std::end(k_words));
}

std::string Mutator::input(std::uint64_t number) const {
  Dice dice(seed_ ^ (number * 0xD1342543DE82EF95u));
  std::string text = corpus_[dice.below(corpus_.size())];
  for (std::size_t changes = 1 + dice.below(k_most_changes); changes > 0; --changes) {
    const std::size_t at = dice.below(text.size() + 1), rest = text.size() - at;
    switch (dice.below(11)) {
      case 0:  // a bit
        if (rest > 0) text[at] = static_cast<char>(text[at] ^ (1 << dice.below(8)));
        break;
      case 1:  // a byte
        if (rest > 0) text[at] = static_cast<char>(dice.below(256));
        break;
      case 2:  // bytes that are not there
        text.erase(at, dice.length(rest));
        break;
      case 3:  // cut off
        if (dice.below(3) == 0) text.erase(at);
        break;
      case 4: {  // said again, here or elsewhere, perhaps often
        const std::string part = text.substr(at, dice.length(rest));
        const std::size_t to = dice.below(text.size() + 1);
        for (std::size_t times = std::size_t{1} << dice.below(6); times > 0 && text.size() + part.size() <= k_longest;
             --times)
          text.insert(to, part);
        break;
      }
      case 5: {  // the beginning of one and the end of another
        const std::string& other = corpus_[dice.below(corpus_.size())];
        text = text.substr(0, at) + other.substr(dice.below(other.size() + 1));
        break;
      }
      case 6:  // a word more
        text.insert(at, dice.one_of(dictionary_));
        break;
      case 7: {  // a word in place of what stands there
        const std::string_view word = dice.one_of(dictionary_);
        text.replace(at, dice.below(2) == 0 ? word.size() : dice.length(rest), word);
        break;
      }
      case 8: {  // another number
        const auto [begin, length] = number_near(text, at);
        text.replace(begin, length, dice.one_of(k_numbers));
        break;
      }
      case 9:
        put_integer(text, dice);
        break;
      default: {  // anything
        std::string noise(1 + dice.below(8), '\0');
        for (char& c : noise) c = static_cast<char>(dice.below(256));
        text.insert(at, noise);
      }
    }
    if (text.size() > k_longest) text.resize(k_longest);
  }
  return text;
}

}  // namespace kbv::fuzz
