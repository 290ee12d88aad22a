// SPDX-License-Identifier: MIT
// Theory of operation. Three processes start a box:
//   launcher  the judge's child, this binary again. The judge has threads and a GPU context and must not fork, so all
//             setting up happens here. It tries the plans below, best first, and at last removes the box's folder.
//   keeper    (keeper.cpp) its child in the new namespaces. Builds the root, starts the program, ends the box.
//   program   (program.cpp) the untrusted one.
// A plan is tried for real in a keeper of its own: if a step fails, that keeper reports the reason and exits, and the
// next plan starts from a clean launcher. What the last plan lacks is told in the IsolationReport.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "os/box_folder.h"
#include "os/control_group.h"
#include "os/box_root.h"
#include "os/box_spec.h"
#include "os/keeper.h"
#include "os/limits.h"
#include "os/namespaces.h"
#include "os/probe.h"
#include "os/process.h"
#include "os/process_tree.h"
#include "os/socket.h"

namespace kbv {
namespace {

constexpr std::uint64_t k_our_processes = 16;  // keeper and program in the making, beside those of the program
constexpr double k_setup_timeout_s = 30;

struct Plan {
  IsolationProfile profile = IsolationProfile::none;
  bool user_namespace = false;  ///< to get the privilege for the other namespaces

  const char* name() const {
    return profile == IsolationProfile::strict ? "strict" : profile == IsolationProfile::basic ? "basic" : "none";
  }
};

std::vector<Plan> plans_for(IsolationProfile profile, bool root) {
  std::vector<Plan> plans;
  for (const auto level : {IsolationProfile::strict, IsolationProfile::basic}) {
    if (level > profile) continue;
    if (root) plans.push_back({level, false});
    plans.push_back({level, true});
  }
  plans.push_back({IsolationProfile::none, false});
  return plans;
}

/// What a box of this profile should have.
std::vector<std::string> wanted_layers(IsolationProfile profile, bool root) {
  std::vector<std::string> layers;
  if (profile == IsolationProfile::none) return layers;
  // Only root has another user to give. An ordinary user's box is held back by its user namespace.
  if (root) layers.emplace_back("uid");
  layers.insert(layers.end(), {"pid", "mount"});
  if (profile == IsolationProfile::strict) layers.insert(layers.end(), {"root", "net", "ipc", "uts", "user"});
  return layers;
}

class Launcher {
 public:
  explicit Launcher(LaunchSpec spec) : spec_(std::move(spec)), root_(::geteuid() == 0) {
    if (root_ && spec_.profile != IsolationProfile::none) uid_ = pick_box_uid();
  }

  void run() {
    const BoxLimits& limits = spec_.limits;
    group_ = ControlGroup::make({limits.memory_bytes > 0 ? group_memory_bytes(limits, limits.memory_bytes) : 0,
                                 limits.processes + k_our_processes, limits.background});
    for (const Plan& plan : plans_for(spec_.profile, root_)) {
      auto keeper = try_plan(plan);
      if (keeper) {
        close_passed_fds(spec_);
        wait_for(*keeper);
        return;
      }
      if (plan.profile == IsolationProfile::none) {
        StatusMessage failed;
        failed.kind = StatusMessage::Kind::failed;
        failed.error = std::move(keeper).error();
        tell_judge(failed);
        return;
      }
      add_reason((plan.user_namespace ? "with a user namespace: " : "") + keeper.error().message);
      if (keeper.error().fault == Fault::usage) {
        // The spec itself is wrong: another plan would only hide it.
        StatusMessage failed;
        failed.kind = StatusMessage::Kind::failed;
        failed.error = std::move(keeper).error();
        tell_judge(failed);
        return;
      }
    }
  }

