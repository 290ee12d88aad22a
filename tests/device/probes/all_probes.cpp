// SPDX-License-Identifier: MIT
#include "probe.h"

namespace kbv::cuda::probes {

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::surprise:
      return "surprise";
    case Outcome::failed:
      return "failed";
    case Outcome::skipped:
      return "skipped";
  }
  return "?";
}

const std::vector<Probe>& all_probes() {
  static const std::vector<Probe> probes = {
      {1, "hand-over", 20, probe_hand_over},
      {2, "snapshot delay", 20, probe_snapshot_delay},
      {3, "export across namespaces", 15, probe_export},
      {4, "widening a read-only mapping", 20, probe_widening},
      {5, "old bytes", 45, probe_old_bytes},
      {6, "persisting L2 window", 20, probe_persisting_cache},
      {7, "NVML in namespaces", 15, probe_nvml},
      {8, "cuInit in the box", 25, probe_start_in_box},
      {9, "kill to ready", 45, probe_kill},
      {10, "clock drift", 15, probe_clock_drift},  // and what is waited
  };
  return probes;
}

}  // namespace kbv::cuda::probes
