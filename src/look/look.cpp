// SPDX-License-Identifier: MIT
#include "look/look.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/fd.h"
#include "look/helper_answer.h"
#include "os/interrupt.h"

namespace kbv {

extern const std::string_view k_look_source, k_look_names_source, k_look_nodes_source, k_look_rules_source,
    k_look_strings_source, k_look_tables_source;

namespace {

constexpr std::uint64_t k_memory_bytes = 512ull << 20;
constexpr int k_answer_fd = 3;  // look.py has the same number

LaunchSpec helper(const PythonEnvironment& python, const std::string& source, IsolationProfile profile, int answer_fd) {
  LaunchSpec launch;
  launch.label = "look helper";
  // Nothing of the user's or of site-packages, and no warnings: a source may ask for many.
  launch.argv = {python.executable, "-I", "-S", "-B", "-W", "ignore", "-X", "utf8", "{box}/look.py",
                 "{box}/source.txt"};
  launch.env = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME={box}/home", "TMPDIR={box}/tmp"};
  launch.files = {{"look.py", std::string(k_look_source)},
                  {"look_names.py", std::string(k_look_names_source)},
                  {"look_nodes.py", std::string(k_look_nodes_source)},
                  {"look_strings.py", std::string(k_look_strings_source)},
                  {"look_rules.py", std::string(k_look_rules_source)},
                  {"look_tables.py", std::string(k_look_tables_source)},
                  {"source.txt", source}};
  launch.fds = {{answer_fd, k_answer_fd}};
  launch.read_only_paths = python.read_only_paths;
  launch.limits.memory_bytes = k_memory_bytes;
  launch.limits.tmp_bytes = 64u << 20;
  launch.limits.file_bytes = k_max_answer_bytes;
  launch.limits.processes = 16;
  launch.limits.open_files = 64;
  launch.limits.output_bytes = 16u << 10;
  launch.profile = profile;
  return launch;
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const auto newline = text.rfind('\n', end);
  const auto start = newline == std::string::npos ? 0 : newline + 1;
  return text.substr(start, end + 1 - start);
}

Result<std::string> read_answer(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return fail_errno("fstat");
  // One byte more than may be: then it is refused, not cut off.
  std::string bytes(std::min(static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)), k_max_answer_bytes + 1), 0);
  std::size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = ::pread(fd, bytes.data() + got, bytes.size() - got, static_cast<off_t>(got));
    if (n < 0) return fail_errno("pread");
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

/// Why it gave no answer; "" if it ended well.
std::string trouble(Process& process, const std::optional<ExitStatus>& status) {
  if (interrupted()) return "interrupted";
  if (!status) return fmt::format("the look did not end in {:g} s", k_look_timeout_s);
  if (status->over_memory) return fmt::format("the look took more than {} MiB", k_memory_bytes >> 20);
  if (status->signal != 0) return fmt::format("the helper was ended by signal {}", status->signal);
  if (status->code == 0) return {};
  const std::string said = last_line(process.output());
  return fmt::format("the helper ended with code {}{}{}", status->code, said.empty() ? "" : ": ", said);
}

Result<SourceLabels> try_look(const PythonEnvironment& python, const std::string& source, IsolationProfile profile) {
  const Fd answer(::memfd_create("kbv-look", MFD_CLOEXEC));
  if (!answer) return fail_errno("memfd_create");
  KBV_TRY_ASSIGN(const auto process, Process::launch(helper(python, source, profile, answer.get())));
  const Deadline deadline = after_seconds(k_look_timeout_s);
  std::optional<ExitStatus> status;
  while (!(status = process->exit_status()) && Clock::now() < deadline && !interrupted())
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  process->kill();
  if (const std::string why = trouble(*process, status); !why.empty()) return fail(Fault::machine, "no_look", why);
  KBV_TRY_ASSIGN(const std::string bytes, read_answer(answer.get()));
  KBV_TRY_ASSIGN(const HelperAnswer read, read_helper_answer(bytes));
  return conclude_look(read);
}

}  // namespace

SourceLabels look_at_source(const PythonEnvironment& python, const std::string& source, IsolationProfile profile) {
  const auto start = Clock::now();
  auto looked = try_look(python, source, profile);
  SourceLabels labels;
  if (looked)
    labels = std::move(*looked);
  else
    labels.why = looked.error().message.substr(0, k_max_look_why);
  labels.seconds = seconds_since(start);
  return labels;
}

}  // namespace kbv
