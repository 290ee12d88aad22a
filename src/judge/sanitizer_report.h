// SPDX-License-Identifier: MIT
// What compute-sanitizer wrote, read as hostile text: the program that it watched could write to its report as well.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/provenance.h"

namespace kbv {

enum class SanitizerTool { memcheck, racecheck, initcheck, synccheck };
inline constexpr std::array k_sanitizer_tools{SanitizerTool::memcheck, SanitizerTool::racecheck,
                                              SanitizerTool::initcheck, SanitizerTool::synccheck};
const char* to_string(SanitizerTool tool);
std::optional<SanitizerTool> sanitizer_tool(std::string_view name);

/// Errors of one kind at one place.
struct SanitizerRecord {
  std::string kind;                ///< "Invalid __global__ read of size 4 bytes"
  std::string kernel;              ///< "row_sum(const float *, int)"; empty: the report names none
  std::string place;               ///< "kernel.cu:12" of the instruction; empty: the code has no line numbers
  std::string inside;              ///< the device function in which it happened, if that is not the kernel itself
  std::string space;               ///< "global", "shared", "local"; empty: not a matter of memory
  std::string thread, block;       ///< "(0,0,0)" of the first
  std::vector<std::string> notes;  ///< what else the report says of the first: addresses, the other access of a race
  std::uint64_t count = 1;         ///< how many the report shows
  bool warning = false;            ///< a race that may be intended
};

/// One tool's report. Texts are as they were written, bounded, and not yet fit for a terminal.
struct SanitizerReport {
  bool began = false;           ///< the tool's first line is there
  bool finished = false;        ///< its summary is
  std::uint64_t errors = 0;     ///< by the summary
  std::uint64_t warnings = 0;   ///< by the summary; racecheck only
  std::uint64_t unprinted = 0;  ///< errors that are counted but not shown
  std::vector<SanitizerRecord> records;
  std::uint64_t left_out = 0;  ///< records beyond k_max_sanitizer_records
  bool truncated = false;      ///< longer than k_max_sanitizer_bytes
  std::string trouble;         ///< the first line in which the tool tells of a failure of its own or of the program's
};

constexpr std::size_t k_max_sanitizer_bytes = 8u << 20;
constexpr std::size_t k_max_sanitizer_line = 4096;   ///< of a longer line the rest is dropped
constexpr std::size_t k_max_sanitizer_text = 512;    ///< of each text in a record
constexpr std::size_t k_max_sanitizer_records = 64;  ///< different ones

/// Reads a report of any of the tools. Never fails: what it does not know is skipped, or is trouble.
SanitizerReport parse_sanitizer_report(std::string_view bytes);

/// How the run under a tool ended.
struct SanitizerRun {
  std::string failure;           ///< why it did not come to its end, one line; empty: it did
  std::optional<int> exit_code;  ///< the tool's, if it exited by itself
};
/// What the tool exits with if the program went well and it found errors: a code that no program is likely to use.
inline constexpr int k_sanitizer_errors_code = 86;

enum class SanitizerStatus {
  clean,          ///< it ran to its end, and no error is in a kernel of the candidate's
  errors,         ///< at least one is
  incomplete,     ///< neither can be told; never held against the candidate
  not_available,  ///< the tool could not be run at all
};
const char* to_string(SanitizerStatus status);

/// What one tool found.
struct SanitizerResult {
  SanitizerTool tool = SanitizerTool::memcheck;
  SanitizerStatus status = SanitizerStatus::not_available;
  std::string why;                         ///< of incomplete and not_available; of errors, why there may be more
  std::uint64_t errors = 0, warnings = 0;  ///< in the candidate's kernels, as far as the report shows them
  std::uint64_t elsewhere = 0;             ///< errors in libraries' kernels, or in none
  std::vector<SanitizerRecord> records;    ///< the candidate's
  std::vector<SanitizerRecord> others;     ///< the rest; a kernel that is named like a library's is taken for one
  double seconds = 0;
};

/// Decides. A record is the candidate's if its kernel is: by its name, see kernel_origin().
SanitizerResult conclude_sanitizer(SanitizerTool tool, SanitizerReport report, const SanitizerRun& run,
                                   const ProvenanceContext& candidate);

}  // namespace kbv
