// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/doctor_report.h"

namespace kbv {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A laptop with everything that judging on the CPU needs.
DoctorFacts cpu_machine() {
  DoctorFacts facts;
  facts.kbv_version = "1.2.3";
  facts.system = "Debian GNU/Linux 12 (bookworm)";
  facts.system_id = "debian";
  facts.kernel = "6.1.0-18-amd64";
  facts.processor = "Fast CPU";
  facts.cpus = 8;
  facts.load = 0.25;
  facts.memory_bytes = 16ull << 30;
  facts.cuda.reason = "libcuda.so.1 is not installed";
  facts.python = {"/opt/venv/bin/python", "3.11.7", "2.13.0+cpu", "", "/usr/include/python3.11", {}};
  facts.cxx = {"/usr/bin/c++", "c++ (Debian 12.2.0-14) 12.2.0"};
  facts.ninja = "/usr/bin/ninja";
  facts.isolation = {{"seccomp", true, ""}, {"landlock", true, ""}};
  facts.box.isolation = {"strict", {"seccomp", "landlock"}, {}};
  return facts;
}

DoctorFacts gpu_machine() {
  DoctorFacts facts = cpu_machine();
  DeviceInfo device;
  device.backend = "cuda";
  device.name = "NVIDIA H200";
  device.compute_capability = 90;
  device.driver_version = 13000;
  device.total_bytes = 140ull << 30;
  facts.cuda = {{device}, ""};
  facts.driver_version = "580.159.04";
  facts.nvidia_hardware = true;
  facts.device_nodes = {{"/dev/nvidiactl", true}, {"/dev/nvidia0", true}};
  facts.python.torch_version = "2.11.0+cu130";
  facts.python.triton_version = "3.6.0";
  facts.nvcc = {"/usr/local/cuda/bin/nvcc", "Cuda compilation tools, release 13.0, V13.0.88"};
  facts.sanitizer = {"/usr/local/cuda/bin/compute-sanitizer", "Version 2025.3.1.0 (build 36400806) (public-release)"};
  return facts;
}

std::string text_of(const DoctorFacts& facts) { return doctor_text(facts, doctor_findings(facts)); }

bool has_problem(const DoctorFacts& facts) {
  const auto findings = doctor_findings(facts);
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::problem; });
}

/// What a person reads about `severity`: "meaning | mend" of each finding, one a line.
std::string told(const DoctorFacts& facts, Severity severity) {
  std::string text;
  for (const Finding& finding : doctor_findings(facts))
    if (finding.severity == severity) text += finding.meaning + " | " + finding.mend + "\n";
  return text;
}

TEST(DoctorText, CpuMachineGolden) {
  EXPECT_EQ(text_of(cpu_machine()), R"(Machine
  kbv           1.2.3
  system        Debian GNU/Linux 12 (bookworm), Linux 6.1.0-18-amd64
  processor     Fast CPU, 8 CPUs
  memory        16.0 GiB

GPU
  devices       none: libcuda.so.1 is not installed
  driver        none

Python
  python        /opt/venv/bin/python  (3.11.7)
  PyTorch       2.13.0+cpu
  Triton        none
  headers       /usr/include/python3.11

Compilers
  c++           /usr/bin/c++  (c++ (Debian 12.2.0-14) 12.2.0)
  nvcc          none
  ninja         /usr/bin/ninja
  sanitizer     none

Isolation
  seccomp       yes
  landlock      yes
  a box         reaches level strict

What this means
  ok            Candidates written with PyTorch can be judged on the CPU (--size cpu).
  ok            Candidates that compile C++ (load_inline) can be judged here.
  limit         CUDA and Triton candidates can't be judged here: libcuda.so.1 is not installed.
                mend: run kbv on a machine with an NVIDIA GPU; a tarball from scripts/package.sh runs there
  ok            A candidate is shut in as well as kbv can: isolation strict.
)");
}

