// SPDX-License-Identifier: MIT
#include "boxed_worker.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "worker.h"

namespace kbv::cuda::probes {

Result<std::unique_ptr<BoxedWorker>> BoxedWorker::launch(const DeviceInfo& device, IsolationProfile profile) {
  auto worker = std::make_unique<BoxedWorker>();
  KBV_TRY_ASSIGN(auto pair, Socket::pair());
  KBV_TRY_ASSIGN(worker->page_, SharedPage::create(k_page_bytes));
  worker->socket_ = std::move(pair.first);

  char self[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) <= 0) return fail_errno("/proc/self/exe");
  LaunchSpec spec;
  spec.label = "probe's worker";
  spec.argv = {self, "worker"};
  spec.env = {"PATH=/usr/bin:/bin", "HOME={box}/home",
              "CUDA_VISIBLE_DEVICES=" + (device.uuid.empty() ? "0" : device.uuid)};
  spec.read_only_paths = {self};
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH")) {
    spec.env.push_back(std::string("LD_LIBRARY_PATH=") + libraries);
    std::istringstream folders(libraries);
    for (std::string folder; std::getline(folders, folder, ':');)
      if (folder.size() > 1 && folder.front() == '/' && std::filesystem::exists(folder))
        spec.read_only_paths.push_back(folder);
  }
  if (std::filesystem::exists("/usr/local/nvidia")) spec.read_only_paths.emplace_back("/usr/local/nvidia");
  spec.fds = {{pair.second.get(), k_socket_fd}, {worker->page_.fd(), k_page_fd}};
  spec.device_nodes = cuda_device_nodes();
  spec.profile = profile;
  KBV_TRY_ASSIGN(worker->process_, Process::launch(std::move(spec)));
  return worker;
}

Result<std::unique_ptr<BoxedWorker>> BoxedWorker::start(const DeviceInfo& device, IsolationProfile profile) {
  KBV_TRY_ASSIGN(auto worker, launch(device, profile));
  KBV_TRY_ASSIGN(worker->started_, worker->ask({{"do", "start"}}));
  return worker;
}

Result<void> BoxedWorker::send(const json& command, const std::vector<int>& fds) {
  return socket_.send(command.dump(), fds);
}

Result<json> BoxedWorker::answer(double seconds) {
  auto packet = socket_.receive(after_seconds(seconds));
  if (!packet) {
    Error error = std::move(packet).error();
    error.message = "the worker gave no answer (" + error.code + ")";
    if (const auto status = process_->exit_status())
      error.message +=
          ", it ended with code " + std::to_string(status->code) + ", signal " + std::to_string(status->signal);
    error.message += ": " + process_->output();
    return tl::make_unexpected(std::move(error));
  }
  pid_ = packet->pid;
  fds_ = std::move(packet->fds);
  json said = json::parse(packet->bytes, nullptr, false);
  if (!said.is_object()) return fail(Fault::machine, "worker", "the worker's answer is no object");
  if (said.contains("error")) return fail(Fault::machine, "worker", "worker: " + said["error"].dump());
  return said;
}

Result<json> BoxedWorker::ask(const json& command, const std::vector<int>& fds, double seconds) {
  KBV_TRY(send(command, fds));
  return answer(seconds);
}

Result<json> BoxedWorker::import(const Buffer& buffer, int flags) {
  return ask({{"do", "import"}, {"bytes", buffer.mapped_bytes()}, {"flags", flags}}, {buffer.export_fd()});
}

json spread_of(const std::vector<double>& values, const std::string& unit) {
  if (values.empty()) return json::object();
  return {{"median_" + unit, median(values)},
          {"p90_" + unit, percentile(values, 90)},
          {"p99_" + unit, percentile(values, 99)},
          {"max_" + unit, *std::max_element(values.begin(), values.end())},
          {"count", values.size()}};
}

std::string number(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace kbv::cuda::probes
