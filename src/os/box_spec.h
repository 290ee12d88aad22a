// SPDX-License-Identifier: MIT
// What the judge and the launcher tell each other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "os/process.h"

namespace kbv {

// The launcher's descriptors, as the judge hands them over. 0 is /dev/null; 1 and 2 are the output pipe.
inline constexpr int k_spec_fd = 3;      ///< a memfd with the LaunchSpec
inline constexpr int k_lifeline_fd = 4;  ///< a pipe that only the judge can write: commands, and its end when it dies
inline constexpr int k_status_fd = 5;    ///< a socket for StatusMessages to the judge
inline constexpr int k_first_passed_fd = 6;

/// For those who stay when the program runs: its peers must see its own end of a socket close when it does.
void close_passed_fds(const LaunchSpec& spec);

// Commands on the lifeline; its end of file means: kill everything.
inline constexpr char k_freeze_command = 'f';
inline constexpr char k_thaw_command = 't';

/// PassedFd::fd is not part of it: the launcher finds the i-th at k_first_passed_fd + i.
std::string encode_spec(const LaunchSpec& spec);
std::optional<LaunchSpec> decode_spec(std::string_view bytes);

struct StatusMessage {
  enum class Kind : char { started, failed, frozen, thawed, ended, refused };
  Kind kind = Kind::started;  ///< started comes with a descriptor of the box's /proc if it has a pid namespace
  IsolationReport report;     ///< started
  std::string box;            ///< started: the box's folder if it is one of the host's, else empty
  std::string memory_group;   ///< started: ControlGroup::memory_folder()
  Error error;                ///< failed
  ExitStatus exit;            ///< ended
  RefusedCall refused;        ///< refused
};

std::string encode_status(const StatusMessage& message);
std::optional<StatusMessage> decode_status(std::string_view bytes);

}  // namespace kbv
