// SPDX-License-Identifier: MIT
// What `kbv doctor` finds on this machine, as plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/device.h"
#include "os/process.h"
#include "worker/environment.h"

namespace kbv {

struct DeviceNode {
  std::string path;
  bool usable = false;  ///< it can be opened for reading and writing
};

/// A program and the first line of what its --version says.
struct Compiler {
  std::string path;  ///< empty: not found
  std::string version;
};

/// A box that was really started for a program that does nothing.
struct BoxTrial {
  IsolationReport isolation;
  std::string error;  ///< why no box starts; empty: it started
};

struct DoctorFacts {
  std::string kbv_version;
  std::string system;     ///< "Debian GNU/Linux 12 (bookworm)"
  std::string system_id;  ///< "debian", "ubuntu", as /etc/os-release has it
  std::string kernel;     ///< uname -r
  std::string processor;
  int cpus = 0;     ///< that this process may run on
  double load = 0;  ///< runnable processes, average over the last minute
  std::uint64_t memory_bytes = 0;

  CudaProbe cuda;
  std::string driver_version;    ///< of the NVIDIA kernel module, "580.159.04"; empty: not loaded
  bool nvidia_hardware = false;  ///< a PCI device of NVIDIA's is there, with or without a driver
  std::vector<DeviceNode> device_nodes;

  PythonEnvironment python;
  std::string python_error;  ///< why there is none; empty: there is one

  Compiler cxx;
  Compiler nvcc;
  std::string ninja;  ///< path, or empty
  Compiler sanitizer;  ///< NVIDIA's compute-sanitizer

  std::vector<IsolationProbe> isolation;
  BoxTrial box;
};

/// Looks at everything, and changes nothing. `wanted_python` is --python.
DoctorFacts gather_doctor_facts(const std::string& wanted_python);

}  // namespace kbv
