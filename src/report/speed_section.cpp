// SPDX-License-Identifier: MIT
// Speed, memory, and what the other protocols say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "judge/sampling.h"
#include "report/sections.h"
#include "report/units.h"
#include "score/scores.h"

namespace kbv {
namespace {

Ink ink_of(const SpeedScore& score) {
  return score.finding == "faster"   ? Ink::good
         : score.finding == "slower" ? Ink::bad
         : score.resolved            ? Ink::plain
                                     : Ink::warn;
}

const TimeSamples* samples_of(const Observation& observation, const std::string& baseline) {
  for (const BaselineResult& result : observation.baselines)
    if (result.name == baseline) return &result.time;
  return nullptr;
}

/// The worker's own figure and the judge's must agree within this.
bool agree(double attested_us, double claimed_us) {
  return std::abs(attested_us - claimed_us) <= std::max(3.0, 0.1 * std::abs(attested_us));
}

}  // namespace

void speed_section(Page& page, const Observation& observation, const Verdict& verdict) {
  if (verdict.speed.empty()) return;
  page.section("Speed");
  const SpeedScore& own = verdict.speed.front();
  const TimeSamples& candidate = observation.candidate_time;
  const int calls = observation.timing.batch_calls;
  const TimeSamples* own_baseline = samples_of(observation, own.baseline);
  const TimeBasis basis = time_basis(observation, own_baseline ? *own_baseline : TimeSamples());
  const NetTime own_time = time_on(basis, observation, candidate);
  const double candidate_us = own_time.time_us, claimed_us = median(claims_of(candidate, basis.batches));

  Table table;
  table.headers = {"", "time", "bound", "own claim", "speedup", "95 % interval"};
  table.align = {Align::left, Align::right, Align::right, Align::right, Align::right, Align::left};
  table.rows.push_back({{"  candidate", Ink::strong},
                        {show_us(candidate_us), Ink::strong},
                        {show_us(own_time.bound_us)},
                        {show_us(claimed_us)},
                        {""},
                        {""}});
  for (const SpeedScore& score : verdict.speed) {
    const TimeSamples* samples = samples_of(observation, score.baseline);
    const bool timed = samples && !samples->attested_us.empty();
    const NetTime net = timed ? time_on(basis, observation, *samples) : NetTime();
    const bool ratio = score.speedup.value > 0;
    table.rows.push_back({{(&score == &own ? "* " : "  ") + score.baseline},
                          {timed ? show_us(net.time_us) : "-"},
                          {timed ? show_us(net.bound_us) : "-"},
                          {timed ? show_us(median(claims_of(*samples, basis.batches))) : "-"},
                          {ratio ? show_factor(score.speedup.value) : "-", ink_of(score)},
                          {ratio ? show_range(score.speedup.low, score.speedup.high) : "-"}});
  }
  page.table(table);

  const double zero_us = median(samples_of(observation.null, basis.span, basis.batches)) / (basis.batches ? calls : 1);
  page.paragraph(
      fmt::format("bound = the judge's clock from before the inputs are revealed to after the outputs are taken{}. time = {} - {}, "
                  "what the smallest forward takes{}. speedup = PyTorch's time / the candidate's; above 1 is faster. * = "
                  "the baseline of {}.",
                  basis.batches ? fmt::format(", for each of {} calls in one hand-over", calls) : "",
                  basis.span == Span::forward ? "of it, the forward alone" : "bound", show_us(zero_us),
                  observation.null.claimed_us.empty() ? "" : ", + " + show_us(median(claims_of(observation.null, basis.batches))) + " of its own",
                  verdict.protocol),
      Ink::dim);
  std::string told;  // what holds for the candidate is in the note of every baseline
  for (const SpeedScore& score : verdict.speed) {
    if (told.find(score.note) != std::string::npos) continue;
    page.remark(fmt::format("{}: {}.", score.baseline, score.note));
    told += score.note + "\n";
  }
  if (std::isfinite(claimed_us) && std::isfinite(candidate_us) && !agree(candidate_us, claimed_us))
    page.remark(fmt::format("The candidate's process claims {}, and the judge measured {}: they disagree. Only the judge's "
                            "figure counts.", show_us(claimed_us), show_us(candidate_us)));
  if (observation.timing.busy_after_calls > 0)
    page.remark(fmt::format("After {} of the candidate's hand-overs the device was busy although it had said that it was done, for "
                            "{:.1f} ms at most.", observation.timing.busy_after_calls, observation.timing.longest_busy_ms));
}

void memory_section(Page& page, const Verdict& verdict) {
  if (!verdict.memory) return;
  const MemoryScore& memory = *verdict.memory;
  page.section("Memory of one call");
  Table table;
  table.headers = {"", "peak", "ratio"};
  table.align = {Align::left, Align::right, Align::right};
  table.rows.push_back({{"  candidate", Ink::strong}, {show_bytes(memory.candidate_bytes), Ink::strong}, {""}});
  const Ink ink = memory.ratio > 1.005 ? Ink::good : memory.ratio < 0.995 ? Ink::bad : Ink::plain;
  table.rows.push_back({{"* " + memory.baseline}, {show_bytes(memory.baseline_bytes)}, {show_factor(memory.ratio), ink}});
  page.table(table);
  page.paragraph(fmt::format("peak = {}. ratio = PyTorch's peak / the candidate's; above 1 is leaner.", memory.basis),
                 Ink::dim);
  if (!memory.note.empty()) page.remark(memory.note + ".");
}

void rules_section(Page& page, const std::vector<Verdict>& verdicts) {
  page.section("Under the rules of");
  Table table;
  table.headers = {"", "verdict", "speedup", "own mean", "against", "memory"};
  table.align = {Align::left, Align::left, Align::right, Align::right, Align::left, Align::right};
  for (const Verdict& verdict : verdicts) {
    const SpeedScore* own = verdict.speed.empty() ? nullptr : &verdict.speed.front();
    const bool ratio = own && own->speedup.value > 0;
    const bool none = !excuse(verdict).empty();
    table.rows.push_back({{(&verdict == &verdicts.front() ? "* " : "  ") + verdict.protocol},
                          {none ? "none: " + excuse(verdict) + "'s fault" : verdict.code,
                           verdict.correct ? Ink::good : none ? Ink::warn : Ink::bad},
                          {ratio ? show_factor(own->speedup.value) + (own->resolved ? "" : " ?") : "-",
                           ratio ? ink_of(*own) : Ink::plain},
                          {own && own->means ? fmt::format("{} of {}", show_factor(own->means->speedup), own->means->calls) : "-"},
                          {own ? own->baseline : "-"},
                          {verdict.memory_ratio ? show_factor(*verdict.memory_ratio) : "-"}});
  }
  page.table(table);
  for (const Verdict& verdict : verdicts) page.fact(verdict.protocol, verdict.title, Ink::dim);
  const bool uncertain = std::any_of(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) {
    return !verdict.speed.empty() && verdict.speed.front().speedup.value > 0 && !verdict.speed.front().resolved;
  });
  if (uncertain) page.paragraph("? = an estimate that the measurement does not bear out", Ink::dim);
  if (const auto& tolerance = verdicts.front().tolerance)
    page.remark(fmt::format("Judged with tolerance {:g} for floating outputs, instead of the rules' own.", *tolerance));
}

}  // namespace kbv
