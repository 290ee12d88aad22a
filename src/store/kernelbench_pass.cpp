// SPDX-License-Identifier: MIT
#include "store/kernelbench_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "score/leaderboard.h"

namespace kbv {
namespace {

using Json = nlohmann::ordered_json;

struct Samples {
  int all = 0, correct = 0;
};

Json entry_of(const Samples& samples, const std::vector<int>& attempts) {
  Json entry = {{"total_samples", samples.all}, {"correct_samples", samples.correct}};
  for (const int wanted : attempts) {
    const int k = std::min(wanted, samples.all);
    entry[fmt::format("pass@{}", k)] = pass_at(k, samples.all, samples.correct);
  }
  return entry;
}

}  // namespace

std::optional<std::string> write_pass_at_k(const std::vector<RecordedResult>& results, std::vector<int> attempts) {
  std::map<int, Samples> problems;
  int most = 0, correct = 0;
  for (const RecordedResult& result : results) {
    Samples& samples = problems[result.number];
    most = std::max(most, ++samples.all);
    samples.correct += result.compiled && result.correct;
    correct += result.compiled && result.correct;
  }
  if (most < 2) return std::nullopt;
  std::erase_if(attempts, [&](int k) { return k > most; });
  Json averages = Json::object(), entries = Json::object();
  Json metadata = {{"total_problems", problems.size()},
                   {"problems_with_samples", problems.size()},
                   {"total_evaluated_samples", results.size()},
                   {"total_correct_samples", correct}};
  for (const auto& [number, samples] : problems) entries[std::to_string(number)] = entry_of(samples, attempts);
  for (const int k : attempts) {
    const std::string name = fmt::format("pass@{}", k);
    double sum = 0;
    int count = 0;
    for (const auto& [number, entry] : entries.items())
      if (const auto found = entry.find(name); found != entry.end()) {
        sum += found->get<double>();
        ++count;
      }
    averages["avg_" + name] = sum / static_cast<double>(problems.size());
    metadata[name + "_count"] = count;
  }
  return json_text(Json{{"averages", averages}, {"metadata", metadata}, {"problems", entries}}, 2) + "\n";
}

}  // namespace kbv
