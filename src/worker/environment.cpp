// SPDX-License-Identifier: MIT
#include "worker/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "os/process.h"

namespace kbv {
namespace fs = std::filesystem;
namespace {

/// Asks a Python about itself without importing torch, which takes seconds. One "key value" a line.
constexpr const char* k_probe = R"(
import importlib.util, sys, sysconfig, os
from importlib import metadata
print("version", sys.version.split()[0])
for name in ("torch", "triton"):
    if importlib.util.find_spec(name):
        try: print(name, metadata.version(name))
        except Exception: print(name, "unknown")
include = sysconfig.get_path("include")
if os.path.exists(os.path.join(include, "Python.h")): print("include", include)
for path in {sys.prefix, sys.base_prefix, include, os.path.dirname(os.path.realpath(sys.executable)), *sys.path}:
    if path and os.path.exists(path): print("path", path)
)";

std::vector<std::string> split_path(const char* value) {
  std::vector<std::string> parts;
  std::istringstream stream(value ? value : "");
  for (std::string part; std::getline(stream, part, ':');)
    if (!part.empty() && part[0] == '/') parts.push_back(part);
  return parts;
}

std::string find_in(const std::vector<std::string>& folders, const std::string& name) {
  for (const auto& folder : folders) {
    const std::string path = folder + "/" + name;
    if (::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path)) return path;
  }
  return {};
}

Result<PythonEnvironment> probe_python(const std::string& executable) {
  LaunchSpec spec;
  spec.label = "python probe";
  spec.argv = {executable, "-I", "-c", k_probe};
  spec.env = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
  // A pyenv shim finds its versions through these.
  for (const char* name : {"HOME", "PYENV_ROOT", "PATH"})
    if (const char* value = std::getenv(name)) spec.env.push_back(std::string(name) + "=" + value);
  spec.profile = IsolationProfile::none;
  KBV_TRY_ASSIGN(const auto process, Process::launch(std::move(spec)));
  const Deadline deadline = after_seconds(60);
  std::optional<ExitStatus> status;
  while (!(status = process->exit_status()) && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::string text = process->output();
  if (!status || status->code != 0 || status->signal != 0)
    return fail(Fault::usage, "bad_python", "python: " + executable + " does not run", text);
  PythonEnvironment python;
  python.executable = executable;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    if (space == std::string::npos) continue;
    const std::string key = line.substr(0, space), value = line.substr(space + 1);
    if (key == "version") python.version = value;
    if (key == "torch") python.torch_version = value;
    if (key == "triton") python.triton_version = value;
    if (key == "include") python.include_dir = value;
    if (key == "path") python.read_only_paths.push_back(value);
  }
  if (python.version.empty())
    return fail(Fault::usage, "bad_python", "python: " + executable + " is not a Python 3", text);
  return python;
}

}  // namespace

Result<PythonEnvironment> find_python(const std::string& wanted) {
  // What the user names is what counts: another Python in its place would only surprise.
  const char* named = std::getenv("KBV_PYTHON");
  const std::string name = !wanted.empty() ? wanted : named ? named : "";
  if (!name.empty()) {
    const std::string path =
        name.find('/') == std::string::npos ? find_in(split_path(std::getenv("PATH")), name) : fs::absolute(name).string();
    if (path.empty() || ::access(path.c_str(), X_OK) != 0)
      return fail(Fault::usage, "no_python",
                  (wanted.empty() ? "KBV_PYTHON: " : "--python: ") + name + " is not an executable file");
    return probe_python(path);
  }
  std::vector<std::string> candidates;
  if (const char* value = std::getenv("VIRTUAL_ENV")) candidates.push_back(std::string(value) + "/bin/python");
  candidates.push_back(fs::absolute(".venv/bin/python").string());
  for (const char* usual : {"python3", "python"}) {
    const auto path = find_in(split_path(std::getenv("PATH")), usual);
    if (!path.empty()) candidates.push_back(path);
  }
  std::optional<PythonEnvironment> first;
  for (const auto& path : candidates) {
    if (::access(path.c_str(), X_OK) != 0) continue;
    auto python = probe_python(path);
    if (!python) continue;
    if (!python->torch_version.empty()) return python;
    if (!first) first = *python;
  }
  if (first) return *first;
  return fail(Fault::machine, "no_python", "no Python 3 was found; give one that has PyTorch with --python");
}

