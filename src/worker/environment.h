// SPDX-License-Identifier: MIT
// The Python, compilers and paths that workers run with, as found on this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kbv {

/// A Python that has PyTorch.
struct PythonEnvironment {
  std::string executable;                    ///< absolute, not resolved (a venv's own python)
  std::string version;                       ///< "3.11.7"
  std::string torch_version;                 ///< "2.13.0+cpu"; empty: PyTorch is not installed
  std::string triton_version;                ///< empty: not installed
  std::string include_dir;                   ///< where Python.h is; empty: no headers (Triton and load_inline need them)
  std::vector<std::string> read_only_paths;  ///< what a box must see to run it
};

/// `wanted` (--python) or $KBV_PYTHON if one is given, and no other; else $VIRTUAL_ENV/bin/python, .venv/bin/python in the
/// current folder, python3 and python on PATH: the first that has PyTorch, else the first that runs.
Result<PythonEnvironment> find_python(const std::string& wanted);

/// Compilers as workers find them.
struct Toolchain {
  std::string cxx;        ///< absolute path of c++ or g++, "" if none
  std::string nvcc;       ///< absolute path, "" if none
  std::string cuda_home;  ///< "" if none
  std::string ninja;      ///< absolute path, "" if none
};
Toolchain find_toolchain(const PythonEnvironment& python);

/// NVIDIA's compute-sanitizer: on PATH, in $CUDA_HOME or $CUDA_PATH, in /usr/local/cuda. "" if there is none.
std::string find_sanitizer();

/// The environment variables a worker starts with: paths, caches below {box}, and nothing of the user's own.
/// `cuda_device` is what CUDA_VISIBLE_DEVICES says ("" hides every GPU); `arch_list` is TORCH_CUDA_ARCH_LIST ("9.0").
std::vector<std::string> worker_environment(const PythonEnvironment& python, const Toolchain& toolchain,
                                            const std::string& cuda_device, const std::string& arch_list);

/// Host paths that a box needs beside the system's own: Python's, CUDA's, the driver's.
std::vector<std::string> worker_paths(const PythonEnvironment& python, const Toolchain& toolchain);

/// Host paths that a box needs to run `program`: itself, what it links to, the folders that its own libraries lie in.
std::vector<std::string> program_paths(const std::string& program);

}  // namespace kbv
