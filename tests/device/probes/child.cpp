// SPDX-License-Identifier: MIT
#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "os/process.h"

namespace kbv::cuda::probes {
namespace {

constexpr int k_result_fd = 20;

/// Collects a killed child; one that the kernel can't end (it hangs in a driver) is left behind after some seconds.
std::string collect(pid_t pid) {
  int status = 0;
  const Deadline deadline = after_seconds(5);
  pid_t ended = 0;
  while ((ended = ::waitpid(pid, &status, WNOHANG)) == 0 && Clock::now() < deadline) ::usleep(1000);
  if (ended != pid) return "it can't be ended";
  if (WIFSIGNALED(status)) return "it was ended by signal " + std::to_string(WTERMSIG(status));
  return "it ended with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Result<Child> Child::start(const Probe& probe, const Options& options, double limit_s) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe2");
  Child child;
  child.result_ = Fd(ends[0]);
  Fd write_end(ends[1]);
  const std::string number = std::to_string(probe.number), drift = std::to_string(options.drift_s),
                    memory = std::to_string(options.memory_bytes), spin = std::to_string(options.spin_s);
  child.start_ = Clock::now();
  child.limit_s_ = limit_s;
  child.deadline_ = after_seconds(limit_s);
  child.pid_ = ::fork();
  if (child.pid_ < 0) return fail_errno("fork");
  if (child.pid_ == 0) {
    ::setpgid(0, 0);
    if (::dup2(write_end.get(), k_result_fd) != k_result_fd) ::_exit(90);
    ::execl("/proc/self/exe", "kbv_probes", "probe", number.c_str(), drift.c_str(), memory.c_str(), spin.c_str(),
            static_cast<char*>(nullptr));
    ::_exit(91);
  }
  ::setpgid(child.pid_, child.pid_);
  return child;
}

Finding Child::wait() {
  std::string text;
  bool in_time = true;
  while (true) {
    // A finding that came in time may be read later.
    const double left_ms = std::chrono::duration<double, std::milli>(deadline_ - Clock::now()).count();
    pollfd poll{result_.get(), POLLIN, 0};
    if (::poll(&poll, 1, left_ms <= 0 ? 0 : static_cast<int>(left_ms) + 1) == 0) {
      in_time = false;
      break;
    }
    char block[4096];
    const ssize_t n = ::read(result_.get(), block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(block, static_cast<std::size_t>(n));
  }
  // One that has answered may go on to give its context back; a second is enough for that.
  std::string end = "not done after " + std::to_string(static_cast<int>(limit_s_)) + " s";
  if (in_time) {
    const Deadline patience = after_seconds(1);
    siginfo_t seen{};
    while (Clock::now() < patience &&
           (::waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOHANG | WNOWAIT) != 0 || seen.si_pid == 0))
      ::usleep(1000);
  }
  ::kill(-pid_, SIGKILL);
  const std::string collected = collect(pid_);
  if (in_time) end = collected;
  const json said = json::parse(text, nullptr, false);
  Finding finding;
  if (!said.is_object()) {
    finding.outcome = Outcome::failed;
    finding.text = "no finding: " + end;
    return finding;
  }
  finding.outcome = static_cast<Outcome>(said.value("outcome", static_cast<int>(Outcome::failed)));
  finding.text = said.value("text", "");
  finding.numbers = said.value("numbers", json::object());
  return finding;
}

int run_one_probe(const std::vector<std::string>& arguments) {
  ::fcntl(k_result_fd, F_SETFD, FD_CLOEXEC);
  (void)hide_own_memory();  // as the judge does
  Options options;
  options.drift_s = std::stod(arguments.at(2));
  options.memory_bytes = std::stoull(arguments.at(3));
  options.spin_s = std::stod(arguments.at(4));
  Finding finding;
  finding.outcome = Outcome::failed;
  try {
    auto found = all_probes().at(static_cast<std::size_t>(std::stoi(arguments.at(1)) - 1)).run(options);
    if (found)
      finding = std::move(*found);
    else
      finding.text = found.error().message;
  } catch (const std::exception& bug) {
    finding.text = bug.what();
  }
  const std::string text =
      json{{"outcome", static_cast<int>(finding.outcome)}, {"text", finding.text}, {"numbers", finding.numbers}}.dump(
          -1, ' ', false, json::error_handler_t::replace);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(k_result_fd, text.data() + at, text.size() - at);
    if (n <= 0) return 1;
    at += static_cast<std::size_t>(n);
  }
  ::close(k_result_fd);
  return 0;
}

}  // namespace kbv::cuda::probes
