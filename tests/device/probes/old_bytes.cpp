// SPDX-License-Identifier: MIT
// Probe 5: whether a fresh process sees bytes that another one left in device memory.
#include <unistd.h>

#include "boxed_worker.h"
#include "probe.h"

namespace kbv::cuda::probes {
namespace {

constexpr unsigned k_pattern = 0x5EC7E7A1;

json take(std::uint64_t bytes, bool create) { return {{"do", "take"}, {"bytes", bytes}, {"create", create}}; }
json with_word(const char* what) { return {{"do", what}, {"word", k_pattern}}; }

/// One process writes the pattern and ends; another one looks.
Result<json> leave_and_look(const DeviceInfo& device, std::uint64_t bytes, bool killed, bool create) {
  json result;
  {
    KBV_TRY_ASSIGN(auto writer, BoxedWorker::start(device));
    KBV_TRY_ASSIGN(result["left"], writer->ask(take(bytes, create)));
    KBV_TRY(writer->ask(with_word("fill")));
    if (!killed) {
      KBV_TRY(writer->send({{"do", "exit"}}));
      const Deadline deadline = after_seconds(10);
      while (!writer->process().exit_status() && Clock::now() < deadline) ::usleep(1000);
    }
    writer->process().kill();
  }
  KBV_TRY_ASSIGN(auto reader, BoxedWorker::start(device));
  KBV_TRY_ASSIGN(const json taken, reader->ask(take(bytes, create)));
  KBV_TRY_ASSIGN(const json counted, reader->ask(with_word("count")));
  result.update(counted);
  return result;
}

/// What one process sees of memory that it gave back itself.
Result<json> within_a_process(const DeviceInfo& device, std::uint64_t bytes) {
  KBV_TRY_ASSIGN(auto worker, BoxedWorker::start(device));
  KBV_TRY(worker->ask(take(bytes, false)));
  KBV_TRY(worker->ask(with_word("fill")));
  KBV_TRY(worker->ask({{"do", "free"}}));
  KBV_TRY(worker->ask(take(bytes, false)));
  return worker->ask(with_word("count"));
}

}  // namespace

Result<Finding> probe_old_bytes(const Options& options) {
  const CudaProbe devices = probe_cuda();
  if (devices.devices.empty()) return fail(Fault::machine, "no_gpu", devices.reason);
  Finding finding;
  unsigned long long pattern = 0, set = 0, looked = 0;
  int failures = 0;
  std::string problem;
  for (const bool killed : {false, true})
    for (const bool create : {false, true}) {
      auto seen = leave_and_look(devices.devices[0], options.memory_bytes, killed, create);
      finding.numbers[std::string(killed ? "killed" : "exited") + (create ? "_cuMemCreate" : "_cuMemAlloc")] =
          seen ? *seen : json{{"error", seen.error().message}};
      if (!seen) {
        ++failures;
        problem = seen.error().message;
        continue;
      }
      pattern += (*seen)["pattern_words"].get<unsigned long long>();
      set += (*seen)["set_words"].get<unsigned long long>();
      looked += (*seen)["bytes"].get<unsigned long long>();
    }
  auto same = within_a_process(devices.devices[0], options.memory_bytes);
  finding.numbers["same_process"] = same ? *same : json{{"error", same.error().message}};
  finding.outcome = pattern > 0 ? Outcome::surprise : failures > 0 || looked == 0 ? Outcome::failed : Outcome::ok;
  finding.text = std::to_string(pattern) + " of " + std::to_string(looked / 4) +
                 " words are another process's pattern, " + std::to_string(set) + " are not zero (" +
                 number(static_cast<double>(looked) / (1ull << 30)) + " GiB in " + std::to_string(4 - failures) +
                 " of 4 tries); a process's own freed memory: " +
                 (same ? (*same)["pattern_words"].dump() + " of " +
                             std::to_string((*same)["bytes"].get<unsigned long long>() / 4) + " words"
                       : same.error().message);
  if (failures > 0) finding.text += "; " + problem;
  return finding;
}

}  // namespace kbv::cuda::probes
