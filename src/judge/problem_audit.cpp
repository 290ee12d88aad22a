// SPDX-License-Identifier: MIT
#include "judge/problem_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/secret.h"
#include "judge/draw_case.h"
#include "judge/families.h"
#include "judge/noise.h"

namespace kbv {
namespace {

using nlohmann::json;

constexpr std::size_t k_most_stand_ins = 320;
/// Families that come before other parameters do: each change of those builds the Model anew, but rejects most of what
/// is left.
constexpr std::size_t k_families_first = 2;
/// An error that is so many times that of right implementations, and this much of the output, is no rounding.
constexpr double k_beyond_rounding = 1024, k_visible = 0x1p-6;

/// The names that the worker found, bounded.
std::vector<std::pair<std::string, std::string>> listed(const json& reply) {
  std::vector<std::pair<std::string, std::string>> names;
  const auto found = reply.find("stand_ins");
  if (found == reply.end() || !found->is_array()) return names;
  for (const json& entry : *found)
    if (entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string() &&
        names.size() < k_most_stand_ins)
      names.emplace_back(entry[0].get<std::string>(), entry[1].get<std::string>());
  return names;
}

bool is_plainly_different(const CaseResult& result) {
  return std::any_of(result.outputs.begin(), result.outputs.end(), [](const OutputCheck& output) {
    if (!output.exact || !is_floating(output.dtype)) return false;
    double right = 0;
    for (const MemberErrors& member : output.exact->members) right = std::max(right, member.e_rms);
    return output.exact->stats.e_rms > std::max(k_visible, k_beyond_rounding * right);
  });
}

bool is_seen_to_matter(const StandIn& stand_in) {
  return std::any_of(stand_in.cases.begin(), stand_in.cases.end(),
                     [](const StandInCase& entry) { return entry.same_exact == false; });
}

class Audit {
 public:
  Audit(Device& device, std::mutex& device_use, Reference& reference, const Secret& secret, const AuditOptions& options,
        ProblemAudit& result)
      : device_(device),
        device_use_(device_use),
        reference_(reference),
        secret_(secret),
        options_(options),
        result_(result) {}

  Result<void> prepare(const ProblemSpec& problem) {
    KBV_TRY(reference_.load(problem, secret_.seed("init")));
    KBV_TRY(reference_.construct(secret_.seed("construct")));
    KBV_TRY(reference_.learn_layout(secret_.seed("layout"), secret_.seed("forward/layout")));
    KBV_TRY(reference_.construct(secret_.seed("construct")));  // its forward may have changed it
    auto bound = bind();
    if (!bound && bound.error().code == "device_memory") {
      Error error = std::move(bound).error();
      error.code = "out_of_memory";  // others may have it: once more, alone
      return tl::make_unexpected(std::move(error));
    }
    return bound;
  }

  /// The draws of an evaluation, as far as a stand-in is left to be made; those that cost least first.
  Result<void> run() {
    KBV_TRY(learn_noise());
    for (const Distribution& distribution : k_distributions)
      KBV_TRY(under(new_draw("hidden", std::string("hidden-") + distribution.name, distribution)));
    for (const NoiseInputs& inputs : k_noise_inputs) KBV_TRY(under_noise(inputs));
    KBV_TRY(leave_training());
    const std::span families(k_families);
    KBV_TRY(under_families(families.first(k_families_first)));
    KBV_TRY(under_parameters());
    return under_families(families.subspan(k_families_first));
  }

 private:
  Result<void> bind() {
    const std::lock_guard lock(device_use_);
    KBV_TRY(reference_.bind_draws(device_));
    KBV_TRY_ASSIGN(out_, BufferSet::allocate(device_, reference_.output_tree(), "output", BufferSet::Kind::shared));
    KBV_TRY(reference_.worker().bind("stand_in", out_.tree, out_.buffers));
    return reference_.bind_exact(device_);
  }

  static CaseResult new_draw(const std::string& kind, const std::string& id, const Distribution& distribution) {
    CaseResult draw;
    draw.kind = kind;
    draw.id = id;
    draw.distribution = distribution.name;
    draw.scale = distribution.scale;
    return draw;
  }

  /// What is normal where the forward draws random numbers: without that, none of its draws in training can be judged.
  Result<void> learn_noise() {
    if (!reference_.draws_random()) return {};
    noise_.emplace();
    KBV_TRY_ASSIGN(noise_->spreads, noise_spreads(reference_, secret_));
    for (const NoiseInputs& inputs : k_noise_inputs) {
      KBV_TRY_ASSIGN(const NoiseStart start, begin(inputs));
      if (start.calls == 0) continue;
      KBV_TRY_ASSIGN(std::vector<NoiseOutput> outputs, reference_.noise_outputs());
      noise_->draws.push_back({inputs.id, 0, std::move(outputs)});
    }
    if (noise_->draws.empty()) noise_->note = "the reference's output is not finite";
    return reference_.end_noise();
  }

