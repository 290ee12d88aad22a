// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace kbv {

/// One labelled candidate of zoo/zoo.toml.
struct ZooEntry {
  std::string file;                         ///< relative to the manifest's folder; its first part is the kind
  std::string group;                        ///< what it is counted with in the summary; the first part of file, if not named
  std::string problem;                      ///< <suite>/<problem>.py
  std::string expect;                       ///< verdict code under the default protocol; "rejected": any but correct
  std::map<std::string, std::string> under; ///< other protocols, where they must say something else
  std::vector<std::string> needs;           ///< "cxx", "cuda", "triton", "gpu", "cpu"
  double timeout_s = 0;                     ///< for each stage that runs its code; 0: the default
  std::vector<std::string> attack, looks_like;  ///< ids of docs/attacks.md, "T1"
  /// What must stop it: "seccomp: ptrace" (the box must have told of that call, where it can), or another layer's name.
  std::string stopped_by;
  std::string note;
  bool must_pass() const { return expect == "correct"; }
};

/// Reads the manifest; a usage error names the entry and the field.
Result<std::vector<ZooEntry>> read_zoo_manifest(const std::string& path);

}  // namespace kbv
