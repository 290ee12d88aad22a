// SPDX-License-Identifier: MIT
// Lines of the L2 cache that a candidate asks to persist, and how long a load of them takes.
#include <algorithm>
#include <numeric>
#include <random>

#include "worker.h"

namespace kbv::cuda::probes {
namespace {

constexpr unsigned k_line_words = 32;
constexpr unsigned k_steps = 4096;

/// One cycle through all lines in a random order, so that no prefetcher knows the next.
std::vector<unsigned> random_cycle(unsigned lines) {
  std::vector<unsigned> order(lines);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  std::vector<unsigned> words(std::size_t{lines} * k_line_words);
  for (unsigned i = 0; i < lines; ++i) words[std::size_t{order[i]} * k_line_words] = order[(i + 1) % lines];
  return words;
}

int attribute(const WorkerState& state, Attribute which) {
  int value = 0;
  (void)state.gpu->api().device_attribute(&value, which, state.gpu->context().device());
  return value;
}

Status set_window(const WorkerState& state, std::uint64_t bytes) {
  StreamAttribute value{};
  value.window.base = reinterpret_cast<void*>(static_cast<std::uintptr_t>(state.chain));
  value.window.bytes = bytes;  // 0: none
  value.window.hit_ratio = 1.0f;
  value.window.hit = bytes == 0 ? 0 : k_persisting;
  value.window.miss = bytes == 0 ? 0 : k_streaming;
  return state.gpu->more().stream_set_attribute(state.gpu->context().stream(), k_stream_access_window, &value);
}

Result<json> open(WorkerState& state) {
  const int most = attribute(state, k_max_persisting_l2);
  const int window = attribute(state, k_max_access_window);
  json answer = {{"max_persisting_bytes", most}, {"max_window_bytes", window}};
  if (most <= 0 || window <= 0) return answer;
  answer["set_limit"] = state.gpu->more().set_limit(k_limit_persisting_l2, static_cast<std::size_t>(most));
  // Well below the limit: sets that are full would evict one another.
  state.chain_bytes = static_cast<std::uint64_t>(std::min({window, most / 2, 16 << 20})) / 4096 * 4096;
  KBV_TRY(state.gpu->context().check(state.gpu->more().allocate(&state.chain, state.chain_bytes), "cuMemAlloc"));
  const auto words = random_cycle(static_cast<unsigned>(state.chain_bytes / 128));
  const auto& context = state.gpu->context();
  KBV_TRY(context.check(
      state.gpu->api().copy_host_to_device(state.chain, words.data(), state.chain_bytes, context.stream()),
      "cuMemcpyHtoDAsync"));
  KBV_TRY(context.sync());
  answer["window_bytes"] = state.chain_bytes;
  answer["set_window"] = set_window(state, state.chain_bytes);
  (void)set_window(state, 0);
  return answer;
}

}  // namespace

Result<json> do_cache(WorkerState& state, const json& command) {
  const std::string what = command.at("do");
  if (what == "l2_open") return open(state);
  if (what == "l2_warm") {
    // Lines of the arm before would still persist.
    (void)state.gpu->api().reset_persisting_l2();
    const Status status = set_window(state, command.at("persisting").get<bool>() ? state.chain_bytes : 0);
    for (int i = 0; i < 3; ++i) KBV_TRY(state.gpu->read(state.chain, state.chain_bytes));
    return json{{"set_window", status}};
  }
  if (what == "l2_chase") {
    KBV_TRY_ASSIGN(const double ns,
                   state.gpu->chase(state.chain, std::min(k_steps, static_cast<unsigned>(state.chain_bytes / 128))));
    return json{{"ns", ns}};
  }
  return fail(Fault::usage, "command", "no such command: " + what);
}

}  // namespace kbv::cuda::probes
