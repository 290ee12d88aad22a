// SPDX-License-Identifier: MIT
// The judge's side of a box: one thread that drains its output, hears its keeper, and watches its memory.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>
#include <thread>

#include "os/box_folder.h"
#include "os/box_spec.h"
#include "os/control_group.h"
#include "os/interrupt.h"
#include "os/output_buffer.h"
#include "os/process.h"
#include "os/process_tree.h"
#include "os/spawn.h"

namespace kbv {
namespace {

constexpr double k_launch_timeout_s = 60;
constexpr int k_watch_interval_ms = 40;
constexpr auto k_gentle_kill = std::chrono::milliseconds(500);
constexpr auto k_command_timeout = std::chrono::seconds(5);
constexpr std::size_t k_read_block = 256u << 10;

/// What the keeper's first message says.
struct Started {
  pid_t keeper = 0;
  StatusMessage message;
  Fd proc;  ///< the box's /proc, if it has a pid namespace
};

class BoxProcess final : public Process {
 public:
  BoxProcess(LaunchSpec spec, SpawnedLauncher launcher, Started started)
      : limits_(spec.limits),
        report_(std::move(started.message.report)),
        host_folder_(std::move(started.message.box)),
        memory_group_(std::move(started.message.memory_group)),
        launcher_(std::move(launcher)),
        processes_(started.proc ? BoxProcesses::of_namespace(std::move(started.proc))
                                : BoxProcesses::below(started.keeper)),
        keeper_(started.keeper),
        keeper_fd_(static_cast<int>(::syscall(SYS_pidfd_open, started.keeper, 0))),
        output_(limits_.output_bytes),
        watcher_([this] { watch(); }) {}

  ~BoxProcess() override {
    kill();
    watcher_.join();
  }

  std::optional<ExitStatus> exit_status() override {
    const std::lock_guard lock(mutex_);
    return exit_;
  }

  void kill() override {
    std::unique_lock lock(mutex_);
    lifeline_closed_ = true;
    launcher_.lifeline.reset();
    const auto done = [this] { return finished_; };
    if (changed_.wait_for(lock, k_gentle_kill, done)) return;
    // The keeper is busy, or stopped. In a pid namespace its death is the death of all.
    while (!finished_) {
      lock.unlock();
      kill_hard();
      lock.lock();
      changed_.wait_for(lock, k_gentle_kill, done);
    }
  }

  void allow_memory(std::uint64_t more_bytes) override {
    const std::uint64_t more = more_memory_bytes_ += more_bytes;
    if (watches_use() && !memory_group_.empty())
      set_group_memory(memory_group_, group_memory_bytes(limits_, limits_.memory_bytes + more));
  }
  void freeze() override { command(k_freeze_command, StatusMessage::Kind::frozen); }
  void thaw() override { command(k_thaw_command, StatusMessage::Kind::thawed); }

  std::uint64_t resident_bytes() override { return exit_status() ? 0 : processes_.use().resident_bytes; }

  const IsolationReport& isolation() const override { return report_; }

