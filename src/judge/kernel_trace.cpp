// SPDX-License-Identifier: MIT
// Which kernels ran: one more call of the baseline and of the candidate, untimed, with CUPTI in their processes.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/fd.h"
#include "judge/evaluation.h"

namespace kbv {
namespace {

constexpr double k_trace_timeout_s = 20;  // beside the call's own limit: CUPTI takes some time to start

Result<KernelTrace> trace_of(Worker& worker, std::uint64_t forward_seed, double timeout_s) {
  Fd out(::memfd_create("kbv-trace", MFD_CLOEXEC));
  if (!out) return fail_errno("memfd_create");
  auto ran = worker.request({{"op", "trace"}, {"forward_seed", forward_seed}}, timeout_s, "runtime_error", {out.get()});
  if (!ran) return tl::make_unexpected(std::move(ran).error());
  struct stat status {};
  if (::fstat(out.get(), &status) != 0) return fail_errno("fstat");
  std::string bytes(std::min(static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)), k_max_trace_bytes + 1), 0);
  const ssize_t got = ::pread(out.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) return fail_errno("pread");
  bytes.resize(static_cast<std::size_t>(got));
  return parse_kernel_trace(bytes);
}

}  // namespace

Result<void> Evaluation::trace_kernels() {
  Observation& seen = *seen_;
  seen.source_kernels = {kernel_names_in_source(candidate_source_), triton_names_in_source(candidate_source_)};
  if (device_.info().backend == "host") return {};
  const double timeout_s = options_.stages.call_s + k_trace_timeout_s;
  const auto trace_in = [&](Worker& worker, CallBuffers& slot) -> std::optional<KernelTrace> {
    // On the inputs of the last draw: the slots may hold whatever the calls left.
    if (!copy_set(device_, slot.in, reference_->draw_in()) || !device_.sync()) return std::nullopt;
    auto trace = trace_of(worker, secret_.seed("forward/trace"), timeout_s);
    return trace ? std::optional(std::move(*trace)) : std::nullopt;
  };
  // Nothing that fails here is held against anybody: all that counts has been measured.
  seen.eager_kernels = trace_in(baseline_->worker(), baseline_slots_[0]);
  candidate_->process().thaw();
  seen.candidate_kernels = trace_in(*candidate_, candidate_slots_[0]);
  if (seen.candidate_kernels)
    seen.labels = provenance_labels(*seen.candidate_kernels, seen.eager_kernels ? &*seen.eager_kernels : nullptr, seen.source_kernels);
  return {};
}

}  // namespace kbv
