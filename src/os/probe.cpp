// SPDX-License-Identifier: MIT
// Each layer is tried for real in a child: versions and sysctls say what should work, containers and security modules
// decide what does. The judge has threads, so it doesn't fork; it starts its own binary, which does.
#include "os/probe.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <functional>
#include <sstream>

#include "base/file.h"
#include "os/box_root.h"
#include "os/bytes.h"
#include "os/control_group.h"
#include "os/landlock.h"
#include "os/limits.h"
#include "os/namespaces.h"
#include "os/process.h"
#include "os/seccomp.h"
#include "os/socket.h"
#include "os/spawn.h"

namespace kbv {
namespace {

using Step = std::function<Result<void>()>;

/// Runs `step` in a child that has the namespaces `flags`, and its own ids mapped if there is a new user namespace.
Result<void> try_in_child(std::uint64_t flags, const Step& step) {
  KBV_TRY_ASSIGN(auto channel, Socket::pair());
  KBV_TRY_ASSIGN(const pid_t child, fork_into(flags));
  if (child == 0) {
    channel.first.close();
    char go = 0;
    if (::read(channel.second.get(), &go, 1) != 1) ::_exit(1);
    const auto done = step();
    [[maybe_unused]] const auto sent = channel.second.send(done ? "+" : "-" + done.error().message);
    ::_exit(0);
  }
  channel.second.close();
  const auto ask = [&]() -> Result<void> {
    if ((flags & CLONE_NEWUSER) != 0) KBV_TRY(map_ids(child, {::geteuid()}, {::getegid()}, ::geteuid() == 0));
    KBV_TRY(channel.first.send("g"));
    auto answer = channel.first.receive(after_seconds(20));
    if (!answer) return tl::make_unexpected(std::move(answer).error());
    if (answer->bytes != "+") return fail(Fault::machine, "isolation", answer->bytes.substr(1));
    return {};
  };
  auto result = ask();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  return result;
}

/// A sysctl's value; -1 if this kernel has no such thing.
long sysctl(const std::string& path) {
  const std::string text = read_small("/proc/sys/" + path);
  return text.empty() ? -1 : std::strtol(text.c_str(), nullptr, 10);
}

/// What an administrator can change so that user namespaces work.
std::string how_to_mend() {
  if (sysctl("user/max_user_namespaces") == 0) return "; mend: sysctl user.max_user_namespaces=15000";
  if (::geteuid() != 0 && sysctl("kernel/unprivileged_userns_clone") == 0)
    return "; mend: sysctl kernel.unprivileged_userns_clone=1";
  if (::geteuid() != 0 && sysctl("kernel/apparmor_restrict_unprivileged_userns") == 1)
    return "; mend: sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile that allows userns "
           "for kbv";
  if (::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0)
    return "; mend: start the container with --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
           " (and --security-opt apparmor=unconfined where AppArmor is used), or with --cap-add SYS_ADMIN";
  return {};
}

class Prober {
 public:
  std::vector<IsolationProbe> run() {
    const bool root = ::geteuid() == 0;
    if (root) {
      const uid_t uid = pick_box_uid();
      try_layer("uid", 0, [uid]() -> Result<void> {
        if (uid == 0) return fail(Fault::machine, "isolation", "no unprivileged id is mapped in this container");
        return become_user(uid);
      });
    } else {
      probes_.push_back(
          {"uid", false, "only root can give a box another user; its user namespace holds it back instead"});
    }
    try_layer("user", CLONE_NEWUSER, [] { return Result<void>(); });
    // Root needs no user namespace for the others; if it lacks the privilege (a container), one may give it.
    std::uint64_t with = root ? 0 : CLONE_NEWUSER;
    if (root && !try_in_child(CLONE_NEWNS, [] { return Result<void>(); })) with = CLONE_NEWUSER;
    try_layer("pid", with | CLONE_NEWPID, [] { return Result<void>(); });
    try_layer("mount", with | CLONE_NEWNS, [] { return Result<void>(); });
    try_layer("root", with | CLONE_NEWNS | CLONE_NEWPID, [] { return enter_box_root({}, RootKind::minimal, 0); });
    try_layer("net", with | CLONE_NEWNET, [] { return Result<void>(); });
    try_layer("ipc", with | CLONE_NEWIPC, [] { return Result<void>(); });
    try_layer("uts", with | CLONE_NEWUTS, [] { return Result<void>(); });
    look_at_process_files();
    try_layer("seccomp", 0, []() -> Result<void> {
      KBV_TRY(drop_privileges());
      KBV_TRY_ASSIGN(Fd listener, install_call_filter(BoxTool::none));
      listener.reset();  // else the next call would wait for an answer
      if (::syscall(SYS_setns, -1, 0) == 0 || errno == EBADF) return fail(Fault::machine, "isolation", "it refuses nothing");
      return {};
    });
    try_landlock();
    look_at_cgroups();
    return std::move(probes_);
  }

 private:
  void try_layer(const std::string& layer, std::uint64_t flags, const Step& step) {
    const auto done = try_in_child(flags, step);
    probes_.push_back({layer, done.has_value(), done ? "" : done.error().message + how_to_mend()});
  }

  void look_at_process_files() {
    const std::string children = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
    const bool has = ::access(children.c_str(), R_OK) == 0;
    probes_.push_back(
        {"memory watch", has, has ? "" : "the kernel lacks /proc/<pid>/task/<tid>/children (CONFIG_PROC_CHILDREN)"});
  }

  void try_landlock() {
    std::string why;
    const int abi = landlock_abi(why);
    if (abi == 0) {
      probes_.push_back({"landlock", false, why});
      return;
    }
    try_layer("landlock", 0, []() -> Result<void> {
      KBV_TRY(drop_privileges());
      KBV_TRY(enter_landlock({}, BoxTool::none));
      if (const Fd null(::open("/dev/null", O_WRONLY | O_CLOEXEC)); null)
        return fail(Fault::machine, "isolation", "it refuses nothing");
      return {};
    });
    if (probes_.back().available) probes_.back().reason = "ABI " + std::to_string(abi);
  }

  void look_at_cgroups() {
    const GroupProbe group = probe_control_group();
    probes_.push_back({"cgroup", group.available, group.detail});
  }

  std::vector<IsolationProbe> probes_;
};

}  // namespace

void run_probe() {
  ByteWriter out;
  const auto probes = Prober().run();
  out.put(static_cast<std::uint64_t>(probes.size()));
  for (const auto& probe : probes) {
    out.put(probe.layer);
    out.put(probe.available);
    out.put(probe.reason);
  }
  [[maybe_unused]] const ssize_t written = ::write(1, out.bytes().data(), out.bytes().size());
}

std::vector<IsolationProbe> probe_isolation() {
  const auto text = run_own_verb("probe");
  if (!text) return {{"launcher", false, text.error().message}};
  ByteReader in(*text);
  std::uint64_t count = 0;
  in.get(count);
  std::vector<IsolationProbe> probes;
  while (in.ok() && count-- > 0) {
    IsolationProbe probe;
    in.get(probe.layer);
    in.get(probe.available);
    in.get(probe.reason);
    if (in.ok()) probes.push_back(std::move(probe));
  }
  if (!in.ok() || !in.at_end()) probes.push_back({"launcher", false, "the probe ended early"});
  return probes;
}

}  // namespace kbv
