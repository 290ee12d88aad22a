// SPDX-License-Identifier: MIT
#include "report/reproducer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/secret.h"

namespace kbv {

extern const std::string_view k_reproducer_source;

namespace {

using nlohmann::json;

constexpr std::string_view k_placeholder = "FACTS = json.loads(\"{}\")";

/// What each output is held to.
json rules_of(const CaseResult& deciding, const Protocol& protocol, const Verdict& verdict) {
  json rules = json::object();
  for (const OutputCheck& output : deciding.outputs) {
    const bool floating = is_floating(output.dtype);
    const auto given = protocol.tolerance.find(std::string(dtype_name(output.dtype)));
    double tolerance = given != protocol.tolerance.end() ? given->second : 0;
    if (floating && verdict.tolerance) tolerance = *verdict.tolerance;
    if (!floating && protocol.exact_integers) tolerance = 0;
    rules[output.path] = {{"tolerance", tolerance}, {"max_rms_ratio", json()}};
    if (floating && protocol.max_rms_ratio) rules[output.path]["max_rms_ratio"] = *protocol.max_rms_ratio;
  }
  return rules;
}

}  // namespace

Result<std::string> reproducer_script(const Observation& observation, const Verdict& verdict) {
  const auto refuse = [&](const std::string& why) { return fail(Fault::usage, "no_reproducer", "no script: " + why); };
  if (verdict.code != "wrong_output") return refuse("the verdict is " + verdict.code + ", not wrong_output");
  const auto deciding = std::find_if(observation.cases.begin(), observation.cases.end(),
                                     [&](const CaseResult& result) { return result.id == verdict.worst_case; });
  if (deciding == observation.cases.end()) return refuse("the observation has no case " + verdict.worst_case);
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
                {"outputs", rules_of(*deciding, protocol, verdict)},
                {"reason", verdict.reason},
                {"constants", json::object()},
                {"cases", json::array()}};
  for (const auto& [name, text] : observation.constants) {
    json value = json::parse(text, nullptr, false);
    if (value.is_discarded()) return refuse("constants: " + name + " is not JSON");
    facts["constants"][name] = std::move(value);
  }
  for (auto result = observation.cases.begin(); result <= deciding; ++result)
    if (!result->dropped)
      facts["cases"].push_back({{"id", result->id},
                                {"scale", result->scale},
                                {"seed", result->seed},
                                {"forward_seed", secret.seed("forward/" + result->id)}});

  // JSON within a JSON string, all of it ASCII, is a string for Python too.
  const std::string text = json(facts.dump(-1, ' ', true, json::error_handler_t::replace)).dump(-1, ' ', true);
  std::string script(k_reproducer_source);
  script.replace(script.find(k_placeholder), k_placeholder.size(), "FACTS = json.loads(" + text + ")");
  return script;
}

}  // namespace kbv
