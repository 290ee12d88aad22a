// SPDX-License-Identifier: MIT
// A candidate's CUDA source as tokens: in order, apart, inside the source.
#include "mutate/tokens.h"

#include "fuzz.h"

using namespace kbv;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto source = fuzz::text_of(bytes, size);
  const auto tokens = tokenise(source);
  if (!tokens) return 0;
  fuzz::must(tokens->size() <= k_max_tokens, "the tokens are bounded");
  std::size_t last = 0;
  for (const Token& token : *tokens) {
    fuzz::must(token.begin >= last && token.end > token.begin && token.end <= source.size(), "tokens are in order, apart and inside");
    last = token.end;
  }
  static_cast<void>(normalised(source, *tokens));
  return 0;
}
