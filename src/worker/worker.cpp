// SPDX-License-Identifier: MIT
#include "worker/worker.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/json_text.h"
#include "os/interrupt.h"
#include "os/shared_page.h"
#include "os/socket.h"

namespace kbv {

extern const std::string_view k_worker_bootstrap, k_reference_bootstrap, k_families_source, k_oracle_source, k_stand_ins_source, k_reach_source, k_noise_source, k_ensemble_source, k_poison_source, k_vary_source, k_tracer_library;

namespace {

using nlohmann::json;

constexpr std::size_t k_page_bytes = 4096;
constexpr std::size_t k_claims_offset = 64;
constexpr int k_max_parts = 32;
constexpr std::size_t k_max_text = 16u << 10;
constexpr std::size_t k_max_detail = 4u << 20;
constexpr std::size_t k_fds_per_message = 16;

/// The hand-over page as both sides see it; worker.py has the same numbers.
struct Page {
  std::atomic<std::uint32_t> arm, ready, go, ran, take, done, status, slot_in, slot_out;
};

/// Codes that an owner's own code may claim. Anything else that it says becomes the request's default code.
const std::set<std::string>& claimable_codes() {
  static const std::set<std::string> codes = {
      "import_error", "no_class",      "build_error",     "construct_error", "runtime_error", "out_of_memory",
      "wrong_shape",  "wrong_dtype",   "wrong_structure", "wrong_output",    "unsupported",   "no_size"};
  return codes;
}

Error interrupted_error() { return {Fault::machine, "interrupted", "interrupted", {}}; }

/// A JSON object from hostile bytes: no exception, bounded depth.
std::optional<json> parse_object(const std::string& bytes) {
  bool deep = false;
  const auto shallow = [&](int depth, json::parse_event_t, json&) {
    deep = deep || depth > 40;
    return !deep;
  };
  json value = json::parse(bytes, shallow, /*allow_exceptions=*/false);
  if (deep || !value.is_object()) return std::nullopt;
  return value;
}

std::string bounded_string(const json& object, const char* key, std::size_t limit) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return {};
  return found->get_ref<const std::string&>().substr(0, limit);
}

/// Leaves the core's units to the thread that shares it, for a moment.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

const char* signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name ? name : "?";
}

}  // namespace

struct Worker::Channel {
  Socket socket;
  SharedPage page;
  Page* words() { return reinterpret_cast<Page*>(page.data()); }
};

