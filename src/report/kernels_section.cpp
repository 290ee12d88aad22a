// SPDX-License-Identifier: MIT
// Which kernels ran in one call of the candidate, and whose they are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/sections.h"
#include "report/units.h"

namespace kbv {
namespace {

constexpr std::size_t k_kernels_shown = 5;
constexpr std::size_t k_name_width = 46;

std::string short_name(const std::string& name) {
  const std::string base = kernel_base_name(name);
  return base.size() <= k_name_width ? base : base.substr(0, k_name_width - 3) + "...";
}

const char* meaning(const std::string& label) {
  if (label == "no_kernel") return "nothing ran on the device";
  if (label == "library_only") return "every kernel is a library's or torch.compile's";
  if (label == "no_custom_kernel") return "no kernel is its own";
  if (label == "decoy_kernel") return "its own kernels did not run, or hardly";
  if (label == "tensor_cores") return "a kernel's name shows tensor cores";
  if (label == "same_as_baseline") return "the same kernels as PyTorch eager";
  return "";
}

}  // namespace

void kernels_section(Page& page, const Observation& observation, bool verbose) {
  if (!observation.candidate_kernels) return;
  const KernelTrace& trace = *observation.candidate_kernels;
  page.section("Kernels of one call");
  std::vector<const TracedKernel*> kernels;
  for (const TracedKernel& kernel : trace.kernels) kernels.push_back(&kernel);
  std::sort(kernels.begin(), kernels.end(), [](auto* a, auto* b) { return a->total_ns > b->total_ns; });
  Table table;
  table.headers = {"", "times", "us", "share", "whose"};
  table.align = {Align::left, Align::right, Align::right, Align::right, Align::left};
  const std::size_t shown = verbose ? kernels.size() : std::min(kernels.size(), k_kernels_shown);
  for (std::size_t i = 0; i < shown; ++i)
    table.rows.push_back({{"  " + short_name(kernels[i]->name)},
                          {fmt::format("{}", kernels[i]->count)},
                          {fmt::format("{:.1f}", static_cast<double>(kernels[i]->total_ns) / 1e3)},
                          {fmt::format("{:.0f} %", 100 * kernel_share(*kernels[i], trace))},
                          {kernel_origin(kernels[i]->name, observation.source_kernels)}});
  if (!table.rows.empty()) page.table(table);
  if (shown < kernels.size()) page.paragraph(fmt::format("and {} more", kernels.size() - shown), Ink::dim);
  if (trace.copies.count + trace.sets.count > 0)
    page.paragraph(fmt::format("beside them {} copies and {} sets of memory, {:.1f} us", trace.copies.count, trace.sets.count,
                               static_cast<double>(trace.copies.total_ns + trace.sets.total_ns) / 1e3), Ink::dim);
  if (!trace.problem.empty()) page.remark("The trace is incomplete: " + trace.problem);
  for (const std::string& label : observation.labels) page.fact(label, meaning(label));
  page.paragraph("As CUPTI in the candidate's own process tells, in a call that was not timed: labels, never a verdict.", Ink::dim);
}

}  // namespace kbv
