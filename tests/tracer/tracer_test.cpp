// SPDX-License-Identifier: MIT
// libkbv_tracer.so as CUDA and the worker use it, against a stand-in for CUPTI. Each case is a process of its own,
// since the library finds CUPTI once.
#include "tracer/tracer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "tracer/provenance.h"

namespace kbv {
namespace {

/// The libraries' functions, as a process that loaded them sees them.
struct Loaded {
  int (*initialize)() = nullptr;
  int (*begin)() = nullptr;
  int (*end)() = nullptr;
  void (*launch)(const char*, std::uint64_t, std::uint64_t, std::int32_t, std::int32_t, std::uint16_t, std::int32_t,
                 std::int32_t) = nullptr;
  void (*transfer)(std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t) = nullptr;
  void (*drop)(std::size_t) = nullptr;
  std::size_t (*enabled)() = nullptr;
};

template <typename Function>
void get(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

struct Outcome {
  int exit_status = -1;
  std::string written;
};

using Variables = std::vector<std::pair<const char*, const char*>>;

/// Runs `body` in a child process with the tracer loaded; its result is the exit status.
Outcome in_process(const Variables& variables, const std::function<int(const Loaded&)>& body) {
  const int file = ::memfd_create("trace", 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("KBV_TRACE_FD", std::to_string(file).c_str(), 1);
    ::setenv("KBV_CUPTI", KBV_FAKE_CUPTI, 1);
    for (const auto& [name, value] : variables) value ? ::setenv(name, value, 1) : ::unsetenv(name);
    void* tracer = ::dlopen(KBV_TRACER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!tracer) ::_exit(100);
    Loaded loaded;
    get(tracer, "InitializeInjection", loaded.initialize);
    get(tracer, "kbv_trace_begin", loaded.begin);
    get(tracer, "kbv_trace_end", loaded.end);
    void* cupti = ::dlopen(KBV_FAKE_CUPTI, RTLD_NOW | RTLD_LOCAL);
    if (!cupti || !loaded.initialize || !loaded.begin || !loaded.end) ::_exit(101);
    get(cupti, "fake_launch", loaded.launch);
    get(cupti, "fake_transfer", loaded.transfer);
    get(cupti, "fake_drop", loaded.drop);
    get(cupti, "fake_enabled", loaded.enabled);
    ::_exit(body(loaded));
  }
  Outcome outcome;
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) outcome.exit_status = WEXITSTATUS(status);
  outcome.written.resize(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)));
  if (::pread(file, outcome.written.data(), outcome.written.size(), 0) < 0) outcome.written.clear();
  ::close(file);
  return outcome;
}

int traced_pass(const Loaded& loaded) {
  if (loaded.initialize() != 1) return 1;
  loaded.launch("before", 10, 20, 1, 1, 1, 0, 0);  // not collected: nothing is enabled yet
  if (loaded.enabled() != 0) return 2;
  if (loaded.begin() != 0 || loaded.enabled() != 3) return 3;
  loaded.launch("_Z4reluPKfPfi", 1000, 1500, 128, 256, 24, 512, 4096);
  loaded.launch("_Z4reluPKfPfi", 2000, 2300, 64, 256, 24, 512, 4096);
  loaded.launch("add_kernel", 3000, 3100, 1, 128, 16, 0, 0);
  loaded.transfer(1, 4096, 4000, 4010);
  loaded.transfer(2, 64, 5000, 5005);
  if (loaded.end() != 0 || loaded.enabled() != 0) return 4;
  return 0;
}

class TracerVersions : public ::testing::TestWithParam<const char*> {};

