// SPDX-License-Identifier: MIT
// A candidate's CUDA text under the rules of the static look; and the same bytes as an answer of the look's helper,
// which whoever wrote the candidate may have taken over.
#include "fuzz.h"
#include "look/cuda_tokens.h"
#include "look/helper_answer.h"
#include "look/rules.h"

using namespace kbv;

namespace {

void check(const SourceLabels& labels) {
  fuzz::must(labels.labels.size() <= k_max_labels, "the labels are bounded");
  fuzz::must(labels.why.size() <= k_max_look_why, "the reason is bounded");
  int last = 1;
  for (const SourceLabel& label : labels.labels) {
    fuzz::must(find_look_rule(label.rule) != nullptr, "a label's rule is in the table");
    fuzz::must(label.detail.size() <= k_max_label_detail, "a detail is bounded");
    fuzz::must(label.line >= last && label.column >= 0, "labels are in order of lines, from 1");
    last = label.line;
  }
  for (const auto& [rule, count] : labels.left_out)
    fuzz::must(find_look_rule(rule) != nullptr && count > 0, "what was left out has a rule");
}

void tokens(std::string_view text) {
  const CudaTokens all(text);
  fuzz::must(all.all().size() <= k_max_look_tokens, "the tokens are bounded");
  std::size_t last = 0;
  for (const LookToken& token : all.all()) {
    fuzz::must(token.offset >= last && token.offset < text.size() && token.text_offset <= text.size(),
               "tokens are in order and inside");
    last = token.offset;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = fuzz::text_of(bytes, size);
  tokens(text);
  LabelCollector collector;
  look_at_cuda({std::string(text), {{size / 2, 7, 3}}}, collector);
  fuzz::must(collector.unknown_rules() == 0, "the rules on text are in the table");
  SourceLabels labels;
  collector.finish(labels);
  check(labels);
  if (const auto answer = read_helper_answer(text)) check(conclude_look(*answer));
  return 0;
}
