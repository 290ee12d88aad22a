// SPDX-License-Identifier: MIT
#include "worker.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "base/clock.h"

namespace kbv::cuda::probes {
namespace {

double ms_since(Clock::time_point start) { return seconds_since(start) * 1e3; }

/// cuInit and all that a first kernel needs, step by step.
Result<json> start(WorkerState& state) {
  json answer = {{"uid", ::getuid()}, {"pid", ::getpid()}};
  auto begun = Clock::now();
  KBV_TRY(driver());
  answer["cuinit_ms"] = ms_since(begun);
  begun = Clock::now();
  KBV_TRY_ASSIGN(state.gpu, Gpu::open());
  answer["context_ms"] = ms_since(begun);
  begun = Clock::now();
  KBV_TRY_ASSIGN(const auto time, state.gpu->time());
  answer["first_kernel_ms"] = ms_since(begun);
  answer["device_time"] = time.now;
  answer["multiprocessors"] = state.gpu->context().multiprocessors();
  return answer;
}

/// Answers hand-overs by the shared page: each time the request's word changes, an empty forward or one small kernel.
Result<json> serve(WorkerState& state, int rounds, bool works) {
  void* page = ::mmap(nullptr, k_page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, k_page_fd, 0);
  if (page == MAP_FAILED) return fail_errno("mmap");
  auto& request = *static_cast<std::atomic<std::uint32_t>*>(page);
  auto& reply = *reinterpret_cast<std::atomic<std::uint32_t>*>(static_cast<char*>(page) + k_reply_offset);
  std::uint32_t seen = reply.load();
  int served = 0;
  for (; served < rounds; ++served) {
    const Deadline deadline = after_seconds(5);
    while (request.load() == seen)
      if (futex_wait(request, seen, deadline) == FutexWait::timeout) break;
    if (request.load() == seen) break;
    ++seen;
    if (works) {
      const auto& context = state.gpu->context();
      KBV_TRY(context.check(state.gpu->api().set_words(state.slots.at(0).addresses.at(0), seen, 1, context.stream()),
                            "cuMemsetD32Async"));
      KBV_TRY(context.sync());
    }
    reply.store(seen);
    futex_wake(reply);
  }
  ::munmap(page, k_page_bytes);
  return json{{"served", served}};
}

Result<json> obey(WorkerState& state, const json& command, std::vector<Fd>& fds) {
  const std::string what = command.at("do");
  if (what == "start") return start(state);
  if (what == "nvml") return do_nvml(command);
  if (what == "exit") std::exit(0);  // as a program ends that gives nothing back
  if (!state.gpu) return fail(Fault::machine, "cuda", "no context yet");
  if (what == "serve") return serve(state, command.at("rounds"), command.at("works"));
  if (what == "spin") {
    KBV_TRY(state.gpu->spin(command.at("ns"), command.at("blocks")));
    return json{{"started", true}};
  }
  if (what == "sync") {
    KBV_TRY(state.gpu->context().sync());
    return json{{"done", true}};
  }
  if (what.rfind("l2_", 0) == 0) return do_cache(state, command);
  return do_memory(state, command, fds);
}

}  // namespace

int run_worker() {
  WorkerState state;
  while (true) {
    auto packet = state.socket.receive(after_seconds(120));
    if (!packet) break;
    json answer;
    try {
      auto done = obey(state, json::parse(packet->bytes), packet->fds);
      answer = done ? *done : json{{"error", done.error().message}};
    } catch (const std::exception& bug) {
      answer = {{"error", bug.what()}};
    }
    const Fd sent = std::move(state.to_send);
    if (!state.socket.send(answer.dump(), sent ? std::vector<int>{sent.get()} : std::vector<int>{})) break;
  }
  ::_exit(0);
}

}  // namespace kbv::cuda::probes
