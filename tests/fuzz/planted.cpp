// SPDX-License-Identifier: MIT
// A target with a fault, for burst_test.sh: what a burst must find, and no corpus holds. PLANTED names the kind.
#include <cctype>
#include <cstring>
#include <string>

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = kbv::fuzz::text_of(bytes, size);
  const char* named = std::getenv("PLANTED");
  const std::string_view kind = named ? named : "";
  const std::size_t at = text.find("count=");
  const bool found = at != text.npos && text.substr(at + 6).starts_with("2147483648");
  if (kind == "promise") kbv::fuzz::must(!found, "a count fits");
  if (kind == "hang")
    while (found) static_cast<void>(std::getenv("PLANTED"));
  if (kind == "exit" && found) std::exit(3);
  // What only a sanitizer sees: one byte past the end of a copy, where the text does not end as it should.
  if (kind == "overrun" && size > 0) {
    const std::string copy(text);
    char* cut = new char[size];
    std::memcpy(cut, copy.data(), size);
    std::size_t end = 0;
    while (cut[end] != ';') ++end;
    delete[] cut;
  }
  return 0;
}