  Result<NoiseStart> begin(const NoiseInputs& inputs) {
    const std::lock_guard lock(device_use_);
    return begin_noise(device_, reference_, secret_, inputs);
  }

  /// Many calls of each stand-in that is still wanted.
  Result<void> under_noise(const NoiseInputs& inputs) {
    CaseResult draw = new_draw("noise", inputs.id, k_distributions[0]);
    if (!noise_ || noise_->draws.empty() || !is_wanted(draw)) return {};
    draw.seed = secret_.seed("draw/" + draw.id);
    KBV_TRY_ASSIGN(const NoiseStart start, begin(inputs));
    draw.dropped = start.calls == 0;
    draw.drop_reason = start.why;
    draw.calls = std::max(start.calls, 1);
    result_.draws.push_back(draw);
    const std::vector<std::uint64_t> seeds = noise_seeds(secret_, draw.id, "candidate");
    for (StandIn& stand_in : result_.stand_ins) {
      if (draw.dropped || !is_wanted(stand_in, draw)) continue;
      KBV_TRY_ASSIGN(auto outputs, reference_.noise_of_stand_in(stand_in.kind, stand_in.what, draw.seed, seeds));
      StandInCase& entry = stand_in.cases.emplace_back();
      entry.result = draw;
      entry.result.ran = outputs.has_value();
      if (!outputs) {
        entry.why_not = "not with these inputs";
        continue;
      }
      for (const Leaf& leaf : reference_.draw_out().leaves) entry.result.outputs.push_back({leaf.path, leaf.dtype, leaf.shape, {}});
      for (NoiseDraw& known : stand_in.noise->draws)
        if (known.id == draw.id) known = {draw.id, start.calls, std::move(*outputs)};
    }
    return reference_.end_noise();
  }

  /// As an evaluation does: of a reference that draws random numbers in training, families and parameters are tried in
  /// eval mode.
  Result<void> leave_training() { return reference_.draws_random() ? reference_.set_training(false) : Result<void>(); }

  bool is_wanted(const StandIn& stand_in, const CaseResult& draw) const {
    return options_.is_open(stand_in, draw) || (varies_an_argument(stand_in) && !is_seen_to_matter(stand_in));
  }

  /// Before the first draw it is not known what there is to try.
  bool is_wanted(const CaseResult& draw) const {
    return options_.is_looked_at(draw) &&
           (!is_listed_ || std::any_of(result_.stand_ins.begin(), result_.stand_ins.end(),
                                       [&](const StandIn& stand_in) { return is_wanted(stand_in, draw); }));
  }

  Result<void> under_families(std::span<const char* const> families) {
    for (const char* family : families) {
      CaseResult draw = new_draw("family", std::string("family-") + family, {family, 1.0});
      if (!is_wanted(draw)) continue;
      if (has_other_parameters_) {
        KBV_TRY(reference_.construct(secret_.seed("construct")));
        KBV_TRY(leave_training());
        has_other_parameters_ = false;
      }
      KBV_TRY(under(std::move(draw)));
    }
    return {};
  }

  Result<void> under_parameters() {
    if (reference_.state_bytes() > k_most_varied_bytes) {
      result_.parameters_note = "too large";
      return {};
    }
    std::optional<json> listing;
    for (const ParameterChange& change : k_parameter_changes) {
      bool is_made = false;
      for (const char* family : change.families) {
        CaseResult draw = new_draw("parameters", fmt::format("parameters-{}-{}", change.name, family), {family, 1.0});
        if (!is_wanted(draw)) continue;
        if (!listing) {
          KBV_TRY_ASSIGN(listing, reference_.list_parameters(secret_, 600));
          if (listing->value("elements", std::uint64_t{0}) == 0) {
            result_.parameters_note = "the model has none";
            return {};
          }
        }
        if (*change.needs && listing->value(change.needs, 0) == 0) continue;
        if (!is_made) KBV_TRY(change_parameters(change.name));
        is_made = true;
        KBV_TRY(under(std::move(draw)));
      }
    }
    return {};
  }

  Result<void> change_parameters(const std::string& name) {
    KBV_TRY(reference_.construct(secret_.seed("construct")));
    has_other_parameters_ = true;
    KBV_TRY(reference_.worker().request({{"op", "perturb"},
                                         {"regime", name},
                                         {"seed", secret_.seed("parameters/" + name)},
                                         {"forward_seed", secret_.seed("forward/parameters/" + name)}},
                                        600, "runtime_error"));
    return leave_training();
  }

