// SPDX-License-Identifier: MIT
#include "os/program.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "os/box_spec.h"
#include "os/limits.h"
#include "os/landlock.h"
#include "os/namespaces.h"
#include "os/seccomp.h"
#include "os/socket.h"

namespace kbv {
namespace {

// The child's messages to the keeper: the first letter, then "reason", "layer" or "layer: reason". The socket's end
// means that execve() worked.
constexpr char k_fatal = '!', k_layer = '+', k_missing = '-', k_absent = '~';
constexpr double k_start_timeout_s = 30;

std::string with_box(std::string text, const std::string& box) {
  const std::string name = "{box}";
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + box.size()))
    text.replace(at, name.size(), box);
  return text;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Puts the passed descriptors at their numbers. Everything else is close-on-exec already.
Result<void> place_fds(const LaunchSpec& spec, Socket& report) {
  int high = k_first_passed_fd + static_cast<int>(spec.fds.size());
  for (const auto& passed : spec.fds) high = std::max(high, passed.as_number + 1);
  // First out of the way, since the numbers wanted overlap with those that are in use.
  report = Socket(Fd(::fcntl(report.get(), F_DUPFD_CLOEXEC, high)));
  if (!report) return fail_errno("F_DUPFD_CLOEXEC");
  std::vector<int> moved;
  for (std::size_t i = 0; i < spec.fds.size(); ++i) {
    moved.push_back(::fcntl(k_first_passed_fd + static_cast<int>(i), F_DUPFD_CLOEXEC, high));
    if (moved.back() < 0) return fail_errno("F_DUPFD_CLOEXEC");
  }
  for (std::size_t i = 0; i < moved.size(); ++i)
    if (::dup2(moved[i], spec.fds[i].as_number) < 0) return fail_errno("dup2");
  return {};
}

void note(const Socket& report, char letter, const std::string& text, int fd = -1) {
  [[maybe_unused]] const auto sent = report.send(letter + text, std::vector<int>(fd < 0 ? 0 : 1, fd));
}

/// The last two walls. They stand before the program's first instruction, so none of its threads is outside of them.
void enter_filters(const ProgramSetup& setup, const Socket& report) {
  const BoxTool tool = setup.spec->tool;
  std::string why;
  if (landlock_abi(why) == 0) {
    note(report, k_absent, "landlock: " + why);
  } else if (auto done = enter_landlock(setup.places, tool); !done) {
    note(report, k_missing, "landlock: " + done.error().message);
  } else {
    note(report, k_layer, "landlock");
  }
  auto listener = install_call_filter(tool);
  if (!listener) {
    note(report, k_missing, "seccomp: " + listener.error().message);
    return;
  }
  note(report, k_layer, "seccomp", listener->get());
  if (!*listener) note(report, k_absent, "seccomp notices: refused calls can't be told here");
}

Result<void> prepare(const ProgramSetup& setup, Socket& report) {
  // The keeper isn't dumpable, and /proc/self would belong to root.
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  prefer_for_oom();
  // A session of its own: a signal to its process group doesn't reach the keeper.
  if (::setsid() < 0) return fail_errno("setsid");
  if (setup.spec->limits.background) prefer_others();
  if (setup.uid != 0) KBV_TRY(become_user(setup.uid));
  if (setup.own_user_namespace) {
    if (auto closed = forbid_user_namespaces(); closed) {
      note(report, k_layer, "user");
    } else {
      note(report, k_missing, "user: " + closed.error().message);
    }
  }
  if (::chdir((setup.box + "/home").c_str()) != 0) return fail_errno((setup.box + "/home").c_str());
  ::umask(022);
  KBV_TRY(place_fds(*setup.spec, report));
  KBV_TRY(apply_limits(setup.spec->limits, setup.shared_uid));
  reset_signals();
  KBV_TRY(drop_privileges());
  if (setup.filters) enter_filters(setup, report);
  return {};
}

[[noreturn]] void run_child(const ProgramSetup& setup, Socket report) {
  std::vector<std::string> argv, env;
  for (const auto& text : setup.spec->argv) argv.push_back(with_box(text, setup.box));
  for (const auto& text : setup.spec->env) env.push_back(with_box(text, setup.box));
  std::string reason(1, k_fatal);
  if (auto ready = prepare(setup, report); !ready) {
    reason += ready.error().message;
  } else {
    ::execve(argv[0].c_str(), pointers(argv).data(), pointers(env).data());
    reason += fail_errno(("execve " + argv[0]).c_str()).value().message;
  }
  [[maybe_unused]] const auto sent = report.send(reason);
  ::_exit(127);
}

}  // namespace

Result<StartedProgram> start_program(const ProgramSetup& setup) {
  KBV_TRY_ASSIGN(auto channel, Socket::pair());
  StartedProgram program;
  Result<pid_t> child = fail(Fault::machine, "unset", "");
  if (setup.own_user_namespace) child = fork_into(CLONE_NEWUSER);
  // If we can't make a user namespace with all our privileges, then neither can the program.
  const bool in_namespace = setup.own_user_namespace && child;
  if (!in_namespace) child = fork_into(0);
  KBV_TRY(child);
  program.pid = *child;
  if (program.pid == 0) {
    channel.first.close();
    ProgramSetup mine = setup;
    mine.own_user_namespace = in_namespace;
    char go = 0;
    if (::read(channel.second.get(), &go, 1) != 1) ::_exit(127);
    run_child(mine, std::move(channel.second));
  }
  channel.second.close();
  const auto await = [&]() -> Result<void> {
    if (in_namespace) KBV_TRY(map_ids(program.pid, {setup.uid}, {setup.uid}, true));
    KBV_TRY(channel.first.send("g"));
    while (true) {
      auto message = channel.first.receive(after_seconds(k_start_timeout_s));
      if (!message && message.error().code == "closed") return {};
      if (!message) return tl::make_unexpected(std::move(message).error());
      if (message->bytes.empty()) continue;
      const std::string text = message->bytes.substr(1);
      switch (message->bytes.front()) {
        case k_layer: program.layers.push_back(text); break;
        case k_missing: program.missing.push_back(text); break;
        case k_absent: program.absent.push_back(text); break;
        default: return fail(Fault::machine, "launch_failed", text);
      }
      if (!message->fds.empty()) program.listener = std::move(message->fds.front());
    }
  };
  if (auto started = await(); !started) {
    ::kill(program.pid, SIGKILL);
    ::waitpid(program.pid, nullptr, 0);
    return tl::make_unexpected(std::move(started).error());
  }
  return program;
}

}  // namespace kbv
