// SPDX-License-Identifier: MIT
// The evaluations that the golden reports show.
#pragma once

#include "../score/sample_observation.h"
#include "report/report.h"

namespace kbv::test {

inline std::vector<Verdict> verdicts_of(const Observation& observation) {
  std::vector<Verdict> verdicts;
  for (const char* name : {"attested", "kernelbench", "verified"})
    verdicts.push_back(judge_observation(observation, protocol(name)));
  return verdicts;
}

inline Observation wrong_observation() {
  Observation o = good_observation();
  o.candidate.path = "zoo/wrong/relu_identity.py";
  o.cases = relu_cases([](double x) { return x; });
  o.cases[0].mutated_inputs = true;
  o.candidate_output = "compiling\nready\n";
  return o;
}

inline Observation crash_observation() {
  Observation o = good_observation();
  o.candidate.path = "zoo/wrong/relu_segfault.py";
  fail_from(o, "hidden-D2",
            {Fault::candidate, "crash", "the candidate's process died of signal 11 (segmentation fault) in hidden-D2",
             "Traceback (most recent call last):\n  File \"relu_segfault.py\", line 12, in forward\n    boom()\n"});
  for (int i = 0; i < 14; ++i) o.candidate_output += "step " + std::to_string(i) + "\n";
  return o;
}

inline Observation build_error_observation() {
  Observation o = good_observation();
  o.candidate.path = "zoo/wrong/relu_typo.py";
  o.cases.clear();
  o.candidate_time = {};
  o.build = {true, false, 13.4, "relu.cu(7): error: identifier \"thraedIdx\" is undefined",
             "[1/2] nvcc -c relu.cu\nrelu.cu(7): error: identifier \"thraedIdx\" is undefined\n1 error detected\n"};
  o.fault = Error{Fault::candidate, "build_error", o.build.first_error, ""};
  return o;
}

inline Observation machine_fault_observation() {
  Observation o = good_observation();
  fail_from(o, "trial-3", {Fault::machine, "gpu_lost", "the GPU fell off the bus (CUDA error 719)", ""});
  o.isolation_level = "none";
  o.isolation_layers.clear();
  o.isolation_missing = {"uid: needs root", "net: user namespaces are off", "landlock: this kernel has none"};
  return o;
}

inline Observation problem_fault_observation() {
  Observation o = good_observation();
  for (CaseResult& result : o.cases) {
    result.dropped = true;
    result.ran = false;
    result.drop_reason = "reference has NaN";
    result.outputs.clear();
  }
  o.candidate_time = {};
  return o;
}

/// On a machine without a GPU; the candidate is too short to time, and tells another time than the judge measures.
inline Observation unresolved_observation() {
  Observation o = good_observation();
  o.size = "cpu";
  o.machine.backend = "host";
  o.machine.device = "AMD EPYC 9654";
  o.machine.driver_version = 0;
  o.machine.cuda = o.machine.cudnn = "";
  o.baselines.pop_back();
  o.candidate_time = {samples_around(300.05, 0.1), samples_around(19.5, 0.1)};
  return o;
}

/// Tries to rewrite the terminal through every text that it can reach.
inline Observation hostile_observation() {
  const std::string evil = "\x1b[2J\x1b[1;32mCORRECT\x1b[0m \u202Etxet\u202C \u009b31m \x07\x08\x7f\xff\xc3( \r\n\tend";
  Observation o = crash_observation();
  o.candidate.path = "x" + evil + ".py";
  o.fault->message = evil;
  o.fault->detail = evil + "\n" + std::string(300, 'A') + "\n";
  o.candidate_output = evil + "\n\x1b]0;title\x07\n";
  o.build = {true, true, 1.5, evil, evil};
  o.isolation_missing = {evil};
  o.machine.torch = evil;
  o.cases[0].id = evil;
  o.cases[1].outputs[0].path = evil;
  return o;
}

}  // namespace kbv::test
