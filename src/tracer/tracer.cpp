// SPDX-License-Identifier: MIT
#include "tracer/tracer.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

#include "tracer/cupti_api.h"
#include "tracer/kernel_table.h"

namespace kbv::tracer {

namespace {

constexpr std::size_t k_buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t k_max_buffers = 64;  // beyond, CUPTI drops records and says how many
constexpr std::size_t k_max_raw_name_bytes = 65536;

struct Tracer {
  // Held around CUPTI's calls. Never taken by the callbacks, which CUPTI may call from within those calls.
  std::mutex calls;
  Cupti cupti;
  bool ready = false;
  bool collecting = false;
  std::string problem = "kbv_trace_begin was not called";

  // Taken by the callbacks, from threads of CUPTI's.
  std::mutex records;
  KernelTable table;
  std::size_t buffers = 0;
};

/// Never destroyed: CUPTI's threads may deliver a buffer while the process exits.
Tracer& tracer() {
  static Tracer* const instance = new Tracer;
  return *instance;
}

std::uint64_t duration_ns(std::uint64_t start_ns, std::uint64_t end_ns) {
  return start_ns && end_ns > start_ns ? end_ns - start_ns : 0;  // 0: CUPTI could not tell
}

template <typename Prefix>
Prefix prefix_of(const RecordHead* record) {
  Prefix prefix;
  std::memcpy(&prefix, record, sizeof prefix);
  return prefix;
}

void add_record(KernelTable& table, const RecordHead* record) {
  if (record->kind == k_kind_concurrent_kernel) {
    const auto kernel = prefix_of<KernelRecordPrefix>(record);
    KernelSample sample;
    if (kernel.name) sample.name = {kernel.name, ::strnlen(kernel.name, k_max_raw_name_bytes)};
    sample.duration_ns = duration_ns(kernel.start_ns, kernel.end_ns);
    for (std::size_t i = 0; i < 3; ++i) {
      sample.grid[i] = kernel.grid[i];
      sample.block[i] = kernel.block[i];
    }
    sample.registers = kernel.registers_per_thread;
    const std::int64_t shared_bytes = std::int64_t{kernel.static_shared_bytes} + kernel.dynamic_shared_bytes;
    sample.shared_bytes = shared_bytes > 0 ? static_cast<std::uint64_t>(shared_bytes) : 0;
    table.add_kernel(sample);
  } else if (record->kind == k_kind_copy || record->kind == k_kind_set) {
    const auto transfer = prefix_of<TransferRecordPrefix>(record);
    const std::uint64_t time_ns = duration_ns(transfer.start_ns, transfer.end_ns);
    record->kind == k_kind_copy ? table.add_copy(transfer.bytes, time_ns) : table.add_set(transfer.bytes, time_ns);
  }
}

extern "C" void kbv_buffer_requested(std::uint8_t** buffer, std::size_t* size_bytes, std::size_t* max_records) {
  *buffer = nullptr;
  *size_bytes = 0;
  *max_records = 0;  // as many as fit
  Tracer& self = tracer();
  const std::lock_guard lock(self.records);
  if (self.buffers >= k_max_buffers) return;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(k_buffer_alignment, k_buffer_bytes));
  if (!*buffer) return;
  *size_bytes = k_buffer_bytes;
  ++self.buffers;
}

extern "C" void kbv_buffer_completed(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                                     std::size_t valid_bytes) {
  Tracer& self = tracer();
  {
    const std::lock_guard lock(self.records);
    try {
      RecordHead* record = nullptr;
      while (valid_bytes && self.cupti.next_record(buffer, valid_bytes, &record) == k_cupti_success)
        add_record(self.table, record);
      std::size_t dropped = 0;
      if (self.cupti.dropped_records && self.cupti.dropped_records(context, stream, &dropped) == k_cupti_success)
        self.table.add_dropped(dropped);
    } catch (...) {  // out of memory; an exception must not pass through CUPTI
      self.table.add_dropped(1);
    }
    if (self.buffers) --self.buffers;
  }
  std::free(buffer);
}

/// Finds CUPTI and hands it our callbacks. May be called again after it failed: PyTorch may have brought CUPTI since.
std::string prepare(Tracer& self) {
  if (!self.ready) {
    if (std::string problem = load_cupti(self.cupti); !problem.empty()) return problem;
    self.ready = true;
  }
  // Each time, since another profiler in the process may have registered its own.
  const int result = self.cupti.register_callbacks(kbv_buffer_requested, kbv_buffer_completed);
  return cupti_problem(self.cupti, "cuptiActivityRegisterCallbacks", result);
}

std::string begin(Tracer& self) {
  if (std::string problem = prepare(self); !problem.empty()) return problem;
  {
    const std::lock_guard lock(self.records);
    self.table.clear();
  }
  if (const int result = self.cupti.enable(k_kind_concurrent_kernel); result != k_cupti_success)
    return cupti_problem(self.cupti, "cuptiActivityEnable of kernels", result);
  self.collecting = true;
  // Without these the kernels are still worth having.
  std::string problem = cupti_problem(self.cupti, "cuptiActivityEnable of copies", self.cupti.enable(k_kind_copy));
  if (problem.empty())
    problem = cupti_problem(self.cupti, "cuptiActivityEnable of sets", self.cupti.enable(k_kind_set));
  return problem;
}

std::string end(Tracer& self) {
  self.collecting = false;
  const int result = self.cupti.flush_all(k_flush_forced);
  for (const std::uint32_t kind : {k_kind_concurrent_kernel, k_kind_copy, k_kind_set}) self.cupti.disable(kind);
  return cupti_problem(self.cupti, "cuptiActivityFlushAll", result);
}

int trace_descriptor() {
  const char* text = std::getenv("KBV_TRACE_FD");
  if (!text) return -1;
  int descriptor = -1;
  const char* const text_end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, text_end, descriptor);
  return error == std::errc() && stop == text_end && stop != text ? descriptor : -1;
}