Toolchain find_toolchain(const PythonEnvironment& python) {
  Toolchain tools;
  auto folders = split_path(std::getenv("PATH"));
  for (const char* usual : {"/usr/local/bin", "/usr/bin", "/bin"}) folders.emplace_back(usual);
  tools.cxx = find_in(folders, "c++");
  if (tools.cxx.empty()) tools.cxx = find_in(folders, "g++");
  const char* home = std::getenv("CUDA_HOME");
  if (!home) home = std::getenv("CUDA_PATH");
  auto cuda_folders = folders;
  if (home) cuda_folders.insert(cuda_folders.begin(), std::string(home) + "/bin");
  cuda_folders.emplace_back("/usr/local/cuda/bin");
  tools.nvcc = find_in(cuda_folders, "nvcc");
  if (!tools.nvcc.empty()) tools.cuda_home = home ? home : fs::path(tools.nvcc).parent_path().parent_path().string();
  auto ninja_folders = folders;
  ninja_folders.insert(ninja_folders.begin(), fs::path(python.executable).parent_path().string());
  tools.ninja = find_in(ninja_folders, "ninja");
  return tools;
}

std::string find_sanitizer() {
  auto folders = split_path(std::getenv("PATH"));
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(name); home && home[0] == '/')
      for (const char* below : {"/bin", "/compute-sanitizer"}) folders.push_back(std::string(home) + below);
  for (const char* usual : {"/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer"}) folders.emplace_back(usual);
  return find_in(folders, "compute-sanitizer");
}

std::vector<std::string> worker_environment(const PythonEnvironment& python, const Toolchain& toolchain,
                                            const std::string& cuda_device, const std::string& arch_list) {
  std::vector<std::string> path = {fs::path(python.executable).parent_path().string()};
  for (const auto& tool : {toolchain.nvcc, toolchain.ninja, toolchain.cxx})
    if (!tool.empty()) path.push_back(fs::path(tool).parent_path().string());
  for (const char* usual : {"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}) path.emplace_back(usual);
  std::string joined;
  for (const auto& folder : path) {
    if ((":" + joined + ":").find(":" + folder + ":") == std::string::npos)
      joined += (joined.empty() ? "" : ":") + folder;
  }
  std::vector<std::string> env = {
      "PATH=" + joined,
      "HOME={box}/home",
      "TMPDIR={box}/tmp",
      "LANG=C.UTF-8",
      "USER=kbv",
      "LOGNAME=kbv",
      "XDG_CACHE_HOME={box}/home/.cache",
      "TORCH_EXTENSIONS_DIR={box}/build/torch_extensions",
      "TRITON_CACHE_DIR={box}/build/triton",
      "TORCHINDUCTOR_CACHE_DIR={box}/tmp/inductor",
      "CUDA_CACHE_PATH={box}/build/cuda",
      "CUDA_VISIBLE_DEVICES=" + cuda_device,
      "CUDA_DEVICE_ORDER=PCI_BUS_ID",
      "PYTHONDONTWRITEBYTECODE=1",
      "MAX_JOBS=4",
  };
  if (!arch_list.empty()) env.push_back("TORCH_CUDA_ARCH_LIST=" + arch_list);
  if (!toolchain.cuda_home.empty()) env.push_back("CUDA_HOME=" + toolchain.cuda_home);
  for (const char* name : {"LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "CC", "CXX", "CUDAHOSTCXX", "OPENBLAS_CORETYPE"})
    if (const char* value = std::getenv(name)) env.push_back(std::string(name) + "=" + value);
  return env;
}

std::vector<std::string> program_paths(const std::string& program) {
  std::error_code ignored;
  const auto real = fs::canonical(program, ignored);
  if (program.empty() || ignored) return {};
  std::vector<std::string> paths = {program, real.string()};
  // A program outside the system's folders has its own libraries beside it: PREFIX/bin/gcc needs PREFIX/lib.
  for (const fs::path& path : {fs::path(program), real})
    if (path.parent_path().filename() == "bin") paths.push_back(path.parent_path().parent_path().string());
  std::erase(paths, "/");
  return paths;
}

std::vector<std::string> worker_paths(const PythonEnvironment& python, const Toolchain& toolchain) {
  std::vector<std::string> paths = python.read_only_paths;
  std::vector<std::string> programs = {toolchain.nvcc, toolchain.ninja, toolchain.cxx};
  for (const char* name : {"CC", "CXX", "CUDAHOSTCXX"})
    if (const char* value = std::getenv(name); value && value[0] == '/') programs.emplace_back(value);
  for (const auto& program : programs)
    for (auto& path : program_paths(program)) paths.push_back(std::move(path));
  if (!toolchain.cuda_home.empty()) paths.push_back(toolchain.cuda_home);
  for (const char* name : {"LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH"})
    for (const auto& folder : split_path(std::getenv(name))) paths.push_back(folder);
  if (fs::exists("/usr/local/nvidia")) paths.emplace_back("/usr/local/nvidia");
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::erase_if(paths, [](const std::string& path) { return path == "/" || !fs::exists(path); });
  return paths;
}

}  // namespace kbv
