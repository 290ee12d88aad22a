// SPDX-License-Identifier: MIT
// Made-up campaigns: as many candidates as asked for, of honest, wrong, broken and hostile kinds, without a GPU. The
// same number gives the same campaign.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../hostile.h"
#include "base/secret.h"
#include "scenarios.h"
#include "store/campaign.h"

namespace kbv::test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x632BE59BD9B4E019u) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(unit() * static_cast<double>(count)); }
  double normal() { return std::sqrt(-2 * std::log(unit() + 1e-12)) * std::cos(6.283185307179586 * unit()); }

 private:
  std::uint64_t state_;
};

/// About 4 KiB of a plausible extension, of its own for each number.
inline std::string made_source(std::uint64_t number) {
  Dice dice(number);
  std::string source =
      "import torch\nimport torch.nn as nn\nfrom torch.utils.cpp_extension import load_inline\n\nsource = "
      "r'''\n#include <torch/extension.h>\n\n"
      "template <typename T> __global__ void forward(const T* __restrict__ x, T* y, int n) {\n";
  const std::array words{"float4 v = reinterpret_cast<const float4*>(x)[i];",
                         "acc += a[k] * b[k];",
                         "__syncthreads();",
                         "if (i < n && j < n) {",
                         "tile[threadIdx.y][threadIdx.x] = x[i * n + j];",
                         "y[i] = fmaxf(acc, 0.f);",
                         "#pragma unroll",
                         "}"};
  while (source.size() < 3900)
    source += fmt::format("  {}{}  // {}\n", std::string(2 * dice.below(4), ' '), words[dice.below(words.size())],
                          dice.next() % 100000);
  return source +
         "}\n'''\n\nmodule = load_inline(name='m', cpp_sources='', cuda_sources=source, functions=['forward'])\n\n\n"
         "class ModelNew(nn.Module):\n    def forward(self, x):\n        return module.forward(x)\n";
}

/// An evaluation of `kind` 0 to 9 (8 and 9 are right); `speed` and `memory` are roughly what the ratios become.
inline Observation made_observation(int kind, double speed, double memory, const std::string& hostile) {
  Observation o = good_observation();
  const auto wrong_from = [&](double limit) {
    return relu_cases([limit](double x) { return x > limit ? x * 1.01 : std::max(0.0, x); });
  };
  switch (kind) {
    case 0:
      o = wrong_observation();
      break;
    case 1:
      o.cases = wrong_from(1.0);
      break;  // under D2 only
    case 2:
      o.cases = wrong_from(-10);
      break;  // by 1 %: more than verified allows
    case 7:   // under other families of inputs only
      for (CaseResult& result : o.cases)
        if (result.kind == "family") result.outputs[0] = with_exact(result.outputs[0], 0.2);
      break;
    case 3:
      o = crash_observation();
      break;
    case 4:
      o = build_error_observation();
      break;
    case 5:
      o = hostile_observation();
      break;
    case 6:
      o = unresolved_observation();
      break;
    default:
      break;
  }
  if (!o.candidate_time.attested_us.empty() && kind > 6) {
    const double us = 25 / speed;
    o.candidate_time = {samples_around(300 + us, 0.2), {}, samples_around(us, 0.1), {}, {}, {}};
    o.candidate_memory = make_memory(static_cast<std::uint64_t>((12u << 20) / memory), 0,
                                     static_cast<std::uint64_t>((12u << 20) / memory));
  }
  if (!hostile.empty()) {
    o.candidate.path = hostile;
    o.candidate_output = hostile;
    if (o.fault) o.fault->message = o.fault->detail = hostile;
    if (!o.build.ok) o.build.log = o.build.first_error = hostile;
    o.labels = {hostile};
    o.source_labels = {"looked at in part", hostile, 0.1, {{"files", 3, 1, hostile}, {hostile, 4, 1, hostile}}, {{hostile, 2}}};
    o.machine.torch = hostile;
  }
  return o;
}

struct MadeCampaign {
  int candidates = 100;
  int runs = 5;     ///< the last one has a hostile name, if there are several
  int samples = 1;  ///< of a problem
  bool hostile = true;
  std::vector<Observation> templates =
      {};  ///< used in turn for correct ones, with their times as they are; none: made up
};

/// Fills a new campaign. Run by run, problem by problem: 100, 100 and 50 problems of three levels, then again with a
/// further sample.
inline Result<void> fill_campaign(Campaign& campaign, const MadeCampaign& made) {
  return campaign.together([&]() -> Result<void> {
    std::vector<std::int64_t> problems;
    for (int i = 0; i < 250; ++i) {
      CampaignProblem problem;
      problem.level = i < 100 ? 1 : i < 200 ? 2 : 3;
      problem.number = i % 100 + 1;
      problem.name = fmt::format("{}_{}", problem.number,
                                 made.hostile && i % 50 == 7 ? hostile_texts()[static_cast<std::size_t>(i / 50)]
                                                             : fmt::format("Matmul_Scale_ReLU_variant_{}", i));
      problem.source = fmt::format("# problem {}\n", i);
      problem.sha256 = sha256_hex(problem.source);
      KBV_TRY_ASSIGN(problems.emplace_back(), campaign.add_problem(problem));
    }
    for (int i = 0; i < made.candidates; ++i) {
      Dice dice(static_cast<std::uint64_t>(i));
      const auto run = static_cast<std::size_t>(i % made.runs);
      const auto place = static_cast<std::size_t>(i / made.runs);
      const bool hostile = made.hostile && i % 23 == 5;
      const std::string evil = hostile ? hostile_texts()[dice.below(hostile_texts().size())] : "";
      CampaignCandidate candidate;
      candidate.run = made.hostile && made.runs > 1 && run + 1 == static_cast<std::size_t>(made.runs)
                          ? "run-" + hostile_texts()[1]
                          : fmt::format("model-{}-large", run);
      candidate.problem = problems[place / static_cast<std::size_t>(made.samples) % problems.size()];
      candidate.sample = static_cast<int>(place % static_cast<std::size_t>(made.samples) +
                                          place / (problems.size() * static_cast<std::size_t>(made.samples)) *
                                              static_cast<std::size_t>(made.samples));
      candidate.path =
          fmt::format("runs/{}/level_1_problem_{}_sample_{}_kernel.py", candidate.run, place, candidate.sample);
      candidate.source = (hostile ? evil + "\n" : "") +
                         made_source(static_cast<std::uint64_t>(i % 20 == 3 ? 3 : i));  // some are the same
      candidate.sha256 = sha256_hex(candidate.source);
      KBV_TRY_ASSIGN(const std::int64_t id, campaign.add_candidate(candidate));
      if (i % 97 == 11) {
        KBV_TRY(
            campaign.add_failure(id, {Fault::machine, "gpu_lost", "the GPU fell off the bus", hostile ? evil : ""}));
        continue;
      }
      const double strength = 0.55 + 0.12 * static_cast<double>(run);
      int kind = dice.unit() < 0.25 ? static_cast<int>(dice.below(8)) : 9;
      if (!made.hostile && kind == 5) kind = 3;
      const double speed = strength * std::exp(0.6 * dice.normal()), memory = std::exp(0.25 * dice.normal());
      const Observation observation = kind == 9 && !hostile && !made.templates.empty()
                                          ? made.templates[static_cast<std::size_t>(i) % made.templates.size()]
                                          : made_observation(kind, speed, memory, evil);
      KBV_TRY(campaign.add_observation(id, observation));
    }
    return {};
  });
}

}  // namespace kbv::test
