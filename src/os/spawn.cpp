// SPDX-License-Identifier: MIT
#include "os/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "os/box_spec.h"

namespace kbv {
namespace {

std::mutex g_path_mutex;
std::string g_launcher_path = "/proc/self/exe";

std::string launcher_path() {
  const std::lock_guard lock(g_path_mutex);
  return g_launcher_path;
}

Result<Fd> spec_file(const LaunchSpec& spec) {
  Fd fd(::memfd_create("kbv-spec", MFD_CLOEXEC));
  if (!fd) return fail_errno("memfd_create");
  const std::string bytes = encode_spec(spec);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0) return fail_errno("write of the spec");
    done += static_cast<std::size_t>(n);
  }
  return fd;
}

Result<std::pair<Fd, Fd>> make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return fail_errno("pipe");
  return std::pair{Fd(fds[0]), Fd(fds[1])};
}

/// The launcher needs little; what else is in the judge's environment (keys of LLM providers) is not for it, since a
/// program of the same user might read it there.
std::vector<std::string> launcher_environment() {
  std::vector<std::string> env;
  for (const char* name : {"TMPDIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
    if (const char* value = std::getenv(name)) env.push_back(std::string(name) + "=" + value);
  return env;
}

/// posix_spawn's two argument objects, and its call.
class Spawner {
 public:
  Spawner() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t set;
    sigemptyset(&set);
    ::posix_spawnattr_setsigmask(&attributes_, &set);
    sigfillset(&set);
    ::posix_spawnattr_setsigdefault(&attributes_, &set);
    // Its own session: Ctrl-C on the terminal goes to the judge alone, which then ends its boxes in order.
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
  }
  ~Spawner() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  /// `fd` must be higher than all numbers given out.
  void give(int fd, int as_number) { ::posix_spawn_file_actions_adddup2(&actions_, fd, as_number); }

  Result<pid_t> start(std::vector<std::string> arguments) {
    const std::string path = launcher_path();
    std::vector<std::string> env = launcher_environment();
    const auto argv = pointers(arguments), envp = pointers(env);
    pid_t pid = 0;
    errno = ::posix_spawn(&pid, path.c_str(), &actions_, &attributes_, argv.data(), envp.data());
    if (errno != 0) return fail_errno(path.c_str());
    return pid;
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

void set_launcher_path(std::string path) {
  const std::lock_guard lock(g_path_mutex);
  g_launcher_path = std::move(path);
}

Result<SpawnedLauncher> spawn_launcher(const LaunchSpec& spec) {
  SpawnedLauncher launcher;
  KBV_TRY_ASSIGN(const Fd file, spec_file(spec));
  KBV_TRY_ASSIGN(auto lifeline, make_pipe());
  KBV_TRY_ASSIGN(auto output, make_pipe());
  KBV_TRY_ASSIGN(auto status, Socket::pair());
  // Fewer turns of the drain thread; without privilege the kernel may refuse.
  ::fcntl(output.second.get(), F_SETPIPE_SZ, 1 << 20);
  ::fcntl(output.first.get(), F_SETFL, O_NONBLOCK);

  const int first_free = k_first_passed_fd + static_cast<int>(spec.fds.size());
  std::vector<std::pair<int, int>> wanted = {{output.second.get(), 1},
                                             {output.second.get(), 2},
                                             {file.get(), k_spec_fd},
                                             {lifeline.first.get(), k_lifeline_fd},
                                             {status.second.get(), k_status_fd}};
  for (std::size_t i = 0; i < spec.fds.size(); ++i)
    wanted.emplace_back(spec.fds[i].fd, k_first_passed_fd + static_cast<int>(i));
  Spawner spawner;
  std::vector<Fd> copies;
  for (const auto& [fd, as_number] : wanted) {
    // Above the numbers to be given out, so that no dup2 closes what a later one needs.
    copies.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, first_free));
    if (!copies.back()) return fail_errno((spec.label + ": descriptor " + std::to_string(fd)).c_str());
    spawner.give(copies.back().get(), as_number);
  }
  KBV_TRY_ASSIGN(launcher.pid, spawner.start({"kbv", "internal-launch"}));
  launcher.lifeline = std::move(lifeline.second);
  launcher.output = std::move(output.first);
  launcher.status = std::move(status.first);
  return launcher;
}

Result<std::string> run_own_verb(const std::string& verb) {
  KBV_TRY_ASSIGN(auto output, make_pipe());
  // Above 1: a dup2 to the same number would leave it close-on-exec.
  Fd out(::fcntl(output.second.get(), F_DUPFD_CLOEXEC, k_spec_fd));
  if (!out) return fail_errno("F_DUPFD_CLOEXEC");
  Spawner spawner;
  spawner.give(out.get(), 1);
  KBV_TRY_ASSIGN(const pid_t pid, spawner.start({"kbv", "internal-launch", verb}));
  output.second.reset();
  out.reset();
  std::string text;
  char block[4096];
  for (ssize_t n; (n = ::read(output.first.get(), block, sizeof block)) != 0;) {
    if (n < 0 && errno != EINTR) break;
    if (n > 0) text.append(block, static_cast<std::size_t>(n));
  }
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

}  // namespace kbv
