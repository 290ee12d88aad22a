// SPDX-License-Identifier: MIT
// A program that makes the system calls which a box refuses, and says what came of each.
#include <fcntl.h>
#include <linux/filter.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

#include "programs.h"

namespace kbv {
namespace {

void tell(const char* name, long result) {
  const std::string line = std::string(name) + " " + (result < 0 ? std::to_string(errno) : "done") + "\n";
  [[maybe_unused]] const ssize_t n = ::write(1, line.data(), line.size());
}

/// Of a child that waits for its parent to look at it.
pid_t child() {
  const pid_t pid = ::fork();
  if (pid == 0) ::pause(), ::_exit(0);
  return pid;
}

}  // namespace

int make_refused_calls() {
  const pid_t victim = child();
  tell("ptrace", ::ptrace(PTRACE_ATTACH, victim, nullptr, nullptr));
  char byte = 0;
  iovec mine{&byte, 1}, theirs{&byte, 1};
  tell("process_vm_readv", ::process_vm_readv(victim, &mine, 1, &theirs, 1, 0));
  tell("process_vm_writev", ::process_vm_writev(victim, &mine, 1, &theirs, 1, 0));
  ::kill(victim, SIGKILL);
  ::waitpid(victim, nullptr, 0);
  tell("bpf", ::syscall(SYS_bpf, 0, nullptr, 0));
  tell("keyctl", ::syscall(SYS_keyctl, 0, -3, 1));
  tell("add_key", ::syscall(SYS_add_key, "user", "kbv", "x", 1, -3));
  tell("unshare", ::unshare(CLONE_NEWUSER));
  tell("unshare_net", ::unshare(CLONE_NEWNET));
  const long cloned = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (cloned == 0) ::_exit(0);
  tell("clone", cloned);
  tell("mount", ::syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, nullptr));
  tell("io_uring_setup", ::syscall(425, 1, nullptr));
  tell("perf_event_open", ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0));
  tell("userfaultfd", ::syscall(SYS_userfaultfd, O_CLOEXEC | 1));
  tell("inet", ::socket(AF_INET, SOCK_STREAM, 0));
  tell("packet", ::socket(AF_PACKET, SOCK_RAW, 0));
  const char letter = 'x';
  tell("ioctl", ::ioctl(0, TIOCSTI, &letter));
  // What honest programs do.
  int pair[2];
  tell("socketpair", ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  std::thread([] {}).join();
  tell("thread", 0);
  const pid_t ends = ::fork();
  if (ends == 0) ::_exit(0);
  tell("fork", ::waitpid(ends, nullptr, 0) == ends ? 0 : -1);
  return 0;
}

int write_outside(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  tell("outside", fd);
  tell("inside", ::open("kept", O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  tell("null", ::open("/dev/null", O_WRONLY | O_CLOEXEC));
  return 0;
}

}  // namespace kbv
