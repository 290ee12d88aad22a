// SPDX-License-Identifier: MIT
// Probes 1 and 2: what a hand-over costs, and what a kernel that a worker leaves running does to the judge's snapshot.
#include "boxed_worker.h"
#include "probe.h"
#include "worker.h"

namespace kbv::cuda::probes {
namespace {

constexpr std::uint64_t k_bytes = 4u << 20;
constexpr int k_rounds = 1000;

struct Buffers {
  std::unique_ptr<Buffer> pristine, shared, snapshot;
};

Result<Buffers> make_buffers(Device& device) {
  Buffers buffers;
  KBV_TRY_ASSIGN(buffers.pristine, device.allocate_private(k_bytes));
  KBV_TRY_ASSIGN(buffers.shared, device.allocate_shared(k_bytes));
  KBV_TRY_ASSIGN(buffers.snapshot, device.allocate_private(k_bytes));
  return buffers;
}

enum class Copies { no, yes };

Result<std::vector<double>> time_rounds(Device& device, BoxedWorker& worker, Buffers& buffers, bool works,
                                        Copies copies) {
  KBV_TRY(worker.send({{"do", "serve"}, {"rounds", k_rounds}, {"works", works}}));
  auto& request = *static_cast<std::atomic<std::uint32_t>*>(worker.page().data());
  auto& reply =
      *reinterpret_cast<std::atomic<std::uint32_t>*>(static_cast<char*>(worker.page().data()) + k_reply_offset);
  std::vector<double> times;
  for (int i = 0; i < k_rounds; ++i) {
    const auto start = Clock::now();
    if (copies == Copies::yes) {
      KBV_TRY(device.copy(*buffers.shared, *buffers.pristine, k_bytes));
      KBV_TRY(device.sync());
    }
    const std::uint32_t wanted = ++request;
    futex_wake(request);
    const Deadline deadline = after_seconds(5);
    for (std::uint32_t now = reply.load(); now != wanted; now = reply.load())
      if (futex_wait(reply, now, deadline) == FutexWait::timeout && reply.load() != wanted)
        return fail(Fault::machine, "worker", "no reply in 5 s in round " + std::to_string(i));
    if (copies == Copies::yes) {
      KBV_TRY(device.copy(*buffers.snapshot, *buffers.shared, k_bytes));
      KBV_TRY(device.sync());
    }
    if (i >= 20) times.push_back(microseconds_between(start, Clock::now()));  // the first are slower
  }
  KBV_TRY(worker.answer());
  return times;
}

Result<double> time_snapshot(Device& device, Buffers& buffers) {
  const auto start = Clock::now();
  KBV_TRY(device.copy(*buffers.snapshot, *buffers.shared, k_bytes));
  KBV_TRY(device.sync());
  return microseconds_between(start, Clock::now());
}

}  // namespace

Result<Finding> probe_hand_over(const Options&) {
  KBV_TRY_ASSIGN(auto device, open_cuda_device(0));
  KBV_TRY_ASSIGN(auto worker, BoxedWorker::start(device->info()));
  KBV_TRY_ASSIGN(auto buffers, make_buffers(*device));
  KBV_TRY_ASSIGN(const json mapped, worker->import(*buffers.shared));
  if (!mapped.value("ok", false))
    return fail(Fault::machine, "cuda", "the worker can't map the buffer: " + mapped.dump());
  KBV_TRY_ASSIGN(const auto message, time_rounds(*device, *worker, buffers, false, Copies::no));
  KBV_TRY_ASSIGN(const auto null_call, time_rounds(*device, *worker, buffers, false, Copies::yes));
  KBV_TRY_ASSIGN(const auto small_call, time_rounds(*device, *worker, buffers, true, Copies::yes));
  Finding finding;
  finding.numbers = {{"message", spread_of(message, "us")},
                     {"null_4mib", spread_of(null_call, "us")},
                     {"small_kernel_4mib", spread_of(small_call, "us")}};
  finding.text = "median / p99: message " + number(median(message)) + " / " + number(percentile(message, 99)) +
                 " us, with 4 MiB copied in and out " + number(median(null_call)) + " / " +
                 number(percentile(null_call, 99)) + " us, and one small fill by the worker " +
                 number(median(small_call)) + " / " + number(percentile(small_call, 99)) + " us";
  return finding;
}

Result<Finding> probe_snapshot_delay(const Options&) {
  constexpr unsigned long long spin_ns = 50'000'000;
  KBV_TRY_ASSIGN(auto device, open_cuda_device(0));
  KBV_TRY_ASSIGN(auto worker, BoxedWorker::start(device->info()));
  KBV_TRY_ASSIGN(auto buffers, make_buffers(*device));
  KBV_TRY_ASSIGN(const json mapped, worker->import(*buffers.shared));
  if (!mapped.value("ok", false))
    return fail(Fault::machine, "cuda", "the worker can't map the buffer: " + mapped.dump());
  const unsigned all = 2 * worker->started().value("multiprocessors", 1u);
  Finding finding;
  std::vector<double> medians;
  for (const unsigned blocks : {0u, 1u, all}) {
    std::vector<double> first, second;
    for (int i = 0; i < 15; ++i) {
      KBV_TRY(worker->ask({{"do", "sync"}}));
      KBV_TRY(device->sync());
      if (blocks > 0) KBV_TRY(worker->ask({{"do", "spin"}, {"ns", spin_ns}, {"blocks", blocks}}));
      KBV_TRY_ASSIGN(const double a, time_snapshot(*device, buffers));
      KBV_TRY_ASSIGN(const double b, time_snapshot(*device, buffers));
      first.push_back(a);
      second.push_back(b);
    }
    KBV_TRY(worker->ask({{"do", "sync"}}));
    const std::string name = blocks == 0 ? "idle" : blocks == 1 ? "one_block" : "all_multiprocessors";
    finding.numbers[name] = {{"first", spread_of(first, "us")}, {"second", spread_of(second, "us")}};
    medians.push_back(median(first));
  }
  finding.text = "a 4 MiB snapshot takes " + number(medians[0]) +
                 " us; beside a worker's kernel of 50 ms in one block " + number(medians[1]) + " us, in " +
                 std::to_string(all) + " blocks " + number(medians[2]) + " us (medians)";
  if (medians[2] >= 45'000 || medians[1] >= 45'000) {
    finding.outcome = Outcome::surprise;
    finding.text += ": the judge waits for the kernel's end, not for a time slice";
  } else if (medians[2] < 2 * medians[0]) {
    finding.outcome = Outcome::surprise;
    finding.text += ": no delay to be seen, so leftover work is not told by it";
  }
  return finding;
}

}  // namespace kbv::cuda::probes
