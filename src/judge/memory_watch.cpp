// SPDX-License-Identifier: MIT
#include "judge/memory_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/fd.h"
#include "base/file.h"

namespace kbv {
namespace {

/// A "VmRSS:  1234 kB" line of /proc/PID/status, in bytes.
std::optional<std::uint64_t> status_bytes(pid_t pid, const std::string& key) {
  const std::string text = read_small("/proc/" + std::to_string(pid) + "/status");
  const auto at = text.find(key + ":");
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(text.c_str() + at + key.size() + 1, nullptr, 10) * 1024;
}

bool reset_high_water_mark(pid_t pid) {
  Fd fd(::open(("/proc/" + std::to_string(pid) + "/clear_refs").c_str(), O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), "5", 1) == 1;
}

}  // namespace

struct MemoryWatch::State {
  Device* device = nullptr;
  pid_t pid = 0;
  bool cuda = false;
  std::optional<std::uint64_t> base;
  std::atomic<bool> end{false};
  std::atomic<std::uint64_t> peak{0};
  std::thread poller;

  void finish() {
    end = true;
    if (poller.joinable()) poller.join();
  }
  ~State() { finish(); }
};

MemoryWatch::MemoryWatch(std::unique_ptr<State> state) : state_(std::move(state)) {}
MemoryWatch::MemoryWatch(MemoryWatch&&) noexcept = default;
MemoryWatch::~MemoryWatch() = default;

Result<MemoryWatch> MemoryWatch::start(Device& device, pid_t worker) {
  auto state = std::make_unique<State>();
  state->device = &device;
  state->pid = worker;
  state->cuda = device.info().backend == "cuda";
  if (state->cuda) {
    KBV_TRY_ASSIGN(state->base, device.memory_used_bytes());
    state->peak = *state->base;
    state->poller = std::thread([raw = state.get()] {
      while (!raw->end) {
        const auto used = raw->device->memory_used_bytes();
        if (used && *used > raw->peak) raw->peak = *used;
      }
    });
  } else if (reset_high_water_mark(worker)) {
    state->base = status_bytes(worker, "VmRSS");
  }
  return MemoryWatch(std::move(state));
}

std::optional<std::uint64_t> MemoryWatch::stop() {
  state_->finish();
  if (!state_->base) return std::nullopt;
  const auto peak = state_->cuda ? std::optional<std::uint64_t>(state_->peak.load()) : status_bytes(state_->pid, "VmHWM");
  if (!peak) return std::nullopt;
  return *peak > *state_->base ? *peak - *state_->base : 0;
}

}  // namespace kbv
