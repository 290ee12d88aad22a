// SPDX-License-Identifier: MIT
#include "build/build_stage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace kbv {
namespace {

using nlohmann::json;

constexpr std::uint64_t k_bundle_bytes = 1ull << 30;  // sparse: only what is written takes memory

/// The first line of a compiler's log that says "error".
std::string first_error_line(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error:") != std::string::npos || line.find("error :") != std::string::npos ||
        line.find(": error") != std::string::npos || line.find("undefined reference") != std::string::npos)
      return line.substr(0, 400);
  }
  return {};
}

}  // namespace

json load_candidate_message() { return {{"op", "load"}, {"module", "candidate"}, {"needs", {"ModelNew"}}}; }

bool needs_build(const std::string& source) { return source.find("cpp_extension") != std::string::npos; }

StageLimits StageLimits::for_trusted() const {
  const StageLimits least;
  StageLimits limits = *this;
  for (double StageLimits::* limit : {&StageLimits::start_s, &StageLimits::build_s, &StageLimits::load_s,
                                      &StageLimits::call_s, &StageLimits::all_calls_s})
    limits.*limit = std::max(limits.*limit, least.*limit);
  return limits;
}

Result<BuildBundle> make_bundle() {
  BuildBundle bundle;
  bundle.memfd = Fd(::memfd_create("kbv-build", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!bundle.memfd) return fail_errno("memfd_create");
  // A fixed size: a candidate that fills it gets an error, and takes no more memory than this.
  if (::ftruncate(bundle.memfd.get(), k_bundle_bytes) != 0) return fail_errno("ftruncate");
  if (::fcntl(bundle.memfd.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
    return fail_errno("F_ADD_SEALS");
  return bundle;
}

namespace {

Result<void> build_in(Worker& worker, const WorkerHost& host, const StageLimits& stages, Clock::time_point start,
                      BuildBundle& bundle, BuildFacts& facts) {
  KBV_TRY(worker.hello(stages.start_s));
  auto loaded = worker.request(load_candidate_message(), stages.build_s, "import_error");
  facts.seconds = seconds_since(start);
  if (!loaded) {
    Error error = std::move(loaded).error();
    if (error.fault != Fault::candidate) return tl::make_unexpected(std::move(error));
    if (error.code != "build_error" && error.code != "timeout") return {};  // the worker will see
    const bool cuda = host.device.backend == "cuda";
    if (host.toolchain.ninja.empty() || host.toolchain.cxx.empty() || (cuda && host.toolchain.nvcc.empty()))
      return fail(Fault::machine, "no_compiler",
                  "the candidate compiles an extension, and this machine lacks a compiler or ninja: see kbv doctor",
                  error.detail);
    facts.log = error.detail;
    facts.first_error = first_error_line(error.detail);
    if (error.code == "timeout") error.code = "build_error";
    if (!facts.first_error.empty()) error.message = "the extension does not compile: " + facts.first_error;
    return tl::make_unexpected(std::move(error));
  }
  facts.ok = true;
  auto packed = worker.request({{"op", "bundle"}}, stages.load_s, "build_error");
  bundle.filled = packed.has_value();
  if (!packed) facts.log = "the build could not be kept for the worker, which builds again: " + packed.error().message;
  facts.seconds = seconds_since(start);
  return {};
}

}  // namespace

Result<void> run_build_stage(const WorkerHost& host, const std::string& source, IsolationProfile profile,
                             const BoxLimits& limits, const StageLimits& stages, const CheckBox& check_box,
                             BuildBundle& bundle, BuildFacts& facts) {
  const auto start = Clock::now();
  facts.needed = true;
  WorkerSpec spec;
  spec.label = "build worker";
  spec.owner = Fault::candidate;
  spec.sees_device = false;
  spec.profile = profile;
  spec.limits = limits;
  spec.limits.background = true;  // beside another candidate's timed calls
  spec.files = {{"candidate.py", source}};
  spec.bundle_fd = bundle.memfd.get();
  KBV_TRY_ASSIGN(auto worker, Worker::start(host, std::move(spec)));
  KBV_TRY(check_box(worker->process().isolation()));
  auto built = build_in(*worker, host, stages, start, bundle, facts);
  worker->process().kill();
  facts.refused_calls = worker->process().refused_calls();
  return built;
}

}  // namespace kbv
