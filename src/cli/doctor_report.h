// SPDX-License-Identifier: MIT
// What the doctor's facts mean, and how a person or a program reads them. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "cli/doctor_facts.h"

namespace kbv {

enum class Severity {
  ok,       ///< works
  limit,    ///< some candidates, or some promises, are out of reach here
  problem,  ///< nothing can be judged here until it is mended
};

const char* to_string(Severity severity);

struct Finding {
  Severity severity = Severity::ok;
  std::string meaning;  ///< one sentence
  std::string mend;     ///< a command, or a sentence where no command does it; empty: nothing to mend
};

/// Whether PyTorch here can use a GPU that is here.
bool gpu_usable(const DoctorFacts& facts);

std::vector<Finding> doctor_findings(const DoctorFacts& facts);

std::string doctor_text(const DoctorFacts& facts, const std::vector<Finding>& findings);
std::string doctor_json(const DoctorFacts& facts, const std::vector<Finding>& findings);

}  // namespace kbv
