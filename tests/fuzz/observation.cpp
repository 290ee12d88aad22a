// SPDX-License-Identifier: MIT
// An observation from a file: what is read is written and reads the same, and every rule of the protocols can judge it.
#include "store/observation_json.h"

#include "fuzz.h"
#include "score/protocol.h"

using namespace kbv;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto read = observation_from_json(fuzz::text_of(bytes, size), "fuzz");
  if (!read) return 0;
  for (const char* name : {"attested", "verified", "kernelbench"}) static_cast<void>(judge_observation(*read, *find_protocol(name)));
  const std::string once = observation_to_json(*read, {}, JsonLayout::compact);
  const auto again = observation_from_json(once, "fuzz");
  fuzz::must(again.has_value(), "an observation that was written can be read");
  fuzz::must(observation_to_json(*again, {}, JsonLayout::compact) == once, "an observation reads as it was written");
  return 0;
}
