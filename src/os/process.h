// SPDX-License-Identifier: MIT
// A program in a box: started, bounded, watched and killed with all its descendants.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace kbv {

/// How far a program is shut in. What cannot be had on a machine is left out and told in the IsolationReport.
enum class IsolationProfile {
  none,    ///< its own session, limits, a clean environment and a certain death; sees and may do what the judge may
  basic,   ///< also its own user (if the judge is root), processes and mounts: the host's files, but read-only; and the
           ///< kernel refuses what no kernel of a candidate needs: system calls, and writing elsewhere
  strict,  ///< also no network, no IPC with others, no privileges to be had, and only the files that it needs
};

/// Whether a trusted tool of ours runs the program and looks at it from outside.
enum class BoxTool {
  none,
  debugger,  ///< compute-sanitizer: it talks to the program by loopback TCP, and may trace it
};

/// What the launcher reached on this machine, e.g. level "strict", layers {"uid", "mount", "pid", "net", ...}:
/// uid   another user than the judge's (only root can give one)
/// pid   its own processes only
/// mount its own mounts: private /tmp, everything else read-only
/// root  only the files that it needs
/// net, ipc, uts  its own, empty
/// user  it can't make user namespaces, in which it would be root again
/// landlock  it writes to its own folders and devices only, whatever the mounts say; no TCP, no signals to others
/// seccomp   system calls that no kernel needs are refused (call_rules.cpp), and told of
/// cgroup    memory and processes are held to their limits by the kernel, whatever starts between two looks of the judge
/// Landlock and seccomp need no privilege: a box that was to be basic or strict has them also where its level is none.
struct IsolationReport {
  /// The highest profile that is had in full. A kernel that has no Landlock at all, or no cgroups to be had, costs no level, but is told.
  std::string level = "none";
  std::vector<std::string> layers;
  std::vector<std::string> missing;  ///< "layer: reason" for each one asked for and not had
};

/// A system call that the program made and was refused.
struct RefusedCall {
  std::string layer;       ///< "seccomp"
  std::string call;        ///< "ptrace"
  bool is_attack = false;  ///< no honest program makes it; else libraries do too, to learn whether they may
};

struct InjectedFile {
  std::string name;  ///< relative, below the box's own folder
  std::string bytes;
  bool writable = false;
};

struct BoxLimits {
  std::uint64_t memory_bytes = 0;         ///< resident, over all processes of the box; 0: no limit. The judge looks every 40 ms;
                                          ///< between its looks the kernel holds the box to group_memory_bytes(), where it can
  std::uint64_t tmp_bytes = 2ull << 30;   ///< size of each private tmpfs
  std::uint64_t file_bytes = 4ull << 30;  ///< RLIMIT_FSIZE
  std::uint64_t processes = 1024;         ///< processes and threads; does not bind root under profile none
  std::uint64_t open_files = 4096;
  std::uint64_t output_bytes = 256u << 10;  ///< kept of stdout+stderr: first half and last half; the rest is drained
  bool background = false;                  ///< gets little of the CPU while others want it: a build beside a timed call
};

/// What a box whose program may have `memory_bytes` resident may take in all, its files in memory included: far enough above that the
/// judge's watch, which knows better what counts, comes first with all but the fastest.
std::uint64_t group_memory_bytes(const BoxLimits& limits, std::uint64_t memory_bytes);

struct PassedFd {
  int fd = -1;        ///< in this process; stays owned by the caller
  int as_number = 0;  ///< in the program; 3 or higher
};

struct LaunchSpec {
  std::string label;                ///< for messages: "candidate worker"
  std::vector<std::string> argv;    ///< argv[0] is an absolute path. "{box}" stands for the box's own folder
  std::vector<std::string> env;     ///< the complete environment, "NAME=value"; "{box}" as above
  std::vector<InjectedFile> files;  ///< appear below {box}; {box}/tmp, {box}/home and {box}/build exist, writable
  std::vector<PassedFd> fds;        ///< every other descriptor but 0, 1, 2 is closed
  std::vector<std::string> read_only_paths;  ///< host paths it needs to see (same path inside), e.g. a venv
  std::vector<std::string> device_nodes;     ///< host device nodes it may use, e.g. /dev/nvidia0
  BoxLimits limits;
  IsolationProfile profile = IsolationProfile::strict;
  BoxTool tool = BoxTool::none;  ///< what argv[0] is
};

struct ExitStatus {
  int code = 0;               ///< exit code, if signal is 0
  int signal = 0;             ///< the signal that ended it, else 0
  bool over_memory = false;   ///< ended because it went over limits.memory_bytes
  bool broke_freeze = false;  ///< ended because it went on by itself while frozen (a timer can send SIGCONT)
};

/// A running box. The destructor kills every process in it and removes its files. A judge killed by SIGKILL takes its
/// boxes along as well: the box's keeper watches a pipe that only the judge holds open.
class Process {
 public:
  static Result<std::unique_ptr<Process>> launch(LaunchSpec spec);
  virtual ~Process() = default;

  /// What ended the program, if it has ended.
  virtual std::optional<ExitStatus> exit_status() = 0;

  /// Kills the program and all its descendants; returns when none is left. Safe to call twice. A process that the
  /// kernel can't end (it hangs in a driver) is waited for.
  virtual void kill() = 0;

  /// Stops or continues every process of the box (SIGSTOP, SIGCONT).
  virtual void freeze() = 0;
  virtual void thaw() = 0;

  /// Resident bytes of all processes in the box, now.
  virtual std::uint64_t resident_bytes() = 0;

  /// Raises BoxLimits::memory_bytes: what the judge's own requests take is not the program's.
  virtual void allow_memory(std::uint64_t more_bytes) = 0;

  virtual const IsolationReport& isolation() const = 0;

  /// Each refused call once, in the order of the first time; complete after kill(). Empty as well where the layer is
  /// missing, or can't tell (isolation().missing says so).
  virtual std::vector<RefusedCall> refused_calls() = 0;

  /// What it wrote on stdout and stderr so far, bounded; a marker line stands for what was left out.
  virtual std::string output() = 0;
};

/// The internal verb: what the judge's own binary runs to set the box up. Never returns an error to a person; see
/// launcher.cpp's theory of operation. `argv[0]` is "internal-launch".
int run_launcher(int argc, char** argv);

/// Which binary to start as launcher; the judge's own by default. A test's main() handles "internal-launch" first, as
/// the judge's does: if (argc > 1 && argv[1] == "internal-launch") return run_launcher(argc - 1, argv + 1).
void set_launcher_path(std::string path);

/// Hides this process's memory, and what its /proc files tell of it, from every other process without CAP_SYS_PTRACE,
/// of its own user too, and leaves no core file. To be called before the first secret is made. The process itself then
/// can't open its own /proc/self/{environ,auxv,mem,pagemap} if it isn't root: nothing of ours does.
Result<void> hide_own_memory();

/// Which layers this machine offers, for `kbv doctor`; each line "name: yes" or "name: no (reason)".
struct IsolationProbe {
  std::string layer;
  bool available = false;
  std::string reason;  ///< why not, and how to mend it; for an available layer a detail such as "ABI 7", or empty
};
/// Each is tried in fact, in a process of its own.
std::vector<IsolationProbe> probe_isolation();

}  // namespace kbv