TEST_P(TracerVersions, TellsWhatRanBetweenBeginAndEnd) {
  const Outcome outcome = in_process({{"FAKE_CUPTI_VERSION", GetParam()}}, traced_pass);
  ASSERT_EQ(outcome.exit_status, 0);
  ASSERT_TRUE(outcome.written.ends_with("\n"));
  const auto trace = parse_kernel_trace(outcome.written);
  ASSERT_TRUE(trace) << trace.error().message << outcome.written;
  EXPECT_EQ(std::to_string(trace->cupti_version), GetParam());
  EXPECT_TRUE(trace->complete());
  ASSERT_EQ(trace->kernels.size(), 2u);
  EXPECT_EQ(trace->kernels[0].name, "add_kernel");
  const TracedKernel& relu = trace->kernels[1];
  EXPECT_EQ(relu.name, "relu(float const*, float*, int)");
  EXPECT_EQ(relu.count, 2u);
  EXPECT_EQ(relu.total_ns, 800u);
  EXPECT_EQ(relu.min_ns, 300u);
  EXPECT_EQ(relu.max_ns, 500u);
  EXPECT_EQ(relu.grid, (std::array<std::int64_t, 3>{64, 1, 1}));
  EXPECT_EQ(relu.block, (std::array<std::int64_t, 3>{256, 1, 1}));
  EXPECT_EQ(relu.registers, 24u);
  EXPECT_EQ(relu.shared_bytes, 4608u);
  EXPECT_EQ(trace->copies.count, 1u);
  EXPECT_EQ(trace->copies.bytes, 4096u);
  EXPECT_EQ(trace->copies.total_ns, 10u);
  EXPECT_EQ(trace->sets.bytes, 64u);
  EXPECT_EQ(trace->sets.total_ns, 5u);
}

INSTANTIATE_TEST_SUITE_P(Cupti, TracerVersions, ::testing::Values("18", "22", "28", "130001", "130301", "130500"));

TEST(Tracer, WorksWithoutTheInjection) {
  const Outcome outcome = in_process({}, [](const Loaded& loaded) {
    if (loaded.begin() != 0) return 1;
    loaded.launch("k", 1, 2, 1, 1, 1, 0, 0);
    return loaded.end();
  });
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(parse_kernel_trace(outcome.written)->kernels.size(), 1u);
}

TEST(Tracer, MoreRecordsThanABufferHolds) {
  const Outcome outcome = in_process({}, [](const Loaded& loaded) {
    loaded.initialize();
    loaded.begin();
    for (int i = 0; i < 20000; ++i) loaded.launch(i % 2 ? "odd" : "even", 100, 110, 1, 1, 1, 0, 0);
    return loaded.end();
  });
  const auto trace = parse_kernel_trace(outcome.written);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->kernels.size(), 2u);
  EXPECT_EQ(trace->kernels[0].count, 10000u);
  EXPECT_EQ(trace->kernels[1].total_ns, 100000u);
}

TEST(Tracer, ASecondTraceForgetsTheFirstAndWritesAnotherLine) {
  const Outcome outcome = in_process({}, [](const Loaded& loaded) {
    loaded.initialize();
    for (const char* name : {"first", "second"}) {
      loaded.begin();
      loaded.launch(name, 1, 2, 1, 1, 1, 0, 0);
      if (loaded.end() != 0) return 1;
    }
    return 0;
  });
  ASSERT_EQ(outcome.exit_status, 0);
  const auto second = outcome.written.substr(outcome.written.find('\n') + 1);
  const auto trace = parse_kernel_trace(second);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->kernels.size(), 1u);
  EXPECT_EQ(trace->kernels[0].name, "second");
}

TEST(Tracer, LostRecordsAndTimesAreTold) {
  const Outcome outcome = in_process({}, [](const Loaded& loaded) {
    loaded.begin();
    loaded.launch(nullptr, 0, 0, 1, 1, 1, 0, 0);
    loaded.launch("backwards", 20, 10, 1, 1, 1, 0, 0);
    loaded.drop(7);
    return loaded.end();
  });
  const auto trace = parse_kernel_trace(outcome.written);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->dropped, 7u);
  EXPECT_EQ(trace->total_ns(), 0u);
  EXPECT_EQ(trace->kernels.size(), 2u);
}