Result<std::unique_ptr<Worker>> Worker::start(const WorkerHost& host, WorkerSpec spec) {
  std::unique_ptr<Worker> worker(new Worker);
  worker->backend_ = spec.sees_device ? host.device.backend : "host";
  worker->precision_ = host.precision;
  worker->channel_ = std::make_unique<Channel>();
  KBV_TRY_ASSIGN(auto pair, Socket::pair());
  worker->channel_->socket = std::move(pair.first);
  KBV_TRY_ASSIGN(worker->channel_->page, SharedPage::create(k_page_bytes));

  const bool cuda = host.device.backend == "cuda";
  const int capability = host.device.compute_capability;
  LaunchSpec launch;
  launch.label = spec.label;
  launch.argv = spec.runner.argv;
  for (const std::string& word : {host.python.executable, std::string("-I"), std::string("-B"), std::string("-u"),
                                  std::string(spec.is_reference ? "{box}/reference.py" : "{box}/worker.py")})
    launch.argv.push_back(word);
  launch.env = worker_environment(host.python, host.toolchain,
                                  cuda && spec.sees_device ? (host.device.uuid.empty() ? std::to_string(host.device.index)
                                                                                       : host.device.uuid)
                                                           : "",
                                  cuda ? fmt::format("{}.{}", capability / 10, capability % 10) : "");
  launch.env.insert(launch.env.end(), host.extra_env.begin(), host.extra_env.end());
  launch.files = spec.files;
  launch.files.push_back({"worker.py", std::string(k_worker_bootstrap)});
  launch.files.push_back({"vary.py", std::string(k_vary_source)});
  launch.files.push_back({"poison.py", std::string(k_poison_source)});
  if (spec.is_reference) {
    launch.files.push_back({"reference.py", std::string(k_reference_bootstrap)});
    launch.files.push_back({"families.py", std::string(k_families_source)});
    launch.files.push_back({"ensemble.py", std::string(k_ensemble_source)});
    launch.files.push_back({"oracle.py", std::string(k_oracle_source)});
    launch.files.push_back({"stand_ins.py", std::string(k_stand_ins_source)});
    launch.files.push_back({"reach.py", std::string(k_reach_source)});
    launch.files.push_back({"noise.py", std::string(k_noise_source)});
  }
  if (cuda && spec.sees_device) launch.files.push_back({"libkbv_tracer.so", std::string(k_tracer_library)});
  launch.fds = {{pair.second.get(), 3}, {worker->channel_->page.fd(), 4}};
  if (spec.bundle_fd >= 0) launch.fds.push_back({spec.bundle_fd, 5});
  if (spec.runner.report_fd >= 0) launch.fds.push_back({spec.runner.report_fd, 6});  // k_report_path
  launch.read_only_paths = worker_paths(host.python, host.toolchain);
  for (const auto& path : host.extra_read_only_paths) launch.read_only_paths.push_back(path);
  if (cuda && spec.sees_device) launch.device_nodes = cuda_device_nodes();
  launch.limits = spec.limits;
  launch.profile = spec.profile;
  if (!spec.runner.argv.empty()) launch.tool = BoxTool::debugger;
  worker->spec_ = std::move(spec);
  KBV_TRY_ASSIGN(worker->process_, Process::launch(std::move(launch)));
  return worker;
}

Worker::~Worker() = default;

Result<json> Worker::start_up(json message, double timeout_s) {
  auto answer = request(std::move(message), timeout_s, "worker_error");
  if (!answer) {
    Error error = std::move(answer).error();
    if (error.code != "interrupted") {
      error.fault = Fault::machine;
      error.code = "worker_start";
      error.message = spec_.label + " could not start: " + error.message;
      if (error.detail.empty()) error.detail = process_->output();
    }
    return tl::make_unexpected(std::move(error));
  }
  return answer;
}

Result<json> Worker::hello(double timeout_s) {
  KBV_TRY_ASSIGN(json facts, start_up({{"op", "hello"}, {"backend", backend_}, {"precision", precision_}}, timeout_s));
  started_ = true;
  return facts;
}

Result<void> Worker::attach(double timeout_s) {
  KBV_TRY(start_up({{"op", "attach"}}, timeout_s));
  return {};
}

std::optional<ExitStatus> Worker::finish(double timeout_s) {
  channel_->socket.close();
  const Deadline deadline = after_seconds(timeout_s);
  std::optional<ExitStatus> status;
  while (!(status = process_->exit_status()) && Clock::now() < deadline && !interrupted())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return status;
}

