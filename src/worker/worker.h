// SPDX-License-Identifier: MIT
// A worker's life: spawn, ask, hand over, kill. The judge's side of the protocol in README.md; everything that comes
// from the other side is parsed as hostile input.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "device/device.h"
#include "os/process.h"
#include "worker/environment.h"
#include "worker/tree.h"

namespace kbv {

/// What every worker of an evaluation has in common.
struct WorkerHost {
  PythonEnvironment python;
  Toolchain toolchain;
  DeviceInfo device;
  std::string precision = "native";
  std::vector<std::string> extra_read_only_paths;
  std::vector<std::string> extra_env;  ///< "NAME=value", after the workers' own
};

/// A program that starts the worker's Python and looks at it from outside, such as compute-sanitizer.
struct Runner {
  std::vector<std::string> argv;  ///< its path and options; Python's command line comes behind them
  int report_fd = -1;             ///< what it writes its report to: k_report_path, in the box
  Deadline deadline = Deadline::max();  ///< of all requests to the worker, whatever their own limits are
};
inline constexpr const char* k_report_path = "/proc/self/fd/6";

struct WorkerSpec {
  std::string label;              ///< "reference worker"
  Fault owner = Fault::machine;   ///< whose fault a failure in it is, once it has started
  bool is_reference = false;      ///< trusted: it can make inputs and expected outputs too
  bool sees_device = true;        ///< false: the build stage, which no GPU is shown to
  IsolationProfile profile = IsolationProfile::none;
  BoxLimits limits;
  std::vector<InjectedFile> files;
  int bundle_fd = -1;  ///< a memfd for the build's products, or -1
  Runner runner;       ///< empty argv: none
};

/// What the worker says of one call. Never believed; see Observation.
struct CallClaims {
  double event_us = 0;
  double peak_bytes = 0, base_bytes = 0;
};

class Worker {
 public:
  /// Starts the process and returns at once; say hello() before anything else.
  static Result<std::unique_ptr<Worker>> start(const WorkerHost& host, WorkerSpec spec);
  ~Worker();

  /// Waits until Python and PyTorch are up; the device is not touched. A failure is the machine's fault: nothing of the
  /// owner's has run yet.
  Result<nlohmann::json> hello(double timeout_s);
  /// Makes it ready to use the device; on CUDA it has a context from here on. Once, after hello(). A failure is the machine's fault.
  Result<void> attach(double timeout_s);

  /// One request and its reply. A failure is the owner's: code "timeout", "crash", "out_of_memory", or what the reply
  /// says if that is a code which the owner may claim, else `default_code`.
  Result<nlohmann::json> request(nlohmann::json message, double timeout_s, const std::string& default_code,
                                 const std::vector<int>& fds = {});

  /// Closes the connection, at which a worker ends by itself, and waits for that. Nothing if it has not ended in time.
  std::optional<ExitStatus> finish(double timeout_s);

  /// Maps `buffers` as the set `name`; `tree` says how its leaves lie in them, in order.
  Result<void> bind(const std::string& name, const nlohmann::json& tree,
                    const std::vector<std::unique_ptr<Buffer>>& buffers);

  // The hot hand-over: begin_calls, (reveal the inputs), for each call go, wait_ran, take and wait_done, (take the outputs),
  // end_calls.
  struct HandOver {
    std::string model = "model";  ///< "model", "null", "compiled"
    double null_us = 0;           ///< how long the kernel of "null" waits on the device; 0, and on the host: it does not
    std::uint64_t forward_seed = 0;  ///< once, before the first call
    bool memory = false;             ///< claim the allocator's peak too
    bool settle = false;             ///< wait for the device between forward and outputs
    bool hold = false;               ///< keep the last call's outputs
    int warm = 0;                    ///< calls of the smallest kernel that come first, numbered with the others
    int calls = 1;
    int slots = 1;                   ///< how many sets in0, out0, in1, out1... it prepares for
  };
  /// Returns when the worker spins on its go word.
  Result<void> begin_calls(const HandOver& hand_over, double timeout_s);
  /// Starts call `number`, from 0, on the inputs of `slot`.
  void go(int number, int slot);
  /// Returns when the worker says that the forward is over.
  Result<void> wait_ran(int number, double timeout_s);
  /// Says where the outputs of call `number` are wanted.
  void take(int number, int slot);
  /// Returns when the worker says that they are there: true if it also says that the call went well.
  Result<bool> wait_done(int number, double timeout_s);
  /// The worker's reply: the failure of a call that went wrong, or the order in which outputs were stored (README.md).
  Result<nlohmann::json> end_calls(double timeout_s);
  /// Of the last call; complete after end_calls.
  CallClaims claims() const;

  pid_t pid() const { return pid_; }  ///< of the Python process, as the kernel told
  Process& process() { return *process_; }
  const std::string& label() const { return spec_.label; }

 private:
  Worker() = default;
  struct Channel;

  Result<nlohmann::json> reply(const std::string& what, double timeout_s, const std::string& default_code);
  /// Sends one request. That it can not be taken is the owner's fault.
  Result<void> send(const nlohmann::json& message, const std::string& what, const std::vector<int>& fds);
  /// A request whose failure is the machine's fault: nothing of the owner's has run yet.
  Result<nlohmann::json> start_up(nlohmann::json message, double timeout_s);
  Error died(const std::string& what);
  Error late(const std::string& what, double timeout_s);
  Result<void> wait_word(std::atomic<std::uint32_t>& word, std::uint32_t value, const std::string& what, double timeout_s);

  WorkerSpec spec_;
  std::string backend_, precision_;
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<Process> process_;
  pid_t pid_ = 0;
  bool started_ = false;
  std::uint32_t first_ = 1, next_ = 1;  // this hand-over's first call, the next one's; counts over the worker's life
};

}  // namespace kbv
