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

  const double zero_us = median(zero_samples(observation.null, calls, basis.span, basis.batches));
  page.paragraph(
      fmt::format("bound = the judge's clock from before the inputs are revealed to after the outputs are taken{}. time = {} - {}, what "
                  "an empty forward takes. speedup = PyTorch's time / the candidate's; above 1 is faster. * = the baseline of {}.",
                  basis.batches ? fmt::format(", for each of {} calls in one hand-over", calls) : "",
                  basis.span == Span::forward ? "the forward's part of it" : "bound", show_us(zero_us), verdict.protocol),
      Ink::dim);
  std::string told;  // what holds for the candidate is in the note of every baseline
  for (const SpeedScore& score : verdict.speed) {
    if (told.find(score.note) != std::string::npos) continue;
    page.remark(fmt::format("{}: {}.", score.baseline, score.note));
    told += score.note + "\n";
  }
}

void evidence_section(Page& page, const Verdict& verdict) {
  const auto is_of_candidate = [](const Evidence& evidence) {
    return evidence.kind != "vacuous_problem";
  };  // it stands beside the verdict
  if (std::none_of(verdict.evidence.begin(), verdict.evidence.end(), is_of_candidate)) return;
  page.section("What does not fit together");
  for (const Evidence& evidence : verdict.evidence)
    if (is_of_candidate(evidence)) page.remark(fmt::format("{}: {}.", evidence.kind, evidence.text));
  page.paragraph("All of it has honest causes too; it decides nothing.", Ink::dim);
}

void memory_section(Page& page, const Verdict& verdict) {
  if (!verdict.memory) return;
  const MemoryScore& memory = *verdict.memory;
  page.section("Memory of one call");
  Table table;
  table.headers = {"", "peak", "parameters", "inputs", "kept", "one call adds", "ratio", "own ratio"};
  table.align = {Align::left, Align::right, Align::right, Align::right, Align::right, Align::right, Align::right, Align::right};
  const auto row = [&](const std::string& name, const MemoryParts& parts, Ink ink) {
    table.rows.push_back({{name, ink}, {show_bytes(parts.peak_bytes), ink}, {show_bytes(parts.state_bytes)}, {show_bytes(parts.input_bytes)},
                          {show_bytes(parts.kept_bytes)}, {show_bytes(parts.working_bytes)}});
  };
  const auto ratio = [&](double value) {
    table.rows.back().push_back({show_factor(value), value > 1.005 ? Ink::good : value < 0.995 ? Ink::bad : Ink::plain});
  };
  row("  candidate", memory.candidate, Ink::strong);
  row("* " + memory.baseline_name, memory.baseline, Ink::plain);
  ratio(memory.ratio);
  if (memory.own_ratio) ratio(*memory.own_ratio);
  page.table(table);
  page.paragraph(fmt::format("peak = {}. kept = what lies there between calls besides parameters. ratio = PyTorch's peak / the "
                             "candidate's; above 1 is leaner. own ratio = the same of what is kept and added.", memory.basis), Ink::dim);
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
                          {none ? "none: " + excuse(verdict).substr(4) : verdict.code,
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
