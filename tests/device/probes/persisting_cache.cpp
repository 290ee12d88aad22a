// SPDX-License-Identifier: MIT
// Probe 6: whether lines that one process asks to persist in the L2 cache outlive what another one does to empty it.
#include <map>

#include "boxed_worker.h"
#include "probe.h"

namespace kbv::cuda::probes {

Result<Finding> probe_persisting_cache(const Options&) {
  KBV_TRY_ASSIGN(auto device, open_cuda_device(0));
  KBV_TRY_ASSIGN(auto worker, BoxedWorker::start(device->info()));
  KBV_TRY_ASSIGN(const json opened, worker->ask({{"do", "l2_open"}}));
  Finding finding;
  finding.numbers = {{"worker", opened}, {"l2_bytes", device->info().l2_bytes}};
  if (!opened.contains("window_bytes")) {
    finding.text = "this device has no persisting lines";
    return finding;
  }
  KBV_TRY_ASSIGN(auto big, device->allocate_private(std::max<std::uint64_t>(2 * device->info().l2_bytes, 256u << 20)));
  enum class Between { nothing, small_operation, fill, evict };
  struct Arm {
    const char* name;
    bool persisting;
    Between between;
  };
  const Arm arms[] = {{"normal_untouched", false, Between::nothing},
                      {"normal_small_operation", false, Between::small_operation},
                      {"normal_fill", false, Between::fill},
                      {"normal_evict", false, Between::evict},
                      {"persisting_untouched", true, Between::nothing},
                      {"persisting_small_operation", true, Between::small_operation},
                      {"persisting_fill", true, Between::fill},
                      {"persisting_evict", true, Between::evict}};
  std::map<std::string, std::vector<double>> times;
  unsigned char byte = 0;
  for (int round = 0; round < 8; ++round)
    for (const Arm& arm : arms) {
      KBV_TRY(worker->ask({{"do", "l2_warm"}, {"persisting", arm.persisting}}));
      if (arm.between == Between::small_operation || arm.between == Between::fill) {
        if (arm.between == Between::fill) KBV_TRY(device->fill(*big, ++byte));
        KBV_TRY(device->sync());
        unsigned word = 0;
        if (arm.between == Between::small_operation) KBV_TRY(device->read(&word, *big, 0, sizeof word));
      } else if (arm.between == Between::evict) {
        KBV_TRY(device->evict_cache());
        KBV_TRY(device->sync());
      }
      KBV_TRY_ASSIGN(const json chased, worker->ask({{"do", "l2_chase"}}));
      times[arm.name].push_back(chased["ns"].get<double>());
    }
  std::map<std::string, double> medians;
  for (const auto& [name, values] : times) {
    medians[name] = median(values);
    finding.numbers[name] = spread_of(values, "ns");
  }
  const double hot = medians["normal_untouched"], cold = medians["normal_fill"], kept = medians["persisting_evict"];
  finding.text = "a load takes " + number(hot, 0) + " ns from the cache, " + number(cold, 0) +
                 " ns after another process's fill; of a persisting window " + number(medians["persisting_fill"], 0) +
                 " ns after that fill, " + number(kept, 0) + " ns after the judge's eviction";
  if (cold < 1.2 * hot) {
    finding.outcome = Outcome::surprise;
    finding.text += ": the fill does not empty the cache, or hot and cold can't be told apart here";
  } else if (kept < (hot + cold) / 2) {
    finding.outcome = Outcome::surprise;
    finding.text += ": the window outlives the judge's eviction";
  } else {
    finding.text += ": it does not outlive the judge's eviction";
  }
  return finding;
}

}  // namespace kbv::cuda::probes