 private:
  Result<pid_t> try_plan(const Plan& plan) {
    if (plan.profile == IsolationProfile::none) {
      if (uid_ != 0 && !can_run_as_user()) {
        no_uid_reason_ = "user " + std::to_string(uid_) + " can't reach the program or its paths";
        uid_ = 0;
      }
      KBV_TRY_ASSIGN(host_folder_, make_host_folder(spec_, uid_));
    }
    KBV_TRY_ASSIGN(auto channel, Socket::pair());
    std::uint64_t flags = 0;
    if (plan.profile != IsolationProfile::none) flags |= CLONE_NEWNS | CLONE_NEWPID;
    if (plan.user_namespace) flags |= CLONE_NEWUSER;
    KBV_TRY_ASSIGN(const pid_t keeper, fork_into(flags));
    if (keeper == 0) {
      channel.first.close();
      char go = 0;
      if (::read(channel.second.get(), &go, 1) != 1) ::_exit(1);
      become_keeper(plan, std::move(channel.second), go == 'g');
    }
    channel.second.close();
    const bool grouped = group_.add(keeper).has_value();
    const auto set_up = [&]() -> Result<void> {
      if (plan.user_namespace) {
        std::vector<uid_t> uids{::geteuid()};
        std::vector<gid_t> gids{::getegid()};
        if (uid_ != 0) uids.push_back(uid_), gids.push_back(uid_);
        KBV_TRY(map_ids(keeper, uids, gids, root_));
      }
      KBV_TRY(channel.first.send(grouped ? "g" : "u"));
      auto message = channel.first.receive(after_seconds(k_setup_timeout_s));
      if (message) {
        const bool usage = message->bytes.front() == 'u';
        return fail(usage ? Fault::usage : Fault::machine, usage ? "bad_spec" : "isolation", message->bytes.substr(1));
      }
      if (message.error().code != "closed") return tl::make_unexpected(std::move(message).error());
      return {};
    };
    if (auto done = set_up(); !done) {
      ::kill(keeper, SIGKILL);
      ::waitpid(keeper, nullptr, 0);
      return tl::make_unexpected(std::move(done).error());
    }
    return keeper;
  }

  /// Plans often fail for the same reason.
  void add_reason(const std::string& reason) {
    if (reasons_.find(reason) == std::string::npos) reasons_ += (reasons_.empty() ? "" : "; ") + reason;
  }

  /// In the keeper: takes the plan's steps, then runs the box.
  [[noreturn]] void become_keeper(const Plan& plan, Socket channel, bool grouped) {
    KeeperSetup setup;
    // Also if it came into some of the group's hierarchies only: this may be the one.
    setup.memory_group = group_.memory_folder();
    setup.memory_events = group_.memory_events();
    setup.host_folder = host_folder_;
    setup.is_init = plan.profile != IsolationProfile::none;
    setup.program.spec = &spec_;
    setup.program.box = setup.is_init ? k_box_folder : host_folder_;
    setup.program.uid = uid_;
    // So that the program can open /dev/stdout, which is this pipe.
    if (uid_ != 0) [[maybe_unused]]
      const int given = ::fchown(1, uid_, uid_);
    setup.program.filters = spec_.profile != IsolationProfile::none;
    setup.program.places = write_places(setup.program.box, setup.is_init);
    setup.program.shared_uid = uid_ == 0 && !plan.user_namespace && !root_;
    std::vector<std::string>& layers = setup.report.layers;
    std::vector<std::string>& missing = setup.report.missing;
    if (auto done = take_steps(plan, setup); !done) {
      const std::string reason = (done.error().fault == Fault::usage ? "u" : "m") + done.error().message;
      [[maybe_unused]] const auto sent = channel.send(reason);
      ::_exit(1);
    }
    for (const auto& layer : wanted_layers(spec_.profile, root_)) {
      const auto named = [&](const std::string& entry) { return entry.rfind(layer + ":", 0) == 0; };
      const bool had = std::find(layers.begin(), layers.end(), layer) != layers.end();
      const bool told = std::any_of(missing.begin(), missing.end(), named);
      const bool later = layer == "user" && setup.program.own_user_namespace;
      const std::string& reason = layer == "uid" ? no_uid_reason_ : reasons_;
      if (!had && !told && !later) missing.push_back(layer + ": " + reason);
    }
    setup.report.level = plan.name();
    if (plan.profile == IsolationProfile::strict && !missing.empty()) setup.report.level = "basic";
    if (spec_.profile != IsolationProfile::none && grouped && group_.limits_all()) layers.emplace_back("cgroup");
    if (spec_.profile != IsolationProfile::none && !(grouped && group_.limits_all()))
      setup.absent = "cgroup: " + (group_.missing().empty() ? "this process may not move others into one" : group_.missing());
    ::prctl(PR_SET_NAME, "kbv-keeper");
    channel.close();
    run_keeper(std::move(setup));
  }

  /// What Landlock leaves open.
  WritePlaces write_places(const std::string& box, bool own_mounts) const {
    WritePlaces places;
    for (const char* folder : {"/tmp", "/home", "/build"}) places.folders.push_back(box + folder);
    // Without mounts of its own, these are everybody's.
    if (own_mounts) places.folders.insert(places.folders.end(), {"/tmp", "/dev/shm"});
    for (const auto& file : spec_.files)
      if (file.writable) places.files.push_back(box + "/" + file.name);
    for (const char* device : {"null", "zero", "full", "random", "urandom"})
      places.files.push_back(std::string("/dev/") + device);
    places.files.insert(places.files.end(), spec_.device_nodes.begin(), spec_.device_nodes.end());
    // CUDA names its threads there; owners and the pid namespace bound the rest.
    places.process_files = "/proc";
    return places;
  }