  std::vector<RefusedCall> refused_calls() override {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

  std::string output() override {
    const std::lock_guard lock(mutex_);
    return output_.text();
  }

 private:
  void command(char name, StatusMessage::Kind answer) {
    std::unique_lock lock(mutex_);
    if (exit_ || lifeline_closed_) return;
    const unsigned before = answers_[static_cast<std::size_t>(answer)];
    if (::write(launcher_.lifeline.get(), &name, 1) != 1) return;
    changed_.wait_for(lock, k_command_timeout,
                      [&] { return exit_ || finished_ || answers_[static_cast<std::size_t>(answer)] != before; });
  }

  void kill_keeper() {
    if (keeper_fd_) {
      ::syscall(SYS_pidfd_send_signal, keeper_fd_.get(), SIGKILL, nullptr, 0);
    } else {
      ::kill(keeper_, SIGKILL);  // before Linux 5.3; its number is free again only for the moment until finished_
    }
  }

  void kill_hard() {
    // A box without its own pid namespace is not gone with its keeper: the launcher, which inherits what is left, ends
    // it. A launcher that someone stopped is continued.
    kill_keeper();
    ::kill(launcher_.pid, SIGCONT);
  }

  void watch() {
    bool output_open = true, status_open = true;
    auto next_look = Clock::now();
    while (status_open) {
      pollfd polled[] = {{output_open ? launcher_.output.get() : -1, POLLIN, 0}, {launcher_.status.get(), POLLIN, 0}};
      ::poll(polled, 2, watches_use() ? k_watch_interval_ms : -1);
      if (polled[0].revents != 0) output_open = drain();
      if (polled[1].revents != 0) status_open = hear();
      if (watches_use() && Clock::now() >= next_look) {
        const auto start = Clock::now();
        check_use();
        // At most a twentieth of a core, however many processes there are.
        const auto end = Clock::now();
        next_look = end + std::max<Clock::duration>(std::chrono::milliseconds(k_watch_interval_ms), 20 * (end - start));
      }
    }
    // Nobody holds the other end: keeper and launcher are gone or going, and with them everything else.
    while (::waitpid(launcher_.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    if (output_open) drain();
    // The launcher does this; but it may have been killed.
    if (!host_folder_.empty() && ::access(host_folder_.c_str(), F_OK) == 0) remove_folder(host_folder_);
    const std::lock_guard lock(mutex_);
    if (!exit_) exit_ = ExitStatus{0, SIGKILL, over_memory_, false};
    finished_ = true;
    changed_.notify_all();
  }

  /// Takes what the pipe holds; false at its end.
  bool drain() {
    // Bounded, so that a flood doesn't keep this thread from its other duties.
    for (int i = 0; i < 16; ++i) {
      const ssize_t n = ::read(launcher_.output.get(), block_.data(), block_.size());
      if (n == 0) return false;
      if (n < 0) return errno == EAGAIN || errno == EINTR;
      const std::lock_guard lock(mutex_);
      output_.append({block_.data(), static_cast<std::size_t>(n)});
    }
    return true;
  }

  /// Takes one message; false when there will be no more.
  bool hear() {
    auto packet = launcher_.status.receive(Clock::now());
    if (!packet) return packet.error().code != "closed";
    const auto message = decode_status(packet->bytes);
    if (!message) return true;
    if (message->kind == StatusMessage::Kind::ended) drain();  // who sees the end finds the last words
    const std::lock_guard lock(mutex_);
    ++answers_[static_cast<std::size_t>(message->kind)];
    if (message->kind == StatusMessage::Kind::refused) refused_.push_back(message->refused);
    if (message->kind == StatusMessage::Kind::ended) {
      exit_ = message->exit;
      exit_->over_memory |= over_memory_;
    }
    changed_.notify_all();
    return true;
  }

  bool watches_use() const { return limits_.memory_bytes > 0; }

  void check_use() {
    if (processes_.use().resident_bytes <= limits_.memory_bytes + more_memory_bytes_) return;
    const std::lock_guard lock(mutex_);
    if (exit_) return;
    over_memory_ = true;
    // The keeper then ends the box; kill() is not for this thread, since it waits for it.
    lifeline_closed_ = true;
    launcher_.lifeline.reset();
    kill_keeper();
  }

  const BoxLimits limits_;
  std::atomic<std::uint64_t> more_memory_bytes_{0};
  const IsolationReport report_;
  const std::string host_folder_;
  const std::string memory_group_;
  SpawnedLauncher launcher_;  // .lifeline under mutex_
  const BoxProcesses processes_;
  const pid_t keeper_;
  const Fd keeper_fd_;

  std::mutex mutex_;
  std::condition_variable changed_;
  OutputBuffer output_;
  std::optional<ExitStatus> exit_;
  std::vector<RefusedCall> refused_;
  std::array<unsigned, 6> answers_{};  // how many messages of each kind came
  bool lifeline_closed_ = false;
  bool over_memory_ = false;
  bool finished_ = false;

  std::vector<char> block_ = std::vector<char>(k_read_block);  // the watcher's
  std::thread watcher_;                                        // last: it uses all of the above
};

Result<void> check_spec(const LaunchSpec& spec) {
  const auto bad = [&](const std::string& why) { return fail(Fault::usage, "bad_spec", spec.label + ": " + why); };
  if (spec.argv.empty() || spec.argv[0].empty()) return bad("no program");
  if (spec.argv[0].front() != '/' && spec.argv[0].rfind("{box}/", 0) != 0) return bad("argv[0] is not absolute");
  std::set<int> numbers;
  for (const auto& passed : spec.fds)
    if (passed.as_number < 3 || !numbers.insert(passed.as_number).second) return bad("a bad descriptor number");
  for (const auto& file : spec.files) KBV_TRY(check_file_name(file.name));
  for (const auto* paths : {&spec.read_only_paths, &spec.device_nodes})
    for (const auto& path : *paths)
      if (path.empty() || path.front() != '/') return bad("'" + path + "' is not an absolute path");
  return {};
}

}  // namespace

Result<std::unique_ptr<Process>> Process::launch(LaunchSpec spec) {
  KBV_TRY(check_spec(spec));
  KBV_TRY_ASSIGN(auto launcher, spawn_launcher(spec));
  const auto first_message = [&]() -> Result<Started> {
    auto packet = launcher.status.receive(after_seconds(k_launch_timeout_s));
    if (!packet && packet.error().code == "closed") {
      std::array<char, 4096> text;
      const ssize_t n = ::read(launcher.output.get(), text.data(), text.size());
      return fail(Fault::machine, "launch_failed", "its launcher ended early",
                  {text.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))});
    }
    if (!packet) return tl::make_unexpected(std::move(packet).error());
    auto message = decode_status(packet->bytes);
    if (!message) return fail(Fault::machine, "launch_failed", "its launcher sent nonsense");
    if (message->kind == StatusMessage::Kind::failed) return tl::make_unexpected(std::move(message->error));
    return Started{packet->pid, std::move(*message), packet->fds.empty() ? Fd() : std::move(packet->fds[0])};
  };
  auto started = first_message();
  if (!started) {
    launcher.lifeline.reset();
    ::waitpid(launcher.pid, nullptr, 0);
    if (started.error().code != "interrupted") started.error().message = spec.label + ": " + started.error().message;
    return tl::make_unexpected(std::move(started).error());
  }
  return std::unique_ptr<Process>(new BoxProcess(std::move(spec), std::move(launcher), std::move(*started)));
}

}  // namespace kbv
