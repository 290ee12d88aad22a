// SPDX-License-Identifier: MIT
#include "judge/problem_audit.h"

#include <algorithm>
#include <array>

#include "base/secret.h"

namespace kbv {
namespace {

using nlohmann::json;

constexpr std::size_t k_most_stand_ins = 256;

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

class Audit {
 public:
  Audit(Device& device, std::mutex& device_use, Reference& reference, const Secret& secret, ProblemAudit& result)
      : device_(device), device_use_(device_use), reference_(reference), secret_(secret), result_(result) {}

  Result<void> prepare(const ProblemSpec& problem) {
    KBV_TRY(reference_.load(problem, secret_.seed("init")));
    KBV_TRY(reference_.construct(secret_.seed("construct")));
    KBV_TRY(reference_.learn_layout(secret_.seed("layout"), secret_.seed("forward/layout")));
    const std::lock_guard lock(device_use_);
    KBV_TRY(reference_.bind_draws(device_, 2));
    KBV_TRY_ASSIGN(out_, BufferSet::allocate(device_, reference_.output_tree(), "output", BufferSet::Kind::shared));
    return reference_.worker().bind("stand_in", out_.tree, out_.buffers);
  }

  Result<void> under_all() {
    for (const Distribution& distribution : k_distributions) {
      const auto done = under(distribution);
      if (!done && (distribution.scale == 1.0 || spends_worker(done.error()))) return done;
    }
    return {};
  }

 private:
  /// All stand-ins under one distribution. Nothing is noted of one under which the reference is not finite.
  Result<void> under(const Distribution& distribution) {
    const std::string id = std::string("audit/") + distribution.name;
    const std::uint64_t forward_seed = secret_.seed("forward/" + id);
    const std::array<Draw, 2> draws{Draw{secret_.seed("draw/" + id)}, Draw{secret_.seed("other/" + id)}};
    KBV_TRY_ASSIGN(const DrawReply drawn, reference_.draw(draws, distribution.scale, forward_seed, true));
    if (!drawn.finite) return {};
    KBV_TRY_ASSIGN(const json found, reference_.worker().request({{"op", "stand_ins"}, {"forward_seed", forward_seed}},
                                                                 600, "runtime_error"));
    result_.distributions.emplace_back(distribution.name);
    result_.parameters_left_out = found.value("left_out", std::uint64_t{0});
    for (const auto& [kind, what] : listed(found)) {
      KBV_TRY_ASSIGN(const json reply, reference_.worker().request(
                                           {{"op", "stand_in"}, {"kind", kind}, {"what", what}, {"out", "stand_in"}},
                                           600, "runtime_error"));
      StandInCase entry;
      entry.distribution = distribution.name;
      entry.made = reply.value("made", false);
      entry.why_not = reply.value("why", std::string());
      if (entry.made) KBV_TRY(compare(entry.outputs));
      stand_in(kind, what).cases.push_back(std::move(entry));
    }
    return {};
  }

  StandIn& stand_in(const std::string& kind, const std::string& what) {
    const auto known = std::find_if(result_.stand_ins.begin(), result_.stand_ins.end(),
                                    [&](const StandIn& other) { return other.kind == kind && other.what == what; });
    if (known != result_.stand_ins.end()) return *known;
    return result_.stand_ins.emplace_back(StandIn{kind, what, {}});
  }

  Result<void> compare(std::vector<OutputCheck>& checks) {
    const std::lock_guard lock(device_use_);
    const BufferSet& expected = reference_.draw_out();
    for (std::size_t i = 0; i < expected.leaves.size(); ++i) {
      const Leaf& leaf = expected.leaves[i];
      KBV_TRY_ASSIGN(const CompareStats stats,
                     device_.compare(leaf.dtype, *expected.buffers[i], *out_.buffers[i], leaf.elements));
      checks.push_back({leaf.path, leaf.dtype, leaf.shape, stats});
    }
    return {};
  }

  Device& device_;
  std::mutex& device_use_;
  Reference& reference_;
  const Secret& secret_;
  ProblemAudit& result_;
  BufferSet out_;
};

}  // namespace

ProblemAudit audit_problem(Device& device, std::mutex& device_use, Reference& reference, const ProblemSpec& problem,
                           bool& worker_spent) {
  ProblemAudit result;
  result.path = problem.path;
  result.sha256 = sha256_hex(problem.source);
  const auto start = Clock::now();
  const auto secret = Secret::generate();
  Result<void> done;
  if (!secret) {
    done = tl::make_unexpected(secret.error());
  } else {
    Audit audit(device, device_use, reference, *secret, result);
    done = audit.prepare(problem);
    if (done) done = audit.under_all();
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
