// SPDX-License-Identifier: MIT
// Theory of operation. The judge may be killed at any moment, also with SIGKILL, and then can't clean up. So the box
// has a process of ours inside that watches a pipe (the lifeline) whose other end only the judge holds: its end of file
// is the judge's death, or its wish. PR_SET_PDEATHSIG would be simpler but fires when the thread that started us ends.
// In a pid namespace the keeper is process 1: the program can't signal it, and when it exits the kernel kills the rest.
// Without one it is a subreaper, so that daemons stay its descendants, and it kills them one by one.
#include "os/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>

#include "os/control_group.h"
#include "os/process_tree.h"
#include "os/seccomp.h"
#include "os/socket.h"

namespace kbv {
namespace {

constexpr double k_kill_timeout_s = 10;
constexpr double k_stop_timeout_s = 2;
constexpr int k_frozen_look_ms = 20;

class Keeper {
 public:
  explicit Keeper(KeeperSetup setup)
      : setup_(std::move(setup)),
        processes_(setup_.is_init ? BoxProcesses::of_namespace(own_proc()) : BoxProcesses::below(::getpid())) {}

  [[noreturn]] void run() {
    Fd children = watch_children();
    auto program = start_program(setup_.program);
    if (!program) {
      StatusMessage failed;
      failed.kind = StatusMessage::Kind::failed;
      failed.error = std::move(program).error();
      finish(failed);
    }
    program_ = program->pid;
    close_passed_fds(*setup_.program.spec);
    tell_started(*program);
    listener_ = CallListener(std::move(program->listener), setup_.program.spec->tool);
    bool broke_freeze = false;
    while (!ended_) {
      pollfd polled[] = {{k_lifeline_fd, POLLIN, 0}, {children.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
      if (::poll(polled, 3, frozen_ ? k_frozen_look_ms : -1) < 0 && errno != EINTR) break;
      if (polled[0].revents != 0 && !obey()) break;
      if (polled[1].revents != 0) {
        signalfd_siginfo info{};
        [[maybe_unused]] const ssize_t got = ::read(children.get(), &info, sizeof info);
        reap();
      }
      if ((polled[2].revents & POLLIN) != 0) {
        listener_.answer(tell_refused);
      } else if (polled[2].revents != 0) {
        listener_.close();  // nobody is left under the filter
      }
      // A timer or a signal-driven descriptor can send SIGCONT to a program that made it so. No honest one does.
      if (frozen_ && !ended_ && processes_.any_running()) {
        broke_freeze = true;
        break;
      }
    }
    StatusMessage message;
    message.kind = StatusMessage::Kind::ended;
    message.exit = ended_.value_or(ExitStatus{0, SIGKILL});
    message.exit.broke_freeze = broke_freeze;
    message.exit.over_memory = killed_for_memory(setup_.memory_events);
    finish(message);
  }

 private:
  static Fd own_proc() { return Fd(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

  static Fd watch_children() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    // The program may have our uid: it must not reach into this process.
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    return Fd(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  void tell_started(const StartedProgram& program) {
    StatusMessage message;
    message.kind = StatusMessage::Kind::started;
    message.report = setup_.report;
    message.box = setup_.host_folder;
    message.memory_group = setup_.memory_group;
    IsolationReport& report = message.report;
    report.layers.insert(report.layers.end(), program.layers.begin(), program.layers.end());
    report.missing.insert(report.missing.end(), program.missing.begin(), program.missing.end());
    if (report.level == "strict" && !program.missing.empty()) report.level = "basic";
    report.missing.insert(report.missing.end(), program.absent.begin(), program.absent.end());
    if (!setup_.absent.empty()) report.missing.push_back(setup_.absent);
    // With it the judge sees the box's processes without a search through all of the machine's.
    const Fd proc = setup_.is_init ? own_proc() : Fd();
    tell_judge(message, proc.get());
  }

  static void tell_refused(const RefusedCall& call) {
    StatusMessage message;
    message.kind = StatusMessage::Kind::refused;
    message.refused = call;
    tell_judge(message);
  }

  /// Reads commands; false at the judge's end.
  bool obey() {
    char commands[16];
    const ssize_t n = ::read(k_lifeline_fd, commands, sizeof commands);
    if (n <= 0) return n < 0 && (errno == EINTR || errno == EAGAIN);
    for (ssize_t i = 0; i < n; ++i) {
      StatusMessage done;
      done.kind = commands[i] == k_freeze_command ? StatusMessage::Kind::frozen : StatusMessage::Kind::thawed;
      if (commands[i] == k_freeze_command) {
        freeze();
      } else {
        thaw();
      }
      tell_judge(done);
    }
    return true;
  }

  void freeze() {
    // To all at once: none can fork away from it. Then wait until each has really stopped.
    if (setup_.is_init) ::kill(-1, SIGSTOP);
    frozen_ = processes_.stop(k_stop_timeout_s);
  }

  void thaw() {
    frozen_ = false;
    if (setup_.is_init) {
      ::kill(-1, SIGCONT);
    } else {
      processes_.resume();
    }
  }

  void reap() {
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG | __WALL)) > 0;) {
      if (pid != program_) continue;
      ended_ = ExitStatus{};
      if (WIFSIGNALED(status)) ended_->signal = WTERMSIG(status);
      if (WIFEXITED(status)) ended_->code = WEXITSTATUS(status);
    }
  }

  /// Ends the rest of the box, then tells, so that who knows of the end knows that nothing runs any more.
  [[noreturn]] void finish(const StatusMessage& message) {
    if (setup_.is_init) {
      ::kill(-1, SIGKILL);
      const Deadline deadline = after_seconds(k_kill_timeout_s);
      while (::waitpid(-1, nullptr, __WALL) >= 0 && Clock::now() < deadline) {
      }
    } else {
      kill_own_tree(k_kill_timeout_s);
    }
    tell_judge(message);
    ::_exit(0);
  }

  KeeperSetup setup_;
  BoxProcesses processes_;
  CallListener listener_;
  pid_t program_ = 0;
  bool frozen_ = false;
  std::optional<ExitStatus> ended_;
};

}  // namespace

void run_keeper(KeeperSetup setup) { Keeper(std::move(setup)).run(); }

void tell_judge(const StatusMessage& message, int fd) {
  const Socket status(Fd(::fcntl(k_status_fd, F_DUPFD_CLOEXEC, 0)));
  const std::vector<int> fds(fd < 0 ? 0 : 1, fd);
  [[maybe_unused]] const auto sent = status.send(encode_status(message), fds);
}

}  // namespace kbv