TEST(DoctorText, GpuMachineGolden) {
  EXPECT_EQ(text_of(gpu_machine()), R"(Machine
  kbv           1.2.3
  system        Debian GNU/Linux 12 (bookworm), Linux 6.1.0-18-amd64
  processor     Fast CPU, 8 CPUs
  memory        16.0 GiB

GPU
  cuda:0        NVIDIA H200, compute capability 9.0, 140.0 GiB
  driver        580.159.04
  node          /dev/nvidiactl
  node          /dev/nvidia0

Python
  python        /opt/venv/bin/python  (3.11.7)
  PyTorch       2.11.0+cu130
  Triton        3.6.0
  headers       /usr/include/python3.11

Compilers
  c++           /usr/bin/c++  (c++ (Debian 12.2.0-14) 12.2.0)
  nvcc          /usr/local/cuda/bin/nvcc  (Cuda compilation tools, release 13.0, V13.0.88)
  ninja         /usr/bin/ninja
  sanitizer     /usr/local/cuda/bin/compute-sanitizer  (Version 2025.3.1.0 (build 36400806) (public-release))

Isolation
  seccomp       yes
  landlock      yes
  a box         reaches level strict

What this means
  ok            Candidates written with PyTorch can be judged on the CPU (--size cpu).
  ok            Candidates that compile C++ (load_inline) can be judged here.
  ok            Candidates for the GPU can be judged on NVIDIA H200 (1 found).
  ok            A candidate is shut in as well as kbv can: isolation strict.
)");
}

TEST(DoctorText, BareMachineGolden) {
  DoctorFacts facts = cpu_machine();
  facts.cpus = 1;
  facts.python = {};
  facts.python_error = "no Python 3 was found";
  facts.cxx = {};
  facts.ninja = "";
  facts.isolation = {{"seccomp", false, "the kernel has none"}};
  facts.box.isolation = {"basic", {}, {"pid: clone: no", "seccomp: the kernel has none", "mount: clone: no"}};
  EXPECT_EQ(text_of(facts), R"(Machine
  kbv           1.2.3
  system        Debian GNU/Linux 12 (bookworm), Linux 6.1.0-18-amd64
  processor     Fast CPU, 1 CPU
  memory        16.0 GiB

GPU
  devices       none: libcuda.so.1 is not installed
  driver        none

Python
  python        none: no Python 3 was found

Compilers
  c++           none
  nvcc          none
  ninja         none
  sanitizer     none

Isolation
  seccomp       no: the kernel has none
  a box         reaches level basic
                without pid, mount: clone: no
                without seccomp: the kernel has none

What this means
  problem       Nothing can be judged: no Python 3 was found.
                mend: sudo apt-get install python3-venv python3-dev && python3 -m venv .venv && .venv/bin/python -m pip install torch==2.13.0 numpy ninja
  limit         A hostile candidate is not shut in fully: isolation basic is what this machine gives. With --require-isolation strict kbv refuses to judge here.
                mend: seccomp: the kernel has none
)");
}

TEST(DoctorFindings, NothingMissingIsNoLimit) {
  EXPECT_EQ(told(gpu_machine(), Severity::limit), "");
  EXPECT_FALSE(has_problem(gpu_machine()));
  EXPECT_FALSE(has_problem(cpu_machine()));
}

TEST(DoctorFindings, PythonWithoutTorchIsAProblem) {
  DoctorFacts facts = gpu_machine();
  facts.python.torch_version = "";
  EXPECT_TRUE(has_problem(facts));
  EXPECT_THAT(told(facts, Severity::problem), HasSubstr("/opt/venv/bin/python has no PyTorch"));
  EXPECT_THAT(told(facts, Severity::problem), HasSubstr("/opt/venv/bin/python -m venv .venv"));
  EXPECT_THAT(told(facts, Severity::ok), Not(HasSubstr("can be judged")));
}

TEST(DoctorFindings, NoBoxIsAProblem) {
  DoctorFacts facts = cpu_machine();
  facts.box = {{}, "fork: no memory"};
  EXPECT_TRUE(has_problem(facts));
  EXPECT_THAT(text_of(facts), HasSubstr("a box         does not start: fork: no memory"));
}

TEST(DoctorFindings, NoGpuIsALimitThatNamesTheDriverWhereThereIsHardware) {
  DoctorFacts facts = cpu_machine();
  EXPECT_THAT(told(facts, Severity::limit), HasSubstr("run kbv on a machine with an NVIDIA GPU"));
  facts.nvidia_hardware = true;
  EXPECT_THAT(told(facts, Severity::limit), HasSubstr("sudo apt-get install nvidia-driver"));
  facts.system_id = "ubuntu";
  EXPECT_THAT(told(facts, Severity::limit), HasSubstr("sudo ubuntu-drivers install"));
  facts.system_id = "fedora";
  EXPECT_THAT(told(facts, Severity::limit), Not(HasSubstr("apt-get")));
}

