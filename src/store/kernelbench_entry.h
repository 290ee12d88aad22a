// SPDX-License-Identifier: MIT
// What kbv saw, in KernelBench's words: an entry of eval_results.json, a baseline of results/timing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "score/protocol.h"
#include "store/campaign.h"

namespace kbv {

enum class ResultsFormat {
  kernelbench,  ///< one file: the verdict of the protocol
  verified,     ///< KernelBench-Verified's: what passes the standard trials, and beside it (`hidden_rules`) what passes
                ///< all
};

/// The protocol without inputs other than the problem's own: what KernelBench-Verified's eval_results.json means.
Protocol standard_rules(const Protocol& protocol);
/// The protocol with D1 to D4: what its eval_results_hidden.json means.
Protocol hidden_rules(const Protocol& protocol);

/// The entry of one sample under `protocol`, which is judged here. `result` says of what (run, level, number, sample,
/// tests); compiled, correct, runtime [ms], peak and json are filled. Nothing if the verdict is none on the candidate
/// (a machine's or a problem's fault): KernelBench has no entry then either; `verdict_code` says which.
std::optional<RecordedResult> entry_of(RecordedResult result, const Observation& observation, const Protocol& protocol,
                                       ResultsFormat format, std::string& verdict_code);

/// Collects what the observations of many candidates say of PyTorch itself, problem by problem.
class BaselineCollector {
 public:
  /// `problem`: its file's name without ".py".
  void add(int level, const std::string& problem, const Observation& observation);
  /// For each hardware, configuration and problem the median over observations of the baseline's time of one call, as
  /// `mean` [ms]: the name that KernelBench's scripts divide by `runtime`. `hardware` is the device's name with '_' for
  /// what is no letter or digit.
  std::vector<RecordedBaseline> take() const;

 private:
  struct Seen {
    std::string device;
    bool cuda = false;
    std::vector<double> times_ms, peaks_bytes;
    std::size_t samples = 0;
  };
  struct Key {
    std::string hardware, name;
    int level = 0;
    std::string problem;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, Seen> seen_;
};

}  // namespace kbv
