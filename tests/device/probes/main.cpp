// SPDX-License-Identifier: MIT
// kbv_probes: ten questions about a GPU machine, asked of it. See docs/probes.md.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include "child.h"
#include "device/device.h"
#include "os/process.h"
#include "worker.h"

namespace kbv::cuda::probes {
namespace {

constexpr const char* k_usage =
    "usage: kbv_probes [--only N[,N...]] [--drift-seconds S] [--seconds S] [--memory-mib N] [--spin-seconds S] [--json "
    "FILE]\n"
    "  --only N           only these probes, by number\n"
    "  --drift-seconds S  how long the clocks are watched (default 60); the other probes run meanwhile\n"
    "  --seconds S        starts no probe after that (default: no limit)\n"
    "  --memory-mib N     how much the probes of memory fill (default: 85 % of what is free, 8 GiB for the kill)\n"
    "  --spin-seconds S   how long the kernels last that are killed (default 3)\n"
    "  --json FILE        all numbers\n"
    "Exits 0 if every probe has an answer or there is no GPU, 1 if one failed, 2 for bad usage.\n";

struct Request {
  Options options;
  std::vector<int> only;
  double seconds = 0;
  std::string json_path;
};

std::optional<Request> parse(int argc, char** argv) {
  Request request;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (i + 1 >= argc) return std::nullopt;
    const std::string value = argv[i + 1];
    char* end = nullptr;
    if (option == "--json") {
      request.json_path = value;
      continue;
    }
    const double number = std::strtod(value.c_str(), &end);
    if (end == value.c_str() || number < 0) return std::nullopt;
    if (option == "--only") {
      for (const char* at = value.c_str(); *at != 0; at = *end == ',' ? end + 1 : end) {
        const long probe = std::strtol(at, &end, 10);
        if (end == at || probe < 1 || probe > 10) return std::nullopt;
        request.only.push_back(static_cast<int>(probe));
      }
      continue;
    }
    if (*end != 0) return std::nullopt;
    if (option == "--drift-seconds")
      request.options.drift_s = number;
    else if (option == "--seconds")
      request.seconds = number;
    else if (option == "--spin-seconds")
      request.options.spin_s = number;
    else if (option == "--memory-mib")
      request.options.memory_bytes = static_cast<std::uint64_t>(number) << 20;
    else
      return std::nullopt;
  }
  return request;
}

bool wanted(const Request& request, int number) {
  if (request.only.empty()) return true;
  for (const int one : request.only)
    if (one == number) return true;
  return false;
}

void show(const Probe& probe, const Finding& finding, double seconds) {
  std::printf("%2d  %-28s  %-8s  %5.1f s  %s\n", probe.number, probe.name, to_string(finding.outcome), seconds,
              finding.text.c_str());
  std::fflush(stdout);
}

Finding failed(std::string text) {
  Finding finding;
  finding.outcome = Outcome::failed;
  finding.text = std::move(text);
  return finding;
}

int run_all(const Request& request) {
  const CudaProbe devices = probe_cuda();
  const auto begun = Clock::now();
  json report = {{"drift_seconds", request.options.drift_s}, {"probes", json::array()}};
  if (!devices.devices.empty()) {
    const DeviceInfo& device = devices.devices[0];
    report["device"] = {{"name", device.name},
                        {"driver_version", device.driver_version},
                        {"bytes", device.total_bytes},
                        {"l2_bytes", device.l2_bytes}};
    std::printf("%s, driver %d\n", device.name.c_str(), device.driver_version);
  }
  bool any_failed = false;
  const auto keep = [&](const Probe& probe, const Finding& finding, double seconds) {
    show(probe, finding, seconds);
    any_failed = any_failed || finding.outcome == Outcome::failed;
    report["probes"].push_back({{"number", probe.number},
                                {"name", probe.name},
                                {"outcome", to_string(finding.outcome)},
                                {"finding", finding.text},
                                {"seconds", seconds},
                                {"numbers", finding.numbers}});
  };
  // The clocks are watched while the others run: between its first and its last readings that probe sleeps.
  const Probe& drift = all_probes().back();
  std::optional<Result<Child>> watching;
  const bool drifts = wanted(request, drift.number) && !devices.devices.empty();
  if (drifts) watching = Child::start(drift, request.options, drift.limit_s + request.options.drift_s);
  if (drifts) ::usleep(1'500'000);  // its first readings would be among the hand-overs
  for (const Probe& probe : all_probes()) {
    if (!wanted(request, probe.number) || (drifts && &probe == &drift)) continue;
    Finding finding;
    double seconds = 0;
    if (devices.devices.empty()) {
      finding.outcome = Outcome::skipped;
      finding.text = devices.reason;
    } else if (request.seconds > 0 && seconds_since(begun) > request.seconds) {
      finding = failed("no time left");
    } else {
      auto child = Child::start(probe, request.options, probe.limit_s);
      finding = child ? child->wait() : failed(child.error().message);
      if (child) seconds = child->seconds();
    }
    keep(probe, finding, seconds);
  }
  if (watching) {
    const Finding finding = *watching ? (*watching)->wait() : failed(watching->error().message);
    keep(drift, finding, *watching ? (*watching)->seconds() : 0);
  }
  if (!request.json_path.empty()) {
    std::ofstream file(request.json_path);
    file << report.dump(1, ' ', false, json::error_handler_t::replace) << "\n";
    if (!file.flush()) {
      std::fprintf(stderr, "kbv_probes: %s can't be written\n", request.json_path.c_str());
      return 2;
    }
  }
  return any_failed ? 1 : 0;
}

}  // namespace
}  // namespace kbv::cuda::probes

int main(int argc, char** argv) {
  using namespace kbv::cuda::probes;
  if (argc > 1 && std::strcmp(argv[1], "internal-launch") == 0) return kbv::run_launcher(argc - 1, argv + 1);
  if (argc > 1 && std::strcmp(argv[1], "worker") == 0) return run_worker();
  if (argc == 6 && std::strcmp(argv[1], "probe") == 0) return run_one_probe({argv + 1, argv + argc});
  const auto request = parse(argc, argv);
  if (!request) return std::fputs(k_usage, stderr), 2;
  return run_all(*request);
}