  Result<void> take_steps(const Plan& plan, KeeperSetup& setup) {
    std::vector<std::string>& layers = setup.report.layers;
    std::vector<std::string>& missing = setup.report.missing;
    if (uid_ != 0) layers.emplace_back("uid");
    if (plan.profile == IsolationProfile::none) return {};
    const bool strict = plan.profile == IsolationProfile::strict;
    KBV_TRY(enter_box_root(spec_, strict ? RootKind::minimal : RootKind::host, uid_));
    layers.insert(layers.end(), {"pid", "mount"});
    if (strict) {
      layers.emplace_back("root");
      const std::pair<const char*, int> namespaces[] = {
          {"net", CLONE_NEWNET}, {"ipc", CLONE_NEWIPC}, {"uts", CLONE_NEWUTS}};
      for (const auto& [name, flag] : namespaces) {
        if (::unshare(flag) == 0) {
          layers.emplace_back(name);
        } else {
          missing.push_back(std::string(name) + ": " + fail_errno("unshare").value().message);
        }
      }
      if (std::find(layers.begin(), layers.end(), "uts") != layers.end()) [[maybe_unused]]
        const int named = ::sethostname("kbv", 3);
      setup.program.own_user_namespace = !plan.user_namespace && uid_ != 0;
    }
    if (plan.user_namespace) {
      if (auto closed = forbid_user_namespaces(); closed) {
        layers.emplace_back("user");
      } else {
        missing.push_back("user: " + closed.error().message);
      }
    }
    return {};
  }

  /// Whether the box's user may run the program on the host's file system as it is; tried by a child.
  bool can_run_as_user() {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = become_user(uid_) && ::access(spec_.argv[0].c_str(), X_OK) == 0;
      for (const auto& path : spec_.read_only_paths) good = good && ::access(path.c_str(), R_OK) == 0;
      ::_exit(good ? 0 : 1);
    }
    int status = 1;
    return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
  }

  void wait_for(pid_t keeper) {
    // A program of our own user that sees us (profile none) must not reach in. Not earlier: the owner of our children's
    // maps would be root.
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    while (::waitpid(keeper, nullptr, 0) < 0 && errno == EINTR) {
    }
    // Without a pid namespace a program of our own uid may have killed the keeper: what it left is ours now.
    kill_own_tree(10);
    group_.end();
    if (!host_folder_.empty()) remove_folder(host_folder_);
  }

  LaunchSpec spec_;
  ControlGroup group_;
  bool root_;
  uid_t uid_ = 0;  // whom the program becomes; 0: nobody else
  std::string host_folder_;
  std::string no_uid_reason_ = "no unprivileged id is mapped here";
  std::string reasons_;  // why better plans failed
};

std::optional<LaunchSpec> read_spec() {
  struct stat info{};
  if (::fstat(k_spec_fd, &info) != 0 || info.st_size <= 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, k_spec_fd, 0);
  if (data == MAP_FAILED) return std::nullopt;
  auto spec = decode_spec({static_cast<const char*>(data), size});
  ::munmap(data, size);
  ::close(k_spec_fd);
  return spec;
}

/// Everything but the agreed descriptors is closed, and those don't go to the program by themselves.
void tidy_fds(int passed) {
  const int first_foreign = k_first_passed_fd + passed;
#ifdef SYS_close_range
  const bool closed = ::syscall(SYS_close_range, static_cast<unsigned>(first_foreign), ~0u, 0) == 0;
#else
  const bool closed = false;
#endif
  if (!closed) {
    const long limit = ::sysconf(_SC_OPEN_MAX);
    for (int fd = first_foreign; fd < limit; ++fd) ::close(fd);
  }
  for (int fd = k_lifeline_fd; fd < first_foreign; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

}  // namespace

int run_launcher(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "probe") == 0) {
    run_probe();
    ::_exit(0);
  }
  // Whatever the outcome, no destructor of the judge's own libraries and no leak checker runs at the end.
  if (auto spec = read_spec()) {
    tidy_fds(static_cast<int>(spec->fds.size()));
    ::prctl(PR_SET_NAME, "kbv-launcher");
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    Launcher(std::move(*spec)).run();
  }
  ::_exit(0);
}

}  // namespace kbv
