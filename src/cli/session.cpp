// SPDX-License-Identifier: MIT
#include "cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "cli/say.h"
#include "cli/verbs.h"
#include "report/report.h"
#include "score/protocol.h"

namespace kbv {
namespace {

Result<std::unique_ptr<Device>> open_device(const std::string& wanted) {
  if (wanted == "cpu") return open_host_device();
  if (wanted == "auto") return probe_cuda().devices.empty() ? open_host_device() : open_cuda_device(0);
  if (wanted == "cuda") return open_cuda_device(0);
  if (wanted.rfind("cuda:", 0) == 0) {
    char* end = nullptr;
    const long index = std::strtol(wanted.c_str() + 5, &end, 10);
    if (end != wanted.c_str() + 5 && *end == '\0' && index >= 0 && index < 1024)
      return open_cuda_device(static_cast<int>(index));
  }
  return fail(Fault::usage, "bad_device", "--device: " + wanted + " is not one of auto, cpu, cuda, cuda:N");
}

std::uint64_t available_memory_bytes() {
  const std::string text = read_small("/proc/meminfo");
  const auto at = text.find("MemAvailable:");
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + 13, nullptr, 10) * 1024;
}

/// What was measured of this device; nothing if nobody did. A file that is there must be right, and of this device.
Result<std::optional<Instrument>> find_instrument(const std::string& given, const std::string& device_uuid) {
  const std::string path = given.empty() ? instrument_path(device_uuid) : given;
  if (given.empty() && !std::filesystem::exists(path)) return std::nullopt;
  KBV_TRY_ASSIGN(const std::string text, read_file(path, "instrument"));
  KBV_TRY_ASSIGN(Instrument instrument, instrument_from_json(text, path));
  if (instrument.device_uuid != device_uuid)
    return fail(Fault::usage, "bad_instrument", path + ": it was measured on another device, " + instrument.device);
  return std::optional(std::move(instrument));
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(const SessionOptions& options) {
  auto session = std::make_unique<Session>();
  session->options_ = options;
  KBV_TRY_ASSIGN(session->host_.python, find_python(options.python));
  if (session->host_.python.torch_version.empty())
    return fail(Fault::machine, "no_torch",
                session->host_.python.executable + " has no PyTorch; give a Python that has it with --python");
  KBV_TRY_ASSIGN(session->device_, open_device(options.device));
  session->host_.toolchain = find_toolchain(session->host_.python);
  session->host_.device = session->device_->info();
  session->host_.precision = options.precision;
  session->host_.extra_read_only_paths = options.read_only_paths;
  KBV_TRY_ASSIGN(session->instrument_, find_instrument(options.instrument, session->device_->info().uuid));
  return session;
}

void Session::apply(EvaluateOptions& options) const {
  options.profile = isolation_profile(options_.isolation);
  options.instrument = instrument_;
  if (const auto strictest = find_protocol("attested"))
    options.is_wrong = [protocol = *strictest](const Observation& seen, const CaseResult& result) { return case_is_wrong(seen, result, protocol); };
  if (!options_.require_isolation.empty()) options.required_profile = isolation_profile(options_.require_isolation);
  const std::uint64_t available = available_memory_bytes();
  options.limits.memory_bytes = options_.memory_limit_mib != 0
                                    ? options_.memory_limit_mib << 20
                                    : available / 10 * 6 / static_cast<std::uint64_t>(std::max(options_.jobs, 1));
}

int print_error(const Error& error) {
  if (error.code == "interrupted") {
    say(stderr, "kbv: interrupted\n");
    return k_exit_interrupted;
  }
  say(stderr, "kbv: {}\n", error.message);
  std::istringstream lines(error.detail);
  int shown = 0;
  for (std::string line; std::getline(lines, line) && shown < 40; ++shown) say(stderr, "  {}\n", line);
  return error.fault == Fault::usage || error.fault == Fault::problem ? k_exit_usage : k_exit_machine;
}

}  // namespace kbv
