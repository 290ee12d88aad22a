// SPDX-License-Identifier: MIT
// JSON as Python writes it: what is read lies inside the text, and within the stated bounds.
#include "store/python_json.h"

#include "fuzz.h"

using namespace kbv;

namespace {

void look_at(const PythonJson& value, std::string_view whole, int depth, std::size_t& values) {
  fuzz::must(depth <= k_python_json_depth + 1, "values nest no deeper than the bound");
  fuzz::must(++values <= k_python_json_values, "there are no more values than the bound");
  fuzz::must(value.text.data() >= whole.data() && value.text.data() + value.text.size() <= whole.data() + whole.size(), "a value's text lies in the whole");
  fuzz::must(value.keys.empty() || value.keys.size() == value.items.size(), "each value of an object has a key");
  for (const auto& item : value.items) look_at(item, whole, depth + 1, values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = fuzz::text_of(bytes, size);
  const auto parsed = parse_python_json(text, "fuzz");
  std::size_t values = 0;
  if (parsed) look_at(*parsed, text, 0, values);
  else fuzz::must(parsed.error().fault == Fault::usage, "what can't be read is the user's input");
  return 0;
}