  /// All stand-ins that are wanted, on one draw. The reference runs in float64 and as an ensemble once for all of them.
  Result<void> under(CaseResult draw) {
    if (!is_wanted(draw)) return {};
    draw.seed = secret_.seed("draw/" + draw.id);
    const std::uint64_t forward_seed = secret_.seed("forward/" + draw.id);
    auto made = draw_case(reference_, draw, forward_seed);
    result_.draws.push_back(draw);
    // A draw that others' memory took away would make gaps that no candidate finds. Once more, alone; then it is told.
    if (made && draw.no_room)
      return fail(Fault::machine, "out_of_memory",
                  fmt::format("{}: no room for the reference in float64 on this device: {}", draw.id, draw.no_oracle));
    if (!made) return tl::make_unexpected(std::move(made).error());
    if (!*made) return {};
    const FamilyReply& drawn = **made;
    json request = {{"op", "stand_ins"},
                    {"inputs", drawn.inputs},
                    {"family", draw.distribution},
                    {"scale", draw.scale},
                    {"seed", draw.seed},
                    {"forward_seed", forward_seed},
                    {"mutates", drawn.writes_inputs},
                    {"random", reference_.draws_random()},
                    {"listing", !is_listed_}};
    if (!reference_.domains().empty()) request["domains"] = reference_.domains();
    KBV_TRY_ASSIGN(const json found, reference_.worker().request(std::move(request), 600, "runtime_error"));
    if (!is_listed_) {
      is_listed_ = true;
      result_.parameters_left_out = found.value("left_out", std::uint64_t{0});
      for (const auto& [kind, what] : listed(found)) result_.stand_ins.push_back({kind, what, {}, noise_});
    }
    for (StandIn& stand_in : result_.stand_ins)
      if (is_wanted(stand_in, draw)) KBV_TRY(try_one(stand_in, draw, drawn));
    return {};
  }

  Result<void> try_one(StandIn& stand_in, const CaseResult& draw, const FamilyReply& drawn) {
    const json named = {{"kind", stand_in.kind}, {"what", stand_in.what}, {"out", "stand_in"}};
    json request = named;
    request["op"] = "stand_in";
    KBV_TRY_ASSIGN(const json reply, reference_.worker().request(std::move(request), 600, "runtime_error"));
    StandInCase& entry = stand_in.cases.emplace_back();
    entry.result = draw;
    entry.result.ran = reply.value("made", false);
    entry.why_not = reply.value("why", std::string());
    if (!entry.result.ran) return {};
    KBV_TRY(compare(entry.result, drawn));
    const bool has_float64 = !drawn.outputs.empty();
    if (!has_float64 || !may_do_nothing(stand_in) || is_seen_to_matter(stand_in)) return {};
    if (is_plainly_different(entry.result)) {
      entry.same_exact = false;
    } else if (is_wanted(stand_in, draw)) {
      request = named;
      request["op"] = "stand_in_exact";
      KBV_TRY_ASSIGN(const json same, reference_.worker().request(std::move(request), 600, "runtime_error"));
      if (const auto told = same.find("same"); told != same.end() && told->is_boolean())
        entry.same_exact = told->get<bool>();
    }
    return {};
  }

  Result<void> compare(CaseResult& result, const FamilyReply& drawn) {
    const std::lock_guard lock(device_use_);
    const BufferSet& expected = reference_.draw_out();
    for (std::size_t i = 0; i < expected.leaves.size(); ++i) {
      const Leaf& leaf = expected.leaves[i];
      OutputCheck& check = result.outputs.emplace_back(OutputCheck{leaf.path, leaf.dtype, leaf.shape, {}});
      if (result.kind != "hidden") continue;  // no tolerance decides there
      KBV_TRY_ASSIGN(check.stats, device_.compare(leaf.dtype, *expected.buffers[i], *out_.buffers[i], leaf.elements));
    }
    return compare_exact(device_, reference_, drawn, out_, result.outputs);
  }

  Device& device_;
  std::mutex& device_use_;
  Reference& reference_;
  const Secret& secret_;
  const AuditOptions& options_;
  ProblemAudit& result_;
  BufferSet out_;
  std::optional<Noise> noise_;  // what is normal
  bool is_listed_ = false, has_other_parameters_ = false;
};

}  // namespace

bool varies_an_argument(const StandIn& stand_in) {
  return stand_in.kind == "other_input" || stand_in.kind == "varied_parameter";
}

bool may_do_nothing(const StandIn& stand_in) {
  return stand_in.kind.ends_with("_input") || stand_in.kind.ends_with("_parameter") ||
         stand_in.kind.starts_with("skip_");
}

ProblemAudit audit_problem(Device& device, std::mutex& device_use, Reference& reference, const ProblemSpec& problem,
                           const AuditOptions& options, bool& worker_spent) {
  ProblemAudit result;
  result.path = problem.path;
  result.sha256 = sha256_hex(problem.source);
  const auto start = Clock::now();
  const auto secret = Secret::generate();
  Result<void> done;
  if (!secret) {
    done = tl::make_unexpected(secret.error());
  } else {
    Audit audit(device, device_use, reference, *secret, options, result);
    done = audit.prepare(problem);
    if (done) done = audit.run();
    // The worker maps the audit's buffers, which end here.
    if (auto forgotten = reference.forget(); done && !forgotten) done = forgotten;
  }
  if (!done) {
    worker_spent = spends_worker(done.error());
    result.error = std::move(done).error();
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace kbv
