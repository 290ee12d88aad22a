// SPDX-License-Identifier: MIT
// A run's generation_config.yaml: what was read, written as strings, reads the same.
#include "problem/flat_yaml.h"

#include "fuzz.h"

using namespace kbv;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto read = read_flat_yaml(fuzz::text_of(bytes, size), "fuzz");
  if (!read) return 0;
  // Keys come from programs; values may be anything.
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& [key, value] : *read)
    if (!key.empty() && key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == key.npos) values.emplace_back(key, value);
  const auto again = read_flat_yaml(write_flat_yaml(values, {}), "fuzz");
  fuzz::must(again.has_value(), "what was written can be read");
  for (const auto& [key, value] : values) fuzz::must(again->count(key) && again->at(key) == value, "a value reads as it was written");
  return 0;
}