/// Writes all of `bytes`. A reader that has gone must not kill the process, so SIGPIPE is held back and taken.
bool write_all(int descriptor, std::string_view bytes) {
  sigset_t pipe_set, before, pending;
  sigemptyset(&pipe_set);
  sigaddset(&pipe_set, SIGPIPE);
  sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  if (::pthread_sigmask(SIG_BLOCK, &pipe_set, &before) != 0) return false;
  bool good = true;
  while (good && !bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else
      good = written < 0 && errno == EINTR;
  }
  if (!good && !was_pending) {
    const timespec now{};
    while (::sigtimedwait(&pipe_set, nullptr, &now) < 0 && errno == EINTR) {
    }
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return good;
}

}  // namespace

}  // namespace kbv::tracer

using kbv::tracer::tracer;

int InitializeInjection(void) {
  try {
    auto& self = tracer();
    const std::lock_guard lock(self.calls);
    kbv::tracer::prepare(self);  // a failure is told by kbv_trace_begin, which tries again
  } catch (...) {                // the process goes on whatever happens here
  }
  return 1;
}

int kbv_trace_begin(void) {
  try {
    auto& self = tracer();
    const std::lock_guard lock(self.calls);
    if (self.collecting) kbv::tracer::end(self);
    self.problem = kbv::tracer::begin(self);
    return self.collecting ? 0 : 1;
  } catch (...) {
    return 1;
  }
}

int kbv_trace_end(void) {
  try {
    auto& self = tracer();
    const std::lock_guard lock(self.calls);
    if (self.collecting) {
      const std::string problem = kbv::tracer::end(self);
      if (self.problem.empty()) self.problem = problem;
    }
    std::string line;
    {
      const std::lock_guard records(self.records);
      line = self.table.to_json(self.cupti.version, self.problem) + "\n";
      self.table.clear();
    }
    self.problem = "kbv_trace_begin was not called";
    const int descriptor = kbv::tracer::trace_descriptor();
    return descriptor >= 0 && kbv::tracer::write_all(descriptor, line) ? 0 : 1;
  } catch (...) {
    return 1;
  }
}
