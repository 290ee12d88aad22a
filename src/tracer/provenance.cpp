// SPDX-License-Identifier: MIT
#include "tracer/provenance.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace kbv {

namespace {

using nlohmann::json;

constexpr int k_max_depth = 5;
// 11 values and 9 names a kernel; the rest is small.
constexpr std::size_t k_max_values = k_max_traced_kernels * 32;
constexpr std::size_t k_max_problem_bytes = 1024;
constexpr std::uint64_t k_max_number = std::uint64_t{1} << 50;  // 13 days in ns; 4096 of them do not overflow
constexpr double k_decoy_share = 0.01;

/// A JSON object from hostile bytes: no exception, bounded depth and number of values.
std::optional<json> parse_object(std::string_view bytes) {
  bool bad = false;
  std::size_t values = 0;
  const auto bounded = [&](int depth, json::parse_event_t, json&) {
    bad = bad || depth > k_max_depth || ++values > k_max_values;
    return !bad;
  };
  json value = json::parse(bytes, bounded, /*allow_exceptions=*/false);
  if (bad || !value.is_object()) return std::nullopt;
  return value;
}

tl::unexpected<Error> bad_trace(const std::string& what) {
  return fail(Fault::candidate, "bad_trace", "the kernel trace is not what the tracer writes: " + what);
}

const json* member(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

bool read_number(const json* value, std::uint64_t limit, std::uint64_t& number) {
  if (!value || !value->is_number_unsigned()) return false;
  number = value->get<std::uint64_t>();
  return number <= limit;
}

bool read_number(const json* value, std::uint32_t& number) {
  std::uint64_t wide = 0;
  if (!read_number(value, UINT32_MAX, wide)) return false;
  number = static_cast<std::uint32_t>(wide);
  return true;
}

bool read_triple(const json* value, std::array<std::int64_t, 3>& triple) {
  if (!value || !value->is_array() || value->size() != triple.size()) return false;
  for (std::size_t i = 0; i < triple.size(); ++i) {
    std::uint64_t number = 0;
    if (!read_number(&(*value)[i], INT32_MAX, number)) return false;
    triple[i] = static_cast<std::int64_t>(number);
  }
  return true;
}

/// Printable ASCII only, so that what follows may show and store it.
bool read_text(const json* value, std::size_t limit_bytes, std::string& text) {
  if (!value || !value->is_string()) return false;
  text = value->get_ref<const std::string&>().substr(0, limit_bytes);
  for (char& c : text)
    if (c < 0x20 || c >= 0x7f) c = '?';
  return true;
}

bool read_transfers(const json* value, TracedTransfers& transfers) {
  return value && read_number(member(*value, "count"), k_max_number, transfers.count) &&
         read_number(member(*value, "bytes"), UINT64_MAX, transfers.bytes) &&
         read_number(member(*value, "total_ns"), k_max_number, transfers.total_ns);
}

bool read_kernel(const json& value, TracedKernel& kernel) {
  return read_text(member(value, "name"), k_max_traced_name_bytes, kernel.name) &&
         read_number(member(value, "count"), k_max_number, kernel.count) && kernel.count > 0 &&
         read_number(member(value, "total_ns"), k_max_number, kernel.total_ns) &&
         read_number(member(value, "min_ns"), kernel.total_ns, kernel.min_ns) &&
         read_number(member(value, "max_ns"), kernel.total_ns, kernel.max_ns) &&
         read_triple(member(value, "grid"), kernel.grid) && read_triple(member(value, "block"), kernel.block) &&
         read_number(member(value, "registers"), kernel.registers) &&
         read_number(member(value, "shared_bytes"), k_max_number, kernel.shared_bytes);
}

/// The candidate's kernels and the libraries', by time and number.
struct Split {
  std::uint64_t own_ns = 0, library_ns = 0;
  std::size_t own = 0, library = 0;
};

Split split(const KernelTrace& trace, const ProvenanceContext& context) {
  Split result;
  for (const auto& kernel : trace.kernels) {
    const std::string origin = kernel_origin(kernel.name, context);
    const bool own = origin == "own" || origin == "triton";
    (own ? result.own_ns : result.library_ns) += kernel.total_ns;
    ++(own ? result.own : result.library);
  }
  return result;
}

bool is_decoy(const KernelTrace& trace, const ProvenanceContext& context, const Split& parts) {
  ProvenanceContext defined = context;
  defined.source_kernels.insert(defined.source_kernels.end(), context.triton_kernels.begin(),
                                context.triton_kernels.end());
  if (defined.source_kernels.empty()) return false;
  defined.triton_kernels = defined.source_kernels;  // "triton" then means: the source defines it
  const bool ran = std::any_of(trace.kernels.begin(), trace.kernels.end(), [&](const TracedKernel& kernel) {
    return kernel_origin(kernel.name, defined) == "triton";
  });
  const double all_ns = static_cast<double>(parts.own_ns) + static_cast<double>(parts.library_ns);
  return !ran || (parts.library > 0 && static_cast<double>(parts.own_ns) < k_decoy_share * all_ns);
}

std::map<std::string, std::uint64_t> launches(const KernelTrace& trace) {
  std::map<std::string, std::uint64_t> result;
  for (const auto& kernel : trace.kernels) result[kernel.name] += kernel.count;
  return result;
}

}  // namespace

std::uint64_t KernelTrace::total_ns() const {
  std::uint64_t sum = 0;
  for (const auto& kernel : kernels) sum += kernel.total_ns;
  return sum;
}

Result<KernelTrace> parse_kernel_trace(std::string_view bytes) {
  if (bytes.size() > k_max_trace_bytes) return bad_trace("it is larger than 16 MiB");
  const auto object = parse_object(bytes);
  if (!object) return bad_trace("it is not one JSON object, or too large a one");
  KernelTrace trace;
  if (!read_number(member(*object, "cupti_version"), trace.cupti_version)) return bad_trace("cupti_version");
  if (!read_text(member(*object, "problem"), k_max_problem_bytes, trace.problem)) return bad_trace("problem");
  if (!read_transfers(member(*object, "copies"), trace.copies)) return bad_trace("copies");
  if (!read_transfers(member(*object, "sets"), trace.sets)) return bad_trace("sets");
  if (!read_number(member(*object, "dropped"), k_max_number, trace.dropped)) return bad_trace("dropped");
  const json* kernels = member(*object, "kernels");
  if (!kernels || !kernels->is_array() || kernels->size() > k_max_traced_kernels) return bad_trace("kernels");
  trace.kernels.reserve(kernels->size());
  for (const json& value : *kernels) {
    if (!read_kernel(value, trace.kernels.emplace_back()))
      return bad_trace("kernels[" + std::to_string(trace.kernels.size() - 1) + "]");
  }
  return trace;
}

double kernel_share(const TracedKernel& kernel, const KernelTrace& trace) {
  const std::uint64_t all_ns = trace.total_ns();
  return all_ns ? static_cast<double>(kernel.total_ns) / static_cast<double>(all_ns) : 0;
}

std::vector<std::string> provenance_labels(const KernelTrace& candidate, const KernelTrace* baseline,
                                           const ProvenanceContext& context) {
  std::vector<std::string> labels;
  const Split parts = split(candidate, context);
  if (candidate.complete()) {
    if (candidate.kernels.empty()) {
      labels.emplace_back("no_kernel");
    } else if (parts.own == 0) {
      labels.emplace_back("library_only");
      labels.emplace_back("no_custom_kernel");
    }
    if (is_decoy(candidate, context, parts)) labels.emplace_back("decoy_kernel");
  }
  if (std::any_of(candidate.kernels.begin(), candidate.kernels.end(),
                  [](const TracedKernel& kernel) { return shows_tensor_cores(kernel.name); }))
    labels.emplace_back("tensor_cores");
  if (baseline && candidate.complete() && baseline->complete() && !candidate.kernels.empty() &&
      launches(candidate) == launches(*baseline))
    labels.emplace_back("same_as_baseline");
  return labels;
}

}  // namespace kbv
