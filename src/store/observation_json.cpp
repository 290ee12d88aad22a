// SPDX-License-Identifier: MIT
#include "store/observation_json.h"

#include <concepts>
#include <iterator>

#include "base/json_text.h"
#include "judge/families.h"
#include "problem/problem.h"
#include "store/json_archive.h"

namespace kbv {

// How enums and structs look in JSON. Found by json_archive.h through argument-dependent lookup, hence not in an unnamed
// namespace. `object` is const when written. docs/observation.md tells what each field means: keep it in step.

template <typename T, typename Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

static std::string_view name_of(DType dtype) { return dtype_name(dtype); }
static bool from_name(const std::string& name, DType& dtype) {
  const auto found = dtype_from_name(name);
  dtype = found.value_or(dtype);
  return found.has_value();
}

static std::string_view name_of(Fault fault) { return to_string(fault); }
static bool from_name(const std::string& name, Fault& fault) {
  for (const Fault candidate : {Fault::candidate, Fault::problem, Fault::machine, Fault::usage})
    if (name == to_string(candidate)) {
      fault = candidate;
      return true;
    }
  return false;
}

static std::string_view name_of(CaseVerdict::State state) {
  switch (state) {
    case CaseVerdict::State::passed: return "passed";
    case CaseVerdict::State::failed: return "failed";
    case CaseVerdict::State::dropped: return "dropped";
    case CaseVerdict::State::not_run: return "not_run";
  }
  return "?";
}

template <typename A>
static void fields(A& a, Is<Error> auto& o) {
  a.field("fault", o.fault);
  a.field("code", o.code);
  a.field("message", o.message);
  a.field("detail", o.detail);
}

template <typename A>
static void fields(A& a, Is<SourceFile> auto& o) {
  a.field("path", o.path);
  a.field("sha256", o.sha256);
  a.field("bytes", o.bytes);
}

template <typename A>
static void fields(A& a, Is<MachineFacts> auto& o) {
  a.field("backend", OneOf{o.backend, {"", "host", "cuda"}});
  a.field("device", o.device);
  a.field("device_uuid", o.device_uuid);
  a.field("driver_version", o.driver_version);
  a.field("kernel", o.kernel);
  a.field("cpus", o.cpus);
  a.field("python", o.python);
  a.field("torch", o.torch);
  a.field("cuda", o.cuda);
  a.field("cudnn", o.cudnn);
  a.field("torch_threads", o.torch_threads);
}

template <typename A>
static void fields(A& a, Is<CompareStats> auto& o) {
  a.field("count", o.count);
  a.field("nonfinite", o.nonfinite);
  a.field("unequal", o.unequal);
  a.field("max_abs", o.max_abs);
  a.field("sum_abs", o.sum_abs);
  a.field("sum_sq_diff", o.sum_sq_diff);
  a.field("sum_sq_expected", o.sum_sq_expected);
  a.field("tau", o.tau);
  a.field("worst_index", o.worst_index);
  a.field("worst_expected", o.worst_expected);
  a.field("worst_got", o.worst_got);
}

template <typename A>
static void fields(A& a, Is<ExactStats> auto& o) {
  a.field("count", o.count);
  a.field("free", o.free);
  a.field("nonfinite", o.nonfinite);
  a.field("unequal", o.unequal);
  a.field("e_max", o.e_max);
  a.field("e_rms", o.e_rms);
  a.field("sum_sq_diff", o.sum_sq_diff);
  a.field("worst_index", o.worst_index);
  a.field("worst_expected", o.worst_expected);
  a.field("worst_got", o.worst_got);
  a.field("worst_slice", o.worst_slice);
}

template <typename A>
static void fields(A& a, Is<MemberErrors> auto& o) {
  a.field("name", o.name);
  a.field("e_max", o.e_max);
  a.field("e_rms", o.e_rms);
  a.field("e_var", o.e_var);
}

template <typename A>
static void fields(A& a, Is<ExactCheck> auto& o) {
  a.field("stats", o.stats);
  a.field("variation", o.variation);
  a.field("rho_max", o.rho_max);
  a.field("members", o.members);
}

template <typename A>
static void fields(A& a, Is<RefusedCall> auto& o) {
  a.field("layer", o.layer);
  a.field("call", o.call);
  a.field("is_attack", o.is_attack);
}

template <typename A>
static void fields(A& a, Is<Contracts> auto& o) {
  a.field("reference_writes_inputs", o.reference_writes_inputs);
  a.field("eval_mode", o.eval_mode);
  a.field("reused_output", o.reused_output);
  a.field("deterministic", o.deterministic);
  a.field("note", o.note);
  a.field("no_room", o.no_room);
}

template <typename A>
static void fields(A& a, Is<Parameters> auto& o) {
  a.field("count", o.count);
  a.field("delivered", o.delivered);
  a.field("missing", o.missing);
  a.field("way", o.way);
  a.field("note", o.note);
}

template <typename A>
static void fields(A& a, Is<NoiseMeasure> auto& o) {
  a.field("name", o.name);
  a.field("expected", o.expected);
  a.field("got", o.got);
  a.field("sum", o.sum);
  a.field("sum_sq", o.sum_sq);
  a.field("linear", o.linear);
  a.field("square", o.square);
}

template <typename A>
static void fields(A& a, Is<NoiseField> auto& o) {
  a.field("name", o.name);
  a.field("sum", o.sum);
  a.field("trace", o.trace);
  a.field("frobenius", o.frobenius);
  a.field("top", o.top);
  a.field("linear", o.linear);
  a.field("square", o.square);
}

template <typename A>
static void fields(A& a, Is<NoiseOutput> auto& o) {
  a.field("sigma", o.sigma);
  a.field("size", o.size);
  a.field("finite", o.finite);
  a.field("far_mean", o.far_mean);
  a.field("far_sd", o.far_sd);
  a.field("far_least", o.far_least);
  a.field("least", o.least);
  a.field("measures", o.measures);
  a.field("fields", o.fields);
}

template <typename A>
static void fields(A& a, Is<NoiseDraw> auto& o) {
  a.field("id", o.id);
  a.field("calls", o.calls);
  a.field("outputs", o.outputs);
}

template <typename A>
static void fields(A& a, Is<NoiseSpread> auto& o) {
  a.field("mean", o.mean);
  a.field("sd", o.sd);
}

template <typename A>
static void fields(A& a, Is<Noise> auto& o) {
  a.field("draws", o.draws);
  a.field("spreads", o.spreads);
  a.field("note", o.note);
}

template <typename A>
static void fields(A& a, Is<OutputCheck> auto& o) {
  a.field("path", o.path);
  a.field("dtype", o.dtype);
  a.field("shape", o.shape);
  a.field("stats", o.stats);
  a.field("exact", o.exact);
}

static std::vector<std::string> distribution_names() {
  std::vector<std::string> names(std::begin(k_families), std::end(k_families));
  for (const Distribution& distribution : k_distributions) names.emplace_back(distribution.name);
  return names;
}

template <typename A>
static void fields(A& a, Is<CaseResult> auto& o) {
  a.field("id", o.id);
  a.field("kind", OneOf{o.kind, {"trial", "hidden", "timed", "family", "contract", "parameters", "noise"}});
  a.field("distribution", OneOf{o.distribution, distribution_names()});
  a.field("scale", o.scale);
  a.field("seed", AsText{o.seed});
  a.field("dropped", o.dropped);
  a.field("drop_reason", o.drop_reason);
  a.field("outside_domain", o.outside_domain);
  a.field("no_oracle", o.no_oracle);
  a.field("no_room", o.no_room);
  a.field("ran", o.ran);
  a.field("mutated_inputs", o.mutated_inputs);
  a.field("calls", o.calls);
  a.field("outputs", o.outputs);
}

template <typename A>
static void fields(A& a, Is<TimeSamples> auto& o) {
  a.field("attested_us", o.attested_us);
  a.field("forward_us", o.forward_us);
  a.field("claimed_us", o.claimed_us);
  a.field("batch_us", o.batch_us);
  a.field("batch_forward_us", o.batch_forward_us);
  a.field("batch_claimed_us", o.batch_claimed_us);
}

template <typename A>
static void fields(A& a, Is<DeviceState> auto& o) {
  a.field("at_s", o.at_s);
  a.field("sm_clock_mhz", o.sm_clock_mhz);
  a.field("memory_clock_mhz", o.memory_clock_mhz);
  a.field("temperature_c", o.temperature_c);
  a.field("power_mw", o.power_mw);
  a.field("throttle_reasons", o.throttle_reasons);
  a.field("foreign_processes", o.foreign_processes);
}

template <typename A>
static void fields(A& a, Is<Timing> auto& o) {
  a.field("cache_rule", o.cache_rule);
  a.field("batch_calls", o.batch_calls);
  a.field("why_single", o.why_single);
  a.field("warm_calls", o.warm_calls);
  a.field("null_us", o.null_us);
  a.field("rounds", o.rounds);
  a.field("redone_rounds", o.redone_rounds);
  a.field("ended_by", o.ended_by);
  a.field("busy_after_calls", o.busy_after_calls);
  a.field("longest_busy_ms", o.longest_busy_ms);
  a.field("memory_bytes_per_s", o.memory_bytes_per_s);
  a.field("operations", o.operations);
  a.field("operations_per_s", o.operations_per_s);
  a.field("floor_us", o.floor_us);
  a.field("floor_part", o.floor_part);
  a.field("floor_measured_at", o.floor_measured_at);
  a.field("device", o.device);
}

template <typename A>
static void fields(A& a, Is<MemoryReading> auto& o) {
  a.field("claimed_peak_bytes", o.claimed_peak_bytes);
  a.field("claimed_base_bytes", o.claimed_base_bytes);
  a.field("observed_growth_bytes", o.observed_growth_bytes);
  a.field("input_bytes", o.input_bytes);
  a.field("output_bytes", o.output_bytes);
  a.field("state_bytes", o.state_bytes);
}

template <typename A>
static void fields(A& a, Is<TracedKernel> auto& o) {
  a.field("name", o.name);
  a.field("count", o.count);
  a.field("total_ns", o.total_ns);
  a.field("min_ns", o.min_ns);
  a.field("max_ns", o.max_ns);
  a.field("grid", o.grid);
  a.field("block", o.block);
  a.field("registers", o.registers);
  a.field("shared_bytes", o.shared_bytes);
}

template <typename A>
static void fields(A& a, Is<TracedTransfers> auto& o) {
  a.field("count", o.count);
  a.field("bytes", o.bytes);
  a.field("total_ns", o.total_ns);
}

template <typename A>
static void fields(A& a, Is<KernelTrace> auto& o) {
  a.field("cupti_version", o.cupti_version);
  a.field("problem", o.problem);
  a.field("kernels", o.kernels);
  a.field("copies", o.copies);
  a.field("sets", o.sets);
  a.field("dropped", o.dropped);
}

template <typename A>
static void fields(A& a, Is<SourceLabel> auto& o) {
  a.field("rule", o.rule);
  a.field("line", o.line);
  a.field("column", o.column);
  a.field("detail", o.detail);
}

template <typename A>
static void fields(A& a, Is<SourceLabels> auto& o) {
  a.field("state", OneOf{o.state, {"looked at", "looked at in part", "not looked at"}});
  a.field("why", o.why);
  a.field("seconds", o.seconds);
  a.field("labels", o.labels);
  a.field("left_out", o.left_out);
}

template <typename A>
static void fields(A& a, Is<ProvenanceContext> auto& o) {
  a.field("source_kernels", o.source_kernels);
  a.field("triton_kernels", o.triton_kernels);
}

template <typename A>
static void fields(A& a, Is<BaselineResult> auto& o) {
  a.field("name", o.name);
  a.field("description", o.description);
  a.field("matmul_tf32", o.matmul_tf32);
  a.field("cudnn_tf32", o.cudnn_tf32);
  a.field("ok", o.ok);
  a.field("problem", o.problem);
  a.field("time", o.time);
  a.field("memory", o.memory);
  a.field("check", o.check);
}

template <typename A>
static void fields(A& a, Is<BuildFacts> auto& o) {
  a.field("needed", o.needed);
  a.field("ok", o.ok);
  a.field("seconds", o.seconds);
  a.field("first_error", o.first_error);
  a.field("log", o.log);
}

template <typename A>
static void fields(A& a, Is<Observation> auto& o) {
  a.field("kbv_version", o.kbv_version);
  a.field("started_at", o.started_at);
  a.field("wall_seconds", o.wall_seconds);
  a.field("stage_seconds", o.stage_seconds);
  a.field("problem", o.problem);
  a.field("candidate", o.candidate);
  a.field("size", o.size);
  a.field("precision", OneOf{o.precision, {"native", "fp32", "fp16", "bf16"}});
  a.field("constants", o.constants);
  a.field("secret", o.secret);
  a.field("machine", o.machine);
  a.field("isolation_level", o.isolation_level);
  a.field("isolation_layers", o.isolation_layers);
  a.field("isolation_missing", o.isolation_missing);
  a.later_field("refused_calls", o.refused_calls);
  a.field("output_layout", o.output_layout);
  a.field("cases", o.cases);
  a.field("contracts", o.contracts);
  a.field("parameters", o.parameters);
  a.later_field("noise", o.noise);
  a.field("timing", o.timing);
  a.field("null", o.null);
  a.field("baselines", o.baselines);
  a.field("candidate_time", o.candidate_time);
  a.field("candidate_memory", o.candidate_memory);
  a.field("candidate_kernels", o.candidate_kernels);
  a.field("eager_kernels", o.eager_kernels);
  a.field("labels", o.labels);
  a.later_field("source_labels", o.source_labels);
  a.field("source_kernels", o.source_kernels);
  a.field("build", o.build);
  a.field("candidate_output", o.candidate_output);
  a.field("fault", o.fault);
}

// Verdicts are written only: they follow from the rest.

static void fields(Writer& w, const Ratio& o) {
  w.field("value", o.value);
  w.field("low", o.low);
  w.field("high", o.high);
}

static void fields(Writer& w, const MeanScore& o) {
  w.field("calls", o.calls);
  w.field("baseline_us", o.baseline_us);
  w.field("candidate_us", o.candidate_us);
  w.field("speedup", o.speedup);
}

static void fields(Writer& w, const SpeedScore& o) {
  w.field("baseline", o.baseline);
  w.field("baseline_us", o.baseline_us);
  w.field("candidate_us", o.candidate_us);
  w.field("speedup", o.speedup);
  w.field("means", o.means);
  w.field("resolved", o.resolved);
  w.field("finding", o.finding);
  w.field("note", o.note);
}

static void fields(Writer& w, const MemoryParts& o) {
  w.field("peak_bytes", o.peak_bytes);
  w.field("state_bytes", o.state_bytes);
  w.field("input_bytes", o.input_bytes);
  w.field("kept_bytes", o.kept_bytes);
  w.field("working_bytes", o.working_bytes);
}

static void fields(Writer& w, const MemoryScore& o) {
  w.field("baseline_name", o.baseline_name);
  w.field("basis", o.basis);
  w.field("baseline", o.baseline);
  w.field("candidate", o.candidate);
  w.field("ratio", o.ratio);
  w.field("own_ratio", o.own_ratio);
  w.field("note", o.note);
}

static void fields(Writer& w, const Evidence& o) {
  w.field("kind", o.kind);
  w.field("text", o.text);
}

static void fields(Writer& w, const CaseVerdict& o) {
  w.field("id", o.id);
  w.field("needed", o.needed);
  w.field("state", o.state);
  w.field("part", o.part);
}

static void fields(Writer& w, const Verdict& o) {
  w.field("protocol", o.protocol);
  w.field("title", o.title);
  w.field("tolerance", o.tolerance);
  w.field("correct", o.correct);
  w.field("code", o.code);
  w.field("reason", o.reason);
  w.field("worst_case", o.worst_case);
  w.field("robust", o.robust);
  w.field("robust_reason", o.robust_reason);
  w.field("strict", o.strict);
  w.field("strict_reason", o.strict_reason);
  w.field("cases", o.cases);
  w.field("time_us", o.time_us);
  w.field("speed", o.speed);
  w.field("memory_ratio", o.memory_ratio);
  w.field("memory", o.memory);
  w.field("evidence", o.evidence);
}

namespace {

// A file larger than any observation: the build log is at most 4 MiB, and an escaped byte takes 6.
constexpr std::size_t k_text_limit = 64u << 20;
constexpr int k_depth_limit = 16;
constexpr std::uint64_t k_value_limit = 4'000'000;

JsonIn parse_bounded(std::string_view text) {
  if (text.size() > k_text_limit) throw BadField("", "larger than an observation can be");
  std::uint64_t values = 0;
  const auto bound = [&](int depth, JsonIn::parse_event_t, JsonIn&) {
    if (depth > k_depth_limit) throw BadField("", "nested deeper than an observation can be");
    if (++values > k_value_limit) throw BadField("", "more values than an observation can have");
    return true;
  };
  try {
    return JsonIn::parse(text, bound);
  } catch (const JsonIn::parse_error& error) {
    throw BadField("", fmt::format("not JSON at byte {}", error.byte));
  } catch (const JsonIn::exception&) {
    throw BadField("", "a number is too large");
  }
}

Observation read_observation(const JsonIn& json) {
  Reader reader(json, "");
  std::string schema;
  reader.field("schema", schema);
  if (schema != Observation::k_schema)
    throw BadField("schema", fmt::format("expected \"{}\", got \"{}\"", Observation::k_schema, plain(schema)));
  Observation observation;
  fields(reader, observation);
  reader.ignore("verdicts");
  reader.finish();
  return observation;
}

}  // namespace

std::string observation_to_json(const Observation& observation, const std::vector<Verdict>& verdicts, JsonLayout layout) {
  Writer writer;
  writer.field("schema", std::string(Observation::k_schema));
  writer.field("verdicts", verdicts);
  fields(writer, observation);
  return json_text(writer.take(), layout == JsonLayout::pretty ? 1 : -1);
}

Result<Observation> observation_from_json(std::string_view text, const std::string& where) {
  try {
    return read_observation(parse_bounded(text));
  } catch (const BadField& bad) {
    return fail(Fault::usage, "bad_observation", fmt::format("{}: {}", where, bad.what()));
  }
}

}  // namespace kbv
