// SPDX-License-Identifier: MIT
#include "burst.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "fuzz.h"
#include "mutator.h"

namespace kbv::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// In the child: no more memory than an honest input needs. A sanitizer's shadow counts as address space, so not under
/// one.
void bound_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr rlim_t k_bytes = rlim_t{4} << 30;
  const rlimit limit{k_bytes, k_bytes};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

[[noreturn]] void feed(const Burst& burst, const Mutator& mutator, std::atomic<std::uint64_t>& number) {
  bound_memory();
  const auto start = Clock::now();
  while (seconds_since(start) < burst.seconds) {
    const std::string bytes = mutator.input(number);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++number;
  }
  std::fflush(nullptr);
  ::_exit(0);
}

std::string ending_of(int status) {
  if (WIFSIGNALED(status)) return std::string("it died of ") + ::strsignal(WTERMSIG(status));
  return "it exited with code " + std::to_string(WEXITSTATUS(status));
}

/// Waits for the child's end; why it is a fault, or nothing.
std::string watch(pid_t child, const std::atomic<std::uint64_t>& number, double hang_s) {
  std::uint64_t last = 0;
  auto moved = Clock::now();
  while (true) {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child) return status == 0 ? "" : ending_of(status);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (const std::uint64_t now = number; now != last) {
      last = now;
      moved = Clock::now();
    }
    if (seconds_since(moved) <= hang_s) continue;
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return "it took longer than " + std::to_string(static_cast<int>(hang_s)) + " s";
  }
}

}  // namespace

int run_burst(const Burst& burst) {
  std::printf("%s: seed %llu, %g s\n", burst.target.c_str(), static_cast<unsigned long long>(burst.seed),
              burst.seconds);
  std::fflush(nullptr);
  void* page =
      ::mmap(nullptr, sizeof(std::atomic<std::uint64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return std::perror("mmap"), 2;
  auto& number = *new (page) std::atomic<std::uint64_t>(0);
  const Mutator mutator(burst.corpus, burst.seed);
  const pid_t child = ::fork();
  if (child < 0) return std::perror("fork"), 2;
  if (child == 0) feed(burst, mutator, number);

  const std::string fault = watch(child, number, burst.hang_s);
  const auto runs = static_cast<unsigned long long>(number);
  if (fault.empty()) return std::printf("%llu inputs, no fault\n", runs), 0;
  std::filesystem::create_directories(burst.faults);
  const std::string file =
      burst.faults + "/" + burst.target + "-" + std::to_string(burst.seed) + "-" + std::to_string(runs);
  std::ofstream(file, std::ios::binary) << mutator.input(number);
  std::printf(
      "FAULT: %s, at input %llu of seed %llu: %s\nonce more: fuzz_%s %s\nput it into tests/fuzz/corpus/%s with the "
      "mending\n",
      fault.c_str(), runs, static_cast<unsigned long long>(burst.seed), file.c_str(), burst.target.c_str(),
      file.c_str(), burst.target.c_str());
  return 1;
}

}  // namespace kbv::fuzz
