// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "cli/doctor_report.h"

namespace kbv {
namespace {

constexpr const char* k_new_venv = "{} -m venv .venv && .venv/bin/python -m pip install torch==2.13.0 numpy ninja";

struct Findings {
  std::vector<Finding> list;

  void ok(std::string meaning) { list.push_back({Severity::ok, std::move(meaning), {}}); }
  void limit(std::string meaning, std::string mend) {
    list.push_back({Severity::limit, std::move(meaning), std::move(mend)});
  }
  void problem(std::string meaning, std::string mend) {
    list.push_back({Severity::problem, std::move(meaning), std::move(mend)});
  }
};

bool has_apt(const DoctorFacts& facts) { return facts.system_id == "debian" || facts.system_id == "ubuntu"; }

std::string install(const DoctorFacts& facts, const std::string& debian_package, const std::string& otherwise) {
  return has_apt(facts) ? "sudo apt-get install " + debian_package : otherwise;
}

/// The CUDA version that PyTorch was built for, as 1000 * major + 10 * minor; 0: a build without CUDA, or not known.
int torch_cuda(const std::string& torch_version) {
  const auto at = torch_version.find("+cu");
  if (at == std::string::npos) return 0;
  const int digits = std::atoi(torch_version.c_str() + at + 3);  // "+cu130" is 13.0; "+cpu" has no digit
  return digits / 10 * 1000 + digits % 10 * 10;
}

std::string cuda_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

/// "Cuda compilation tools, release 13.0, V13.0.88" -> 13; 0 if it says something else.
int nvcc_major(const std::string& version) {
  const auto at = version.find("release ");
  return at == std::string::npos ? 0 : std::atoi(version.c_str() + at + 8);
}

void judge_python(const DoctorFacts& facts, Findings& findings) {
  if (!facts.python_error.empty()) {
    const std::string venv = fmt::format(fmt::runtime(k_new_venv), "python3");
    findings.problem("Nothing can be judged: " + facts.python_error + ".",
                     has_apt(facts) ? "sudo apt-get install python3-venv python3-dev && " + venv : venv);
  } else if (facts.python.torch_version.empty()) {
    findings.problem("Nothing can be judged: " + facts.python.executable + " has no PyTorch.",
                     fmt::format(fmt::runtime(k_new_venv), facts.python.executable) +
                         "   (or name a Python that has it: --python PATH)");
  }
}

std::string how_to_get_a_driver(const DoctorFacts& facts) {
  if (!facts.nvidia_hardware)
    return "run kbv on a machine with an NVIDIA GPU; a tarball from scripts/package.sh runs there";
  if (facts.system_id == "ubuntu") return "sudo ubuntu-drivers install, then restart";
  if (facts.system_id == "debian") return "sudo apt-get install nvidia-driver, then restart";
  return "install NVIDIA's driver, then restart; nvidia-smi tells whether it works";
}

/// Why no candidate can use the GPU; nothing if one can.
std::optional<Finding> gpu_obstacle(const DoctorFacts& facts) {
  const PythonEnvironment& python = facts.python;
  if (facts.cuda.devices.empty())
    return Finding{Severity::limit, "CUDA and Triton candidates can't be judged here: " + facts.cuda.reason + ".",
                   how_to_get_a_driver(facts)};
  if (python.torch_version.find("+cpu") != std::string::npos)
    return Finding{Severity::limit, "The GPU stays unused: PyTorch " + python.torch_version + " is a CPU build.",
                   python.executable + " -m pip install --force-reinstall torch==2.13.0"};
  const int wanted = torch_cuda(python.torch_version);
  const int driver = facts.cuda.devices.front().driver_version;
  if (wanted / 1000 > driver / 1000)
    return Finding{Severity::limit,
                   fmt::format("The GPU stays unused: the driver knows CUDA {}, PyTorch is built for {}.",
                               cuda_text(driver), cuda_text(wanted)),
                   "update the driver, or install a PyTorch that is built for CUDA " + cuda_text(driver)};
  return {};
}

void judge_gpu_compilers(const DoctorFacts& facts, Findings& findings) {
  const PythonEnvironment& python = facts.python;
  const int wanted = torch_cuda(python.torch_version);
  if (python.triton_version.empty())
    findings.limit("Triton candidates can't be judged: Triton is not installed.",
                   python.executable + " -m pip install triton");
  if (facts.nvcc.path.empty()) {
    findings.limit("Candidates that compile CUDA (load_inline) can't be judged: there is no nvcc.",
                   install(facts, "nvidia-cuda-toolkit", "install NVIDIA's CUDA toolkit") +
                       "   (or set CUDA_HOME to an installed one)");
  } else if (const int major = nvcc_major(facts.nvcc.version); wanted != 0 && major != 0 && major != wanted / 1000) {
    findings.limit(
        fmt::format("Candidates that compile CUDA (load_inline) fail: nvcc is of CUDA {}, PyTorch of CUDA {}.", major,
                    cuda_text(wanted)),
        "set CUDA_HOME to a CUDA " + cuda_text(wanted) + " toolkit");
  }
}

void judge_gpu(const DoctorFacts& facts, Findings& findings) {
  if (auto obstacle = gpu_obstacle(facts)) {
    findings.list.push_back(std::move(*obstacle));
    return;
  }
  findings.ok(fmt::format("Candidates for the GPU can be judged on {} ({} found).", facts.cuda.devices.front().name,
                          facts.cuda.devices.size()));
  for (const DeviceNode& node : facts.device_nodes) {
    if (!node.usable)
      findings.limit("Workers may fail to reach the GPU: " + node.path + " can't be opened for reading and writing.",
                     "nvidia-modprobe -u -c 0, or chmod a+rw " + node.path + ", as root");
  }
  judge_gpu_compilers(facts, findings);
  if (facts.sanitizer.path.empty())
    findings.limit("Kernels can't be run under compute-sanitizer (kbv sanitize): it was not found.",
                   "install NVIDIA's CUDA toolkit, which has it   (or name it: kbv sanitize --sanitizer PATH)");
}

void judge_compilers(const DoctorFacts& facts, Findings& findings) {
  const std::size_t before = findings.list.size();
  if (facts.cxx.path.empty())
    findings.limit("Candidates that compile C++ (load_inline) can't be judged: there is no C++ compiler.",
                   install(facts, "g++", "install g++"));
  if (facts.python.include_dir.empty())
    findings.limit("Candidates that compile C++ or use Triton can't be judged: Python.h is missing.",
                   install(facts, "python3-dev", "install the headers of Python " + facts.python.version));
  if (facts.ninja.empty())
    findings.limit("Candidates that compile C++ or CUDA (load_inline) can't be judged: there is no ninja.",
                   facts.python.executable + " -m pip install ninja");
  if (findings.list.size() == before) findings.ok("Candidates that compile C++ (load_inline) can be judged here.");
}

void judge_isolation(const DoctorFacts& facts, Findings& findings) {
  if (!facts.box.error.empty()) {
    findings.problem("Nothing can be judged: no box for a candidate starts: " + facts.box.error + ".", "");
    return;
  }
  const IsolationReport& isolation = facts.box.isolation;
  if (isolation.level == "strict" && isolation.missing.empty()) {
    findings.ok("A candidate is shut in as well as kbv can: isolation strict.");
    return;
  }
  std::string mend;
  for (const IsolationProbe& probe : facts.isolation) {
    if (!probe.available) mend += (mend.empty() ? "" : "; ") + probe.layer + ": " + probe.reason;
  }
  if (isolation.level == "strict") {
    findings.ok("A candidate is shut in: isolation strict; some layers beyond it are missing (see Isolation).");
  } else {
    findings.limit("A hostile candidate is not shut in fully: isolation " + isolation.level +
                       " is what this machine gives. With --require-isolation strict kbv refuses to judge here.",
                   mend);
  }
}

void judge_quiet(const DoctorFacts& facts, Findings& findings) {
  if (facts.load > 0.5 * facts.cpus)
    findings.limit(fmt::format("Timings will be noisy: {:.1f} processes were running in the last minute on {} CPUs.",
                               facts.load, facts.cpus),
                   "stop other work, or wait");
}

}  // namespace

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::ok:
      return "ok";
    case Severity::limit:
      return "limit";
    case Severity::problem:
      return "problem";
  }
  return "?";
}

bool gpu_usable(const DoctorFacts& facts) { return !facts.python.torch_version.empty() && !gpu_obstacle(facts); }

std::vector<Finding> doctor_findings(const DoctorFacts& facts) {
  Findings findings;
  judge_python(facts, findings);
  if (findings.list.empty()) {
    findings.ok("Candidates written with PyTorch can be judged on the CPU (--size cpu).");
    judge_compilers(facts, findings);
    judge_gpu(facts, findings);
  }
  judge_isolation(facts, findings);
  judge_quiet(facts, findings);
  return std::move(findings.list);
}

}  // namespace kbv