Error Worker::died(const std::string& what) {
  // The socket closes a moment before the keeper knows the exit status.
  const Deadline deadline = after_seconds(5);
  std::optional<ExitStatus> status;
  while (!(status = process_->exit_status()) && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  Error error{spec_.owner, "crash", {}, process_->output()};
  if (!status) {
    error.message = fmt::format("{} closed its connection during {} and went on running", spec_.label, what);
    process_->kill();
  } else if (status->over_memory) {
    error.code = "out_of_memory";
    error.message = fmt::format("{} used more than {} MiB of host memory during {}", spec_.label,
                                spec_.limits.memory_bytes >> 20, what);
  } else if (status->signal != 0) {
    error.message = fmt::format("{} was ended by SIG{} during {}", spec_.label, signal_name(status->signal), what);
  } else {
    error.message = fmt::format("{} exited with code {} during {}", spec_.label, status->code, what);
  }
  return error;
}

Error Worker::late(const std::string& what, double timeout_s) {
  Error error{spec_.owner, "timeout", fmt::format("{} did not finish {} in {:g} s", spec_.label, what, timeout_s), {}};
  error.detail = process_->output();
  return error;
}

Result<json> Worker::request(json message, double timeout_s, const std::string& default_code,
                             const std::vector<int>& fds) {
  message["code"] = default_code;
  const std::string what = message.value("op", "?");
  KBV_TRY(send(message, what, fds));
  return reply(what, timeout_s, default_code);
}

Result<void> Worker::send(const json& message, const std::string& what, const std::vector<int>& fds) {
  auto sent = channel_->socket.send(json_text(message), fds);
  if (sent) return sent;
  // Who closes the socket, or answers without reading, has done it: its owner's fault, and no reason to try again.
  if (sent.error().code == "closed") return tl::make_unexpected(died(what));
  if (sent.error().code == "timeout")
    return fail(spec_.owner, "crash", spec_.label + " broke the protocol: it does not read its requests");
  return sent;
}

Result<json> Worker::reply(const std::string& what, double timeout_s, const std::string& default_code) {
  const Deadline deadline = std::min(after_seconds(timeout_s), spec_.runner.deadline);
  const auto next = [&]() -> Result<std::string> {
    auto packet = channel_->socket.receive(deadline);
    if (!packet) {
      const std::string& code = packet.error().code;
      if (code == "timeout") return tl::make_unexpected(late(what, timeout_s));
      if (code == "closed") return tl::make_unexpected(died(what));
      if (code == "interrupted") return tl::make_unexpected(interrupted_error());
      return tl::make_unexpected(Error{spec_.owner, "crash", spec_.label + " broke the protocol: " + packet.error().message, {}});
    }
    if (pid_ == 0) pid_ = packet->pid;
    return std::move(packet->bytes);
  };
  KBV_TRY_ASSIGN(const std::string bytes, next());
  auto object = parse_object(bytes);
  const auto ok = object ? object->find("ok") : json::iterator{};
  if (!object || ok == object->end() || !ok->is_boolean())
    return fail(spec_.owner, "crash", spec_.label + " broke the protocol: a reply that is not a JSON object");
  if (ok->get<bool>()) return std::move(*object);

  Error error{spec_.owner, bounded_string(*object, "code", 64), bounded_string(*object, "text", k_max_text), {}};
  if (error.code == "worker_error" && !started_) error.fault = Fault::machine;
  if (!claimable_codes().count(error.code)) error.code = default_code;
  const auto parts = object->find("parts");
  const std::int64_t count = parts != object->end() && parts->is_number_integer() ? parts->get<std::int64_t>() : 0;
  for (std::int64_t i = 0; i < count && i < k_max_parts && error.detail.size() < k_max_detail; ++i) {
    auto part = next();
    if (!part) break;
    error.detail += *part;
  }
  return tl::make_unexpected(std::move(error));
}

Result<void> Worker::bind(const std::string& name, const json& tree,
                          const std::vector<std::unique_ptr<Buffer>>& buffers) {
  std::size_t first = 0;
  do {
    const std::size_t end = std::min(first + k_fds_per_message, buffers.size());
    json sizes = json::array();
    std::vector<int> fds;
    for (std::size_t i = first; i < end; ++i) {
      sizes.push_back({buffers[i]->bytes(), buffers[i]->mapped_bytes()});
      fds.push_back(buffers[i]->export_fd());
    }
    json message = {{"op", "bind"}, {"set", name}, {"first", first}, {"sizes", sizes}};
    if (end == buffers.size()) message["tree"] = tree;
    KBV_TRY(request(std::move(message), 60, "runtime_error", fds));
    first = end;
  } while (first < buffers.size());
  return {};
}

Result<void> Worker::begin_calls(const HandOver& hand_over, double timeout_s) {
  first_ = next_;
  next_ += static_cast<std::uint32_t>(hand_over.warm + hand_over.calls);
  const json message = {{"op", "run"},
                        {"model", hand_over.model},
                        {"first", first_},
                        {"null_us", hand_over.null_us},
                        {"warm", hand_over.warm},
                        {"calls", hand_over.calls},
                        {"slots", hand_over.slots},
                        {"forward_seed", hand_over.forward_seed},
                        {"memory", hand_over.memory},
                        {"settle", hand_over.settle},
                        {"hold", hand_over.hold},
                        {"code", "runtime_error"}};
  KBV_TRY(send(message, "run", {}));
  Page* page = channel_->words();
  page->arm.store(first_, std::memory_order_release);
  futex_wake(page->arm);
  return wait_word(page->ready, first_, "the preparation of a call", timeout_s);
}

Result<void> Worker::wait_word(std::atomic<std::uint32_t>& word, std::uint32_t value, const std::string& what,
                               double timeout_s) {
  // On a GPU machine a core is free to spin for the whole call, so that the clock stops at once. On the CPU the spinning
  // would take a core from the kernel that is measured.
  const bool spin_only = backend_ == "cuda";
  const auto start = Clock::now();
  const Deadline deadline = after_seconds(timeout_s);
  auto next_look = start + std::chrono::milliseconds(10);
  const auto spin_until = start + std::chrono::microseconds(20);
  while (true) {
    for (int i = 0; i < 64; ++i) {
      if (word.load(std::memory_order_acquire) == value) return {};
      relax();
    }
    const auto now = Clock::now();
    if (!spin_only && now > spin_until) {
      const std::uint32_t seen = word.load(std::memory_order_acquire);
      if (seen == value) return {};
      futex_wait(word, seen, std::min<Deadline>(deadline, now + std::chrono::milliseconds(2)));
    }
    if (now < next_look) continue;
    next_look = now + std::chrono::milliseconds(10);
    if (interrupted()) return tl::make_unexpected(interrupted_error());
    if (process_->exit_status()) return tl::make_unexpected(died(what));
    // A worker that answers without touching the page has failed before the call, or left the loop.
    if (channel_->socket.readable()) {
      if (word.load(std::memory_order_acquire) == value) return {};
      auto answer = reply(what, 5, "runtime_error");
      if (!answer) return tl::make_unexpected(std::move(answer).error());
      return fail(spec_.owner, "crash", spec_.label + " broke the protocol: it left the hand-over");
    }
    if (now > deadline) return tl::make_unexpected(late(what, timeout_s));
  }
}

void Worker::go(int number, int slot) {
  channel_->words()->slot_in.store(static_cast<std::uint32_t>(slot), std::memory_order_relaxed);
  channel_->words()->go.store(first_ + static_cast<std::uint32_t>(number), std::memory_order_release);
}

Result<void> Worker::wait_ran(int number, double timeout_s) {
  return wait_word(channel_->words()->ran, first_ + static_cast<std::uint32_t>(number), "a forward call", timeout_s);
}

void Worker::take(int number, int slot) {
  channel_->words()->slot_out.store(static_cast<std::uint32_t>(slot), std::memory_order_relaxed);
  channel_->words()->take.store(first_ + static_cast<std::uint32_t>(number), std::memory_order_release);
}

Result<bool> Worker::wait_done(int number, double timeout_s) {
  KBV_TRY(wait_word(channel_->words()->done, first_ + static_cast<std::uint32_t>(number), "the outputs of a call", timeout_s));
  return channel_->words()->status.load(std::memory_order_acquire) == 0;
}

CallClaims Worker::claims() const {
  double values[3];
  std::memcpy(values, static_cast<const char*>(channel_->page.data()) + k_claims_offset, sizeof values);
  return {values[0], values[1], values[2]};
}

Result<json> Worker::end_calls(double timeout_s) { return reply("a forward call", timeout_s, "runtime_error"); }

}  // namespace kbv
