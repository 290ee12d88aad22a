// SPDX-License-Identifier: MIT
#include "judge/problem_check.h"

#include <algorithm>

#include "base/secret.h"

namespace kbv {
const char* to_string(DistributionStatus status) {
  switch (status) {
    case DistributionStatus::ok: return "ok";
    case DistributionStatus::not_finite: return "not finite";
    case DistributionStatus::inexact: return "inexact";
    case DistributionStatus::no_oracle: return "no float64";
    case DistributionStatus::error: return "error";
    case DistributionStatus::not_run: return "-";
  }
  return "?";
}

namespace {

DistributionCheck check_family(Reference& reference, const Secret& secret, const char* family, std::optional<Error>& spending) {
  DistributionCheck entry;
  entry.name = family;
  const std::string id = std::string("family/") + family;
  const auto reply = reference.family(family, 1.0, secret.seed("draw/" + id), secret.seed("forward/" + id));
  if (!reply) {
    entry.status = DistributionStatus::error;
    entry.reason = reply.error().message;
    if (spends_worker(reply.error())) spending = reply.error();
    return entry;
  }
  entry.reason = reply->why;
  switch (reply->status) {
    case FamilyReply::Status::ok: entry.status = DistributionStatus::ok; break;
    case FamilyReply::Status::not_finite: entry.status = DistributionStatus::not_finite; break;
    case FamilyReply::Status::inexact: entry.status = DistributionStatus::inexact; break;
    case FamilyReply::Status::no_room:
    case FamilyReply::Status::no_oracle: entry.status = DistributionStatus::no_oracle; break;
  }
  for (const FamilyReply::Output& output : reply->outputs)
    for (const MemberErrors& member : output.members) {
      const bool tf32 = member.name.rfind("tf32", 0) == 0;
      if (!tf32) entry.e_max = std::max(entry.e_max, member.e_max), entry.e_rms = std::max(entry.e_rms, member.e_rms);
      entry.tf32_e_rms = std::max(entry.tf32_e_rms, tf32 ? member.e_rms : 0);
    }
  return entry;
}

}  // namespace

ProblemCheck check_problem(Reference& reference, const ProblemSpec& problem, bool families, bool& worker_spent) {
  ProblemCheck check;
  check.path = problem.path;
  check.sha256 = sha256_hex(problem.source);
  const auto start = Clock::now();
  const auto finish = [&](Error error) {
    worker_spent = spends_worker(error);
    check.error = std::move(error);
    check.seconds = seconds_since(start);
    return check;
  };
  const auto secret = Secret::generate();
  if (!secret) return finish(secret.error());
  if (auto loaded = reference.load(problem, secret->seed("init")); !loaded) return finish(loaded.error());
  if (auto built = reference.construct(secret->seed("construct")); !built) return finish(built.error());
  for (const auto& distribution : k_distributions) {
    DistributionCheck& entry = check.distributions.emplace_back();
    entry.name = distribution.name;
    const std::string id = std::string("hidden-") + distribution.name;
    auto ran = reference.learn_layout(secret->seed("draw/" + id), secret->seed("forward/" + id), distribution.scale);
    if (!ran) {
      if (distribution.scale == 1.0 || spends_worker(ran.error())) return finish(ran.error());
      entry.status = DistributionStatus::error;
      entry.reason = ran.error().message;
      continue;
    }
    entry.status = reference.layout_finite() ? DistributionStatus::ok : DistributionStatus::not_finite;
    const auto inputs = tree_leaves(reference.input_tree(), "input");
    const auto outputs = tree_leaves(reference.output_tree(), "output");
    if (!inputs) return finish(inputs.error());
    if (!outputs) return finish(outputs.error());
    check.inputs = inputs->size();
    check.outputs = outputs->size();
    check.input_bytes = total_bytes(*inputs);
    check.output_bytes = total_bytes(*outputs);
    check.state_bytes = reference.state_bytes();
  }
  for (const char* family : k_families) {
    if (!families) break;
    std::optional<Error> spending;
    check.families.push_back(check_family(reference, *secret, family, spending));
    if (spending) return finish(*spending);
  }
  check.seconds = seconds_since(start);
  return check;
}

}  // namespace kbv