TEST(DoctorFindings, CpuBuildOfTorchLeavesTheGpuUnused) {
  DoctorFacts facts = gpu_machine();
  facts.python.torch_version = "2.13.0+cpu";
  EXPECT_EQ(told(facts, Severity::limit),
            "The GPU stays unused: PyTorch 2.13.0+cpu is a CPU build. | "
            "/opt/venv/bin/python -m pip install --force-reinstall torch==2.13.0\n");
  EXPECT_THAT(told(facts, Severity::ok), Not(HasSubstr("for the GPU")));
  EXPECT_FALSE(gpu_usable(facts));
}

TEST(DoctorFindings, OldDriver) {
  DoctorFacts facts = gpu_machine();
  facts.cuda.devices[0].driver_version = 12080;
  EXPECT_THAT(told(facts, Severity::limit), HasSubstr("the driver knows CUDA 12.8, PyTorch is built for 13.0"));
  facts.python.torch_version = "2.9.0+cu126";
  facts.nvcc.version = "Cuda compilation tools, release 12.4, V12.4.131";
  EXPECT_EQ(told(facts, Severity::limit), "");
}

TEST(DoctorFindings, CudaCompilerMissingOrOfAnotherMajorVersion) {
  DoctorFacts facts = gpu_machine();
  facts.nvcc = {"/usr/bin/nvcc", "Cuda compilation tools, release 12.0, V12.0.140"};
  EXPECT_THAT(told(facts, Severity::limit), HasSubstr("nvcc is of CUDA 12, PyTorch of CUDA 13.0"));
  facts.python.torch_version = "2.11.0";  // nothing is known of its CUDA: no claim
  EXPECT_EQ(told(facts, Severity::limit), "");
  facts.nvcc = {};
  EXPECT_THAT(told(facts, Severity::limit), HasSubstr("there is no nvcc. | sudo apt-get install nvidia-cuda-toolkit"));
}

TEST(DoctorFindings, WhatElseAGpuMachineMayLack) {
  DoctorFacts facts = gpu_machine();
  facts.python.triton_version = "";
  facts.python.include_dir = "";
  facts.cxx = {};
  facts.ninja = "";
  facts.device_nodes[1].usable = false;
  facts.load = 7.5;
  const std::string limits = told(facts, Severity::limit);
  EXPECT_THAT(limits, HasSubstr("Triton is not installed. | /opt/venv/bin/python -m pip install triton"));
  EXPECT_THAT(limits, HasSubstr("Python.h is missing. | sudo apt-get install python3-dev"));
  EXPECT_THAT(limits, HasSubstr("no C++ compiler. | sudo apt-get install g++"));
  EXPECT_THAT(limits, HasSubstr("there is no ninja. | /opt/venv/bin/python -m pip install ninja"));
  EXPECT_THAT(limits, HasSubstr("/dev/nvidia0 can't be opened"));
  EXPECT_THAT(limits, HasSubstr("7.5 processes were running in the last minute on 8 CPUs"));
  EXPECT_FALSE(has_problem(facts));
}

TEST(DoctorFindings, IsolationNamesEachMissingLayer) {
  DoctorFacts facts = cpu_machine();
  facts.isolation[1] = {"landlock", false, "boot with lsm=landlock"};
  facts.box.isolation = {"basic", {"seccomp"}, {"landlock: boot with lsm=landlock"}};
  EXPECT_THAT(told(facts, Severity::limit), HasSubstr("isolation basic"));
  EXPECT_THAT(told(facts, Severity::limit), HasSubstr("| landlock: boot with lsm=landlock"));
}

TEST(DoctorJson, HoldsFactsAndFindings) {
  const DoctorFacts facts = gpu_machine();
  const auto json = nlohmann::json::parse(doctor_json(facts, doctor_findings(facts)));
  EXPECT_EQ(json["schema"], "kbv-doctor/1");
  EXPECT_EQ(json["machine"]["cpus"], 8);
  EXPECT_EQ(json["gpu"]["usable"], true);
  EXPECT_EQ(json["gpu"]["devices"][0]["name"], "NVIDIA H200");
  EXPECT_EQ(json["gpu"]["device_nodes"][1]["path"], "/dev/nvidia0");
  EXPECT_EQ(json["python"]["torch"], "2.11.0+cu130");
  EXPECT_EQ(json["compilers"]["nvcc"]["path"], "/usr/local/cuda/bin/nvcc");
  EXPECT_EQ(json["isolation"]["level"], "strict");
  EXPECT_EQ(json["findings"].size(), doctor_findings(facts).size());
  EXPECT_EQ(json["findings"][0]["severity"], "ok");
}

}  // namespace
}  // namespace kbv