struct Trouble {
  Variables variables;
  const char* problem;
};

TEST(Tracer, WhatIsWrongWithCuptiIsWrittenAndTheProcessGoesOn) {
  const std::vector<Trouble> troubles = {
      {{{"KBV_CUPTI", KBV_FAKE_CUPTI_WITHOUT_VERSION}}, "this libcupti has no cuptiGetVersion"},
      {{{"FAKE_CUPTI_VERSION", "9"}}, "CUPTI API version 9: the layout of its records is not known"},
      {{{"FAKE_CUPTI_VERSION", "140000"}}, "CUPTI API version 140000: the layout of its records is not known"},
      {{{"FAKE_CUPTI_REFUSES", "10"}}, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)"}};
  for (const auto& trouble : troubles) {
    const Outcome outcome = in_process(trouble.variables, [](const Loaded& loaded) {
      if (loaded.initialize() != 1) return 1;
      if (loaded.begin() != 1) return 2;
      return loaded.end();
    });
    EXPECT_EQ(outcome.exit_status, 0) << trouble.problem;
    const auto trace = parse_kernel_trace(outcome.written);
    ASSERT_TRUE(trace) << outcome.written;
    EXPECT_NE(trace->problem.find(trouble.problem), std::string::npos) << trace->problem;
    EXPECT_TRUE(trace->kernels.empty());
  }
}

TEST(Tracer, WithoutCuptiTheTraceSaysSo) {
  const Outcome outcome = in_process({{"KBV_CUPTI", "/nonexistent/libcupti.so"}}, [](const Loaded& loaded) {
    for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.0", "libcupti.so"})
      if (::dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return 77;
    return loaded.initialize() == 1 && loaded.begin() == 1 && loaded.end() == 0 ? 0 : 1;
  });
  if (outcome.exit_status == 77) GTEST_SKIP() << "this machine has a libcupti of its own";
  ASSERT_EQ(outcome.exit_status, 0);
  EXPECT_NE(outcome.written.find("no libcupti in this process"), std::string::npos) << outcome.written;
}

TEST(Tracer, WithoutCopiesKernelsAreStillTraced) {
  const Outcome outcome = in_process({{"FAKE_CUPTI_REFUSES", "1"}}, [](const Loaded& loaded) {
    if (loaded.begin() != 0) return 1;
    loaded.launch("k", 1, 2, 1, 1, 1, 0, 0);
    return loaded.end();
  });
  EXPECT_EQ(outcome.exit_status, 0);
  const auto trace = parse_kernel_trace(outcome.written);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->kernels.size(), 1u);
  EXPECT_FALSE(trace->problem.empty());
}

TEST(Tracer, AnEndWithoutABeginSaysSo) {
  const Outcome outcome = in_process({}, [](const Loaded& loaded) { return loaded.end(); });
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(parse_kernel_trace(outcome.written)->problem, "kbv_trace_begin was not called");
}

TEST(Tracer, ABadDescriptorIsAFailureAndNoMore) {
  for (const char* descriptor : {static_cast<const char*>(nullptr), "", "x", "3x", "-1", "99999999999", "987"}) {
    const Outcome outcome = in_process({{"KBV_TRACE_FD", descriptor}}, [](const Loaded& loaded) {
      loaded.begin();
      return loaded.end() == 1 ? 0 : 1;
    });
    EXPECT_EQ(outcome.exit_status, 0) << (descriptor ? descriptor : "unset");
    EXPECT_EQ(outcome.written, "");
  }
}

TEST(Tracer, AReaderThatHasGoneDoesNotKillTheProcess) {
  const Outcome outcome = in_process({}, [](const Loaded& loaded) {
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    ::close(ends[0]);
    ::setenv("KBV_TRACE_FD", std::to_string(ends[1]).c_str(), 1);
    loaded.begin();
    return loaded.end() == 1 ? 0 : 2;
  });
  EXPECT_EQ(outcome.exit_status, 0);
}

}  // namespace
}  // namespace kbv
