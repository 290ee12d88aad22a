// SPDX-License-Identifier: MIT
#include "report/reproducer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_text.h"
#include "base/secret.h"
#include "problem/known_problems.h"
#include "score/budget.h"

namespace kbv {

extern const std::string_view k_reproducer_source, k_families_source, k_oracle_source;

namespace {

using nlohmann::json;

constexpr std::string_view k_placeholder = "FACTS = json.loads(\"{}\")";

/// What each output is held to. Of an infinite limit, null.
json rules_of(const CaseResult& deciding, const Observation& observation, const Protocol& protocol, const Verdict& verdict) {
  const auto native = std::find_if(observation.cases.begin(), observation.cases.end(), [](const CaseResult& result) {
    return result.kind == "hidden" && result.distribution == "D1" && result.ran;
  });
  json rules = json::object();
  for (std::size_t i = 0; i < deciding.outputs.size(); ++i) {
    const OutputCheck& output = deciding.outputs[i];
    const bool floating = is_floating(output.dtype);
    const auto given = protocol.tolerance.find(std::string(dtype_name(output.dtype)));
    double tolerance = given != protocol.tolerance.end() ? given->second : 0;
    if (floating && verdict.tolerance) tolerance = *verdict.tolerance;
    if (!floating && protocol.exact_integers) tolerance = 0;
    json& rule = rules[output.path] = {{"tolerance", tolerance}, {"max_rms_ratio", json()}, {"budget", json()}};
    if (floating && protocol.max_rms_ratio) rule["max_rms_ratio"] = *protocol.max_rms_ratio;
    if (!floating || !protocol.budget || verdict.tolerance) continue;
    if (output.exact) {
      const Allowance allowed = allowance(*output.exact, output.dtype, *protocol.budget, Precision::tf32);
      rule["budget"] = {{"e_max", allowed.e_max}, {"e_rms", allowed.e_rms}, {"e_var", allowed.e_var ? json(*allowed.e_var) : json()}};
    } else if (native != observation.cases.end() && native->outputs.size() == deciding.outputs.size() && native->outputs[i].exact) {
      const DifferenceAllowance may = difference_allowance(*native->outputs[i].exact, output.dtype, *protocol.budget, Precision::tf32);
      rule["tolerance"] = may.tau;
      rule["max_rms_ratio"] = may.rms;
    }
  }
  return rules;
}

bool protocol_has_budget(const std::string& name) {
  const auto protocol = find_protocol(name);
  return protocol && protocol->budget.has_value();
}

}  // namespace

Result<std::string> reproducer_script(const Observation& observation, const Verdict& verdict) {
  const auto refuse = [&](const std::string& why) { return fail(Fault::usage, "no_reproducer", "no script: " + why); };
  if (verdict.code != "wrong_output") return refuse("the verdict is " + verdict.code + ", not wrong_output");
  const auto deciding = std::find_if(observation.cases.begin(), observation.cases.end(),
                                     [&](const CaseResult& result) { return result.id == verdict.worst_case; });
  if (deciding == observation.cases.end()) return refuse("the observation has no case " + verdict.worst_case);
  if (deciding->kind == "parameters")
    return refuse("an output with other parameters decided (" + deciding->id +
                  "), and a script has no way to hand those to a candidate, who may keep its own anywhere; kbv replay "
                  "makes it again");
  if (deciding->kind == "contract") return refuse("an output of a repeated call decided; kbv replay makes it again");
  if (observation.contracts.eval_mode && deciding->kind == "family") return refuse("it ran in eval mode; kbv replay makes it again");
  if (deciding->kind == "noise")
    return refuse("the distribution of many calls' random numbers decided, not one output; kbv replay makes it again");
  if (observation.noise && protocol_has_budget(verdict.protocol) && (deciding->kind == "trial" || deciding->kind == "hidden"))
    return refuse("the distance from outputs with other random numbers decided; kbv replay makes it again");
  if (deciding->kind == "timed") return refuse("the output of a timed call decided; kbv replay makes it again");
  KBV_TRY_ASSIGN(const Secret secret, Secret::from_hex(observation.secret));
  KBV_TRY_ASSIGN(const Protocol protocol, find_protocol(verdict.protocol));

  json facts = {{"problem", {{"path", observation.problem.path}, {"sha256", observation.problem.sha256}}},
                {"candidate", {{"path", observation.candidate.path}, {"sha256", observation.candidate.sha256}}},
                {"size", observation.size},
                {"precision", observation.precision},
                {"cuda", observation.machine.backend == "cuda"},
                {"init_seed", secret.seed("init")},
                {"construct_seed", secret.seed("construct")},
                {"outputs", rules_of(*deciding, observation, protocol, verdict)},
                {"families", std::string(k_families_source)},
                {"oracle", std::string(k_oracle_source)},
                {"domains", json()},
                {"reason", verdict.reason},
                {"constants", json::object()},
                {"cases", json::array()}};
  for (const auto& [name, text] : observation.constants) {
    json value = json::parse(text, nullptr, false);
    if (value.is_discarded()) return refuse("constants: " + name + " is not JSON");
    facts["constants"][name] = std::move(value);
  }
  if (const KnownProblem* known = find_known_problem(observation.problem.sha256); known && !known->domains.empty())
    facts["domains"] = known->domains;
  for (auto result = observation.cases.begin(); result <= deciding; ++result)
    if (!result->dropped && (result->kind == "trial" || result->kind == "hidden" || result->kind == "family"))
      facts["cases"].push_back({{"id", result->id},
                                {"family", result->kind == "family" ? json(result->distribution) : json()},
                                {"scale", result->scale},
                                {"seed", result->seed},
                                {"forward_seed", secret.seed("forward/" + result->id)}});

  // JSON within a JSON string, all of it ASCII, is a string for Python too.
  const std::string text = json_text(json(json_text(facts)));
  std::string script(k_reproducer_source);
  script.replace(script.find(k_placeholder), k_placeholder.size(), "FACTS = json.loads(" + text + ")");
  return script;
}

}  // namespace kbv
