// SPDX-License-Identifier: MIT
// KernelBench's files of results and baselines: what was read can be written, and reads the same again.
#include "store/kernelbench_results.h"

#include "fuzz.h"

using namespace kbv;

namespace {

void results(std::string_view text) {
  const ResultsSource source{"run", 1, "standard", "fuzz"};
  const auto first = read_results(text, source);
  if (!first || first->results.empty()) return;
  // A file holds one harness's.
  std::vector<RecordedResult> one;
  for (const auto& result : first->results)
    if (result.harness == first->results.front().harness) one.push_back(result);
  const std::size_t count = one.size();
  const auto written = write_results(std::move(one));
  if (!written) return;
  const auto second = read_results(*written, source);
  fuzz::must(second.has_value(), "what was written can be read");
  fuzz::must(second->results.size() == count, "nothing is lost when it is written");
}

void baselines(std::string_view text) {
  const auto first = read_baselines(text, "GPU", "torch", "fuzz");
  if (!first || first->baselines.empty()) return;
  const std::size_t count = first->baselines.size();
  const auto written = write_baselines(first->baselines);
  if (!written) return;
  const auto second = read_baselines(*written, "GPU", "torch", "fuzz");
  fuzz::must(second && second->baselines.size() == count, "baselines that were written read the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  results(fuzz::text_of(bytes, size));
  baselines(fuzz::text_of(bytes, size));
  return 0;
}
