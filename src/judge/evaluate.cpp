// SPDX-License-Identifier: MIT
#include "judge/evaluate.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
#include <thread>

#include "base/file.h"
#include "base/json_text.h"
#include "base/secret.h"
#include "base/utc.h"
#include "base/version.h"
#include "judge/evaluation.h"
#include "look/look.h"
#include "os/named_lock.h"

namespace kbv {
namespace {

using nlohmann::json;

/// How long a dead process's context and memory may take to leave the device.
constexpr double k_gone_s = 10;

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

IsolationProfile isolation_profile(const std::string& name) {
  return name == "strict" ? IsolationProfile::strict : name == "basic" ? IsolationProfile::basic : IsolationProfile::none;
}

Result<void> check_isolation(const IsolationReport& isolation, const std::optional<IsolationProfile>& required) {
  if (!required || isolation_profile(isolation.level) >= *required) return {};
  std::string missing;
  for (const auto& layer : isolation.missing) missing += (missing.empty() ? "" : "; ") + layer;
  return fail(Fault::machine, "isolation",
              fmt::format("the required isolation can't be had here, only {} ({})", isolation.level, missing));
}

Result<Observation> evaluate(const EvaluateContext& context, const EvaluateOptions& options) {
  Observation observation;
  observation.kbv_version = k_version;
  observation.started_at = utc_now();
  const auto start = Clock::now();
  auto done = Evaluation(context, options).run(observation);
  observation.wall_seconds = seconds_since(start);
  if (!done) {
    Error error = std::move(done).error();
    if (error.fault == Fault::usage || error.code == "interrupted") return tl::make_unexpected(std::move(error));
    observation.fault = std::move(error);
  }
  return observation;
}

Evaluation::Evaluation(const EvaluateContext& context, const EvaluateOptions& options)
    : context_(context), options_(options), device_(context.device) {}

void Evaluation::blame_for_memory(Error& error) const {
  if (error.code != "out_of_memory") return;
  MemoryShortage shortage;
  if (candidate_) {
    const auto ended = candidate_->process().exit_status();
    shortage.over_host_limit = ended && ended->over_memory;
  }
  shortage.foreign_bytes = DeviceWatch(device_).foreign_bytes(memory_before_.value_or(0));
  shortage.device_bytes = device_.info().total_bytes;
  kbv::blame_for_memory(error, shortage);
}

void Evaluation::stage(const char* name) {
  if (!stage_name_.empty()) seen_->stage_seconds[stage_name_] += seconds_since(stage_start_);
  stage_name_ = name;
  stage_start_ = Clock::now();
  if (context_.progress && *name) context_.progress(name);
}

Result<void> Evaluation::run(Observation& observation) {
  seen_ = &observation;
  auto result = run_stages();
  // What a candidate itself had too little of was told while it had the device; before that, in its build, it is the host's memory.
  if (!result && result.error().fault != Fault::candidate) blame_for_memory(result.error());
  stage("");
  if (candidate_) {
    observation.candidate_output = candidate_->process().output();
    note_refused(candidate_->process().refused_calls());
  }
  note_refused(observation.build.refused_calls);
  return result;
}

Result<void> Evaluation::run_stages() {
  stage("start");
  KBV_TRY(freeze());
  // Beside what takes seconds anyway; it is over before anything is timed.
  auto looking = std::async(std::launch::async, [this] { return look_at_source(context_.host.python, candidate_source_, options_.profile); });
  auto prepared = start_processes();
  if (prepared) {
    stage("build");
    prepared = prepare_candidate();
  }
  seen_->source_labels = looking.get();
  KBV_TRY(prepared);

  stage("wait for the device");
  const std::lock_guard lane(context_.lane);
  // Judges of other processes have lanes of their own.
  std::optional<NamedLock> tenant;
  if (device_.info().backend != "host") {
    KBV_TRY_ASSIGN(tenant, NamedLock::acquire("kbv/device/" + device_.info().uuid, [this] { stage("wait for another kbv"); }));
  }
  auto result = use_device();
  if (!result) {
    blame_for_memory(result.error());
    if (memory_before_) {  // it had the device
      DeviceWatch watch(device_);
      blame_for_busy(result.error(), watch, [this] { end_candidate(); }, k_gone_s);
    }
  }
  stage("end");
  leave_device(result || result.error().fault == Fault::candidate);
  return result;
}

Result<void> Evaluation::use_device() {
  constexpr double k_ready_s = 30;
  KBV_TRY(DeviceWatch(device_).check_ready(options_.timing, k_ready_s));
  using Stage = Result<void> (Evaluation::*)();
  struct Named {
    const char* name;
    Stage run;
    bool wanted;
  };
  for (const Named& next : {Named{"attach", &Evaluation::attach, true}, Named{"layout", &Evaluation::learn_layout, true},
                            Named{"baselines", &Evaluation::prepare_baselines, options_.timing},
                            Named{"buffers", &Evaluation::prepare_buffers, true}, Named{"load", &Evaluation::load, true},
                            Named{"correctness", &Evaluation::check_cases, true},
                            Named{"noise", &Evaluation::check_noise, true},
                            Named{"families", &Evaluation::check_families, options_.families},
                            Named{"memory", &Evaluation::measure_memory, options_.timing},
                            Named{"timing", &Evaluation::measure_times, options_.timing},
                            Named{"trace", &Evaluation::trace_kernels, options_.timing},
                            Named{"parameters", &Evaluation::check_parameters, options_.families && options_.parameters}}) {
    if (!next.wanted) continue;
    stage(next.name);
    if (next.run == &Evaluation::load)
      if (const auto used = device_.memory_used_bytes(); used && *used > 0) memory_before_ = *used;
    KBV_TRY((this->*next.run)());
  }
  return {};
}

void Evaluation::leave_device(bool went_well) {
  end_candidate();
  conclude_baselines();
  baseline_.reset();
  candidate_slots_.clear();
  baseline_slots_.clear();
  reference_state_.clear();
  candidate_state_.clear();
  candidate_arguments_ = {};
  snapshots_.clear();
  // The oracle's process may wait long for the next problem: meanwhile the device is free of this one.
  const bool serves_on = went_well && context_.references && reference_ && reference_->forget();
  if (!serves_on) reference_.reset();
  if (!context_.references) return;
  if (serves_on && context_.references->facts.is_null()) context_.references->facts = *reference_->hello();
  context_.references->oracle = std::move(reference_);
  context_.references->serving = serves_on;
}

Result<void> Evaluation::freeze() {
  problem_.path = options_.problem_path;
  problem_.size = options_.size;
  problem_.constants = options_.constants;
  KBV_TRY_ASSIGN(problem_.source, options_.problem_source ? Result<std::string>(*options_.problem_source)
                                                          : read_file(options_.problem_path, "problem"));
  KBV_TRY_ASSIGN(candidate_source_, options_.candidate_source ? Result<std::string>(*options_.candidate_source)
                                                              : read_file(options_.candidate_path, "candidate"));
  seen_->problem = {options_.problem_path, sha256_hex(problem_.source), problem_.source.size()};
  seen_->candidate = {options_.candidate_path, sha256_hex(candidate_source_), candidate_source_.size()};
  seen_->size = options_.size;
  seen_->constants = options_.constants;
  seen_->precision = context_.host.precision;
  // Only now, so that no candidate can have been written with knowledge of it.
  KBV_TRY_ASSIGN(secret_, options_.secret_hex ? Secret::from_hex(*options_.secret_hex) : Secret::generate());
  seen_->secret = secret_.hex();

  const DeviceInfo& info = device_.info();
  utsname system{};
  ::uname(&system);
  seen_->machine.backend = info.backend;
  seen_->machine.device = info.name;
  seen_->machine.device_uuid = info.uuid;
  seen_->machine.driver_version = info.driver_version;
  seen_->machine.kernel = system.release;
  seen_->machine.cpus = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  return {};
}

Result<void> Evaluation::start_processes() {
  // The candidate's box starts as well, to come up meanwhile; its source is not run before load().
  if (context_.references && context_.references->serving) {
    note_facts(context_.references->facts);
  } else {
    KBV_TRY_ASSIGN(reference_, Reference::start(context_.host, trusted_stages_));
  }
  if (options_.timing) {
    KBV_TRY_ASSIGN(baseline_, Reference::start(context_.host, trusted_stages_));
  }
  if (!needs_build(candidate_source_)) {
    KBV_TRY_ASSIGN(candidate_, start_candidate(context_.host, candidate_source_, options_.profile, options_.limits, bundle_));
  }
  // What is wrong with a problem's file is told before anything is built.
  for (Reference* early : {reference_.get(), baseline_.get()}) {
    if (!early) continue;
    KBV_TRY_ASSIGN(const json facts, early->hello());
    note_facts(facts);
    KBV_TRY(early->load(problem_, secret_.seed("init")));
  }
  return {};
}

void Evaluation::note_facts(const json& facts) {
  seen_->machine.python = text_of(facts, "python");
  seen_->machine.torch = text_of(facts, "torch");
  seen_->machine.cuda = text_of(facts, "cuda");
  seen_->machine.cudnn = facts.contains("cudnn") && facts["cudnn"].is_number() ? json_text(facts["cudnn"]) : "";
  seen_->machine.torch_threads = facts.value("threads", 0);
}

Result<void> Evaluation::attach() {
  const bool served = context_.references && context_.references->oracle;
  const bool loaded = !served && reference_;
  if (served) {
    reference_ = std::move(context_.references->oracle);
  } else if (!reference_) {  // the one that served was lost meanwhile
    KBV_TRY_ASSIGN(reference_, Reference::start(context_.host, trusted_stages_));
    KBV_TRY(reference_->hello());
  }
  if (!loaded) KBV_TRY(reference_->load(problem_, secret_.seed("init")));
  // A context takes some tenths of a second, which the three need not spend one after the other.
  const auto prepare = [this](Reference* reference) -> Result<void> {
    KBV_TRY(reference->attach());
    return reference->construct(secret_.seed("construct"));
  };
  auto baseline = std::async(std::launch::async, [&] { return baseline_ ? prepare(baseline_.get()) : Result<void>(); });
  auto candidate = std::async(std::launch::async, [&] { return candidate_->attach(options_.stages.start_s); });
  const auto reference = prepare(reference_.get());
  const auto baseline_done = baseline.get(), candidate_done = candidate.get();
  KBV_TRY(reference);
  KBV_TRY(baseline_done);
  return candidate_done;
}

Result<void> Evaluation::prepare_candidate() {
  if (!candidate_) {
    KBV_TRY_ASSIGN(bundle_, make_bundle());
    KBV_TRY(run_build_stage(context_.host, candidate_source_, options_.profile, options_.limits, options_.stages,
                            [this](const IsolationReport& isolation) { return check_box(isolation); }, bundle_, seen_->build));
    KBV_TRY_ASSIGN(candidate_, start_candidate(context_.host, candidate_source_, options_.profile, options_.limits, bundle_));
  }
  KBV_TRY(check_box(candidate_->process().isolation()));
  KBV_TRY(candidate_->hello(options_.stages.start_s));
  return {};
}

Result<void> Evaluation::check_box(const IsolationReport& isolation) {
  seen_->isolation_level = isolation.level;
  seen_->isolation_layers = isolation.layers;
  seen_->isolation_missing = isolation.missing;
  return check_isolation(isolation, options_.required_profile);
}

void Evaluation::note_refused(const std::vector<RefusedCall>& calls) {
  for (const RefusedCall& call : calls) {
    const auto same = [&](const RefusedCall& seen) { return seen.layer == call.layer && seen.call == call.call; };
    if (std::none_of(seen_->refused_calls.begin(), seen_->refused_calls.end(), same)) seen_->refused_calls.push_back(call);
  }
}

Result<void> Evaluation::learn_layout() {
  KBV_TRY(reference_->learn_layout(secret_.seed("layout"), secret_.seed("forward/layout")));
  // Before the Model is built anew for the cases: each of its calls may change it.
  if (options_.timing) {
    KBV_TRY_ASSIGN(seen_->timing.operations, reference_->count_operations(secret_.seed("layout"), secret_.seed("forward/layout")));
  }
  KBV_TRY(reference_->bind_draws(device_));
  KBV_TRY_ASSIGN(BufferSet snapshot,
                 BufferSet::allocate(device_, reference_->output_tree(), "output", BufferSet::Kind::private_to_judge));
  snapshots_.push_back(std::move(snapshot));
  for (const auto& leaf : reference_->draw_out().leaves)
    seen_->output_layout.push_back({leaf.path, leaf.dtype, leaf.shape, {}});
  return {};
}

Result<void> Evaluation::load() {
  // What came before may have changed the reference's state: it begins the cases as constructed, as the candidate does.
  KBV_TRY(reference_->construct(secret_.seed("construct")));
  std::uint64_t state_bytes = 0;
  KBV_TRY(load_candidate(device_, *candidate_, *reference_, bundle_, secret_.seed("construct"), options_.stages,
                         state_bytes, candidate_arguments_));
  seen_->candidate_memory.state_bytes = state_bytes;
  return {};
}

Result<void> Evaluation::prepare_buffers() {
  KBV_TRY_ASSIGN(CallBuffers buffers, allocate_call_buffers(device_, reference_->input_tree(), reference_->output_tree()));
  KBV_TRY(bind_call_buffers(*candidate_, buffers, 0));
  candidate_slots_.push_back(std::move(buffers));
  if (!options_.families) return {};
  if (auto bound = reference_->bind_exact(device_); !bound) {
    if (bound.error().code != "device_memory") return bound;
    seen_->contracts.no_room = "no room for the outputs in float64";
  }
  return {};
}

void Evaluation::end_candidate() {
  if (!candidate_) return;
  candidate_->process().kill();
  DeviceWatch(device_).wait_until_gone(candidate_->pid(), k_gone_s);
  note_refused(candidate_->process().refused_calls());
  // A driver gives a dead process's memory back a little later; the next evaluation must find it free. Workers of ours keep
  // what they took meanwhile, so it is also enough that nothing more comes back.
  constexpr double k_settled_s = 0.15;
  const Deadline end = after_seconds(k_gone_s);
  std::optional<std::uint64_t> last;
  auto changed = Clock::now();
  while (memory_before_ && Clock::now() < end) {
    const auto used = device_.memory_used_bytes();
    if (!used || *used <= *memory_before_) return;
    if (!last || *used != *last) changed = Clock::now();
    if (last && seconds_since(changed) > k_settled_s) return;
    last = *used;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace kbv
