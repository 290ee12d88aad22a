// SPDX-License-Identifier: MIT
// The judge's side: a worker in a box, started as the judge starts a candidate's.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "device/device.h"
#include "os/process.h"
#include "os/shared_page.h"
#include "os/socket.h"

namespace kbv::cuda::probes {

using nlohmann::json;

class BoxedWorker {
 public:
  /// Starts the program; it has no context yet.
  static Result<std::unique_ptr<BoxedWorker>> launch(const DeviceInfo& device,
                                                     IsolationProfile profile = IsolationProfile::strict);
  /// Launches, and waits for its first kernel.
  static Result<std::unique_ptr<BoxedWorker>> start(const DeviceInfo& device,
                                                    IsolationProfile profile = IsolationProfile::strict);

  /// Sends a command and waits for its answer. An {"error"} in it is an error here, and so is no answer in time.
  Result<json> ask(const json& command, const std::vector<int>& fds = {}, double seconds = 15);
  Result<void> send(const json& command, const std::vector<int>& fds = {});
  Result<json> answer(double seconds = 15);

  /// Maps a shared buffer there; the answer is the driver's statuses.
  Result<json> import(const Buffer& buffer, int flags = 3);

  Process& process() { return *process_; }
  const SharedPage& page() const { return page_; }
  pid_t pid() const { return pid_; }                ///< by the judge's numbering
  const json& started() const { return started_; }  ///< what start() was answered
  std::vector<Fd>& received() { return fds_; }

 private:
  Socket socket_;
  SharedPage page_;
  std::unique_ptr<Process> process_;
  pid_t pid_ = 0;
  json started_;
  std::vector<Fd> fds_;
};

/// {"median": .., "p90": .., "p99": .., "max": ..} with names that end in `unit`.
json spread_of(const std::vector<double>& values, const std::string& unit);

/// "12.3"
std::string number(double value, int digits = 1);

}  // namespace kbv::cuda::probes
