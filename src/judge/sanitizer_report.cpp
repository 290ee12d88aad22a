// SPDX-License-Identifier: MIT
// Lines begin with "=========". After it, one space comes before the first line of a record, more before those that
// belong to it.
#include "judge/sanitizer_report.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <tuple>
#include <utility>

namespace kbv {
namespace {

constexpr std::string_view k_mark = "=========";
constexpr std::size_t k_max_notes = 8;

std::string bounded(std::string_view text) { return std::string(text.substr(0, k_max_sanitizer_text)); }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return text.starts_with(part); });
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The number at the beginning of `text`; nothing if there is none. One that does not fit is the largest.
std::optional<std::uint64_t> number_at(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return UINT64_MAX;
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::uint64_t number_before(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == std::string_view::npos) return 0;
  const std::string_view head = trimmed(text.substr(0, at));
  const auto start = head.find_last_not_of("0123456789");
  return number_at(start == std::string_view::npos ? head : head.substr(start + 1)).value_or(0);
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

struct Location {
  std::string function, place;
};

/// "NAME+0x80 in FILE:LINE" of new versions, "0x80 in FILE:LINE:NAME" and "0x80 in NAME" of old ones.
Location location_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("0x")) {
    const auto in = text.find(" in ");
    if (in == std::string_view::npos) return {};
    text = text.substr(in + 4);
    // A name may hold colons too: the line number is digits between two of them.
    for (auto colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
      const auto end = text.find_first_not_of("0123456789", colon + 1);
      if (end != std::string_view::npos && end > colon + 1 && text[end] == ':' && !text.substr(end).starts_with("::"))
        return {bounded(text.substr(end + 1)), bounded(text.substr(0, end))};
    }
    return {bounded(text), {}};
  }
  for (const std::string_view separator : {"+0x", ":0x"}) {
    const auto at = text.rfind(separator);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = text.substr(at + 3);
    const auto in = rest.find(" in ");
    if (!is_hex(rest.substr(0, in))) continue;
    return {bounded(text.substr(0, at)), in == std::string_view::npos ? "" : bounded(trimmed(rest.substr(in + 4)))};
  }
  const auto in = text.rfind(" in ");
  if (in == std::string_view::npos) return {bounded(text), {}};
  return {bounded(text.substr(0, in)), bounded(text.substr(in + 4))};
}

std::string space_of(std::string_view kind) {
  for (const std::string_view space : {"global", "shared", "local"})
    if (has(kind, "__" + std::string(space) + "__")) return std::string(space);
  return has(kind, "Race reported") || has(kind, "hazard") ? "shared" : "";
}

class Parser {
 public:
  explicit Parser(std::string_view bytes) {
    report_.truncated = bytes.size() > k_max_sanitizer_bytes;
    bytes = bytes.substr(0, k_max_sanitizer_bytes);
    while (!bytes.empty()) {
      const auto end = bytes.find('\n');
      line(bytes.substr(0, std::min(end, k_max_sanitizer_line)));
      bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    }
    close();
  }

  SanitizerReport take() { return std::move(report_); }

 private:
  void line(std::string_view text) {
    if (!text.starts_with(k_mark)) return;  // the program's own
    text.remove_prefix(k_mark.size());
    const std::string_view content = trimmed(text);
    const bool continues = text.starts_with("  ") || text.starts_with(" \t");
    if (content.empty()) return close();
    continues ? detail(content) : headline(content);
  }

  void headline(std::string_view text) {
    close();
    if (text == "COMPUTE-SANITIZER") {
      report_.began = true;
    } else if (has(text, " SUMMARY: ")) {
      summary(text);
    } else if (starts_with_any(text, {"Warning: ", "Tracking kernels", "Saved host backtrace"}) &&
               !has(text, "Race reported")) {
      return;
    } else {
      // Whether this is a record is seen from what follows: an error of the program's says where it was.
      open_ = SanitizerRecord{};
      open_->warning = text.starts_with("Warning: ");
      if (const auto between = text.find(" between ");
          has(text, "Race reported") && between != std::string_view::npos) {
        race(text.substr(between + 9));
        text = text.substr(0, between);
      }
      if (starts_with_any(text, {"Error: Race", "Warning: Race"})) text.remove_prefix(text.find(' ') + 1);
      open_->kind = bounded(text);
      open_->space = space_of(text);
    }
  }

  void summary(std::string_view text) {
    // A program that writes a second summary can only make it worse.
    if (has(text, "were not printed") || has(text, "was not printed")) {
      report_.unprinted = std::max(report_.unprinted, number_before(text, " error"));
    } else if (text.starts_with("RACECHECK")) {
      report_.finished = true;
      report_.errors = std::max(report_.errors, number_before(text, " error"));
      report_.warnings = std::max(report_.warnings, number_before(text, " warning"));
    } else if (!text.starts_with("LEAK")) {
      report_.finished = true;
      report_.errors = std::max(report_.errors, number_before(text, " error"));
    }
  }

  /// "Write access at NAME+0x90 in FILE:LINE", the first of a race, or a further one with " [508 hazards]" behind it.
  void race(std::string_view text) {
    const auto hazards = text.rfind(" [");
    const std::string_view where = trimmed(text.substr(0, hazards));
    const auto at = where.find(" at ");
    if (at == std::string_view::npos) return;
    const Location found = location_of(where.substr(at + 4));
    if (open_->kernel.empty()) {
      open_->kernel = found.function;
      open_->place = found.place;
    }
    note(where);
    if (hazards != std::string_view::npos) note(trimmed(text.substr(hazards)));
    located_ = true;
  }

  void detail(std::string_view text) {
    if (!open_) return;
    if (text.starts_with("Host Frame") || text.starts_with("Saved host backtrace") || in_host_frames_) {
      in_host_frames_ = true;  // whatever follows belongs to the host's stack
    } else if (text.starts_with("at ")) {
      if (located_) return;
      const Location found = location_of(text.substr(3));
      open_->kernel = found.function;
      open_->place = found.place;
      located_ = true;
    } else if (text.starts_with("by thread ")) {
      const auto block = text.find(" in block ");
      open_->thread = bounded(trimmed(text.substr(10, block == std::string_view::npos ? block : block - 10)));
      if (block != std::string_view::npos) open_->block = bounded(trimmed(text.substr(block + 10)));
      located_ = true;
    } else if (text.starts_with("Device Frame:")) {
      // Frames go outwards: the last is the kernel.
      const Location found = location_of(text.substr(13));
      if (open_->inside.empty()) open_->inside = open_->kernel;
      open_->kernel = found.function;
      frame_place_ = found.place;
      located_ = true;
    } else if (text.starts_with("and ") && has(text, " access at ")) {
      race(text.substr(4));
    } else {
      note(text);
    }
  }

  void note(std::string_view text) {
    if (open_->notes.size() < k_max_notes) open_->notes.push_back(bounded(text));
  }

  void close() {
    if (open_) keep(std::move(*open_));
    open_.reset();
    frame_place_.clear();
    located_ = in_host_frames_ = false;
  }

  void keep(SanitizerRecord record) {
    const bool of_the_host = starts_with_any(record.kind, {"Program hit", "Host API", "Leaked", "Unused memory"});
    if (!located_ && !of_the_host) {
      if (report_.trouble.empty()) report_.trouble = record.kind;
      return;
    }
    if (record.inside == record.kernel) record.inside.clear();
    if (!record.inside.empty() && !frame_place_.empty()) {
      record.inside += record.place.empty() ? "" : " in " + record.place;
      record.place = frame_place_;
    }
    for (SanitizerRecord& known : report_.records)
      if (std::tie(known.kind, known.kernel, known.place, known.inside, known.warning) ==
          std::tie(record.kind, record.kernel, record.place, record.inside, record.warning)) {
        ++known.count;
        return;
      }
    if (report_.records.size() < k_max_sanitizer_records)
      report_.records.push_back(std::move(record));
    else
      ++report_.left_out;
  }

  SanitizerReport report_;
  std::optional<SanitizerRecord> open_;
  std::string frame_place_;
  bool located_ = false;  // the open record says where it was
  bool in_host_frames_ = false;
};

bool of_candidate(const SanitizerRecord& record, const ProvenanceContext& candidate) {
  if (record.kernel.empty()) return false;
  const std::string origin = kernel_origin(record.kernel, candidate);
  return origin == "own" || origin == "triton";
}

/// Why a run without an error of the candidate's is not known to be clean; empty: it is.
std::string doubt(SanitizerTool tool, const SanitizerReport& report, const SanitizerRun& run, std::uint64_t shown) {
  if (!run.failure.empty()) return run.failure + (report.trouble.empty() ? "" : "; the tool says: " + report.trouble);
  if (!report.began) return std::string(to_string(tool)) + " wrote no report";
  if (report.truncated) return "the report is longer than " + std::to_string(k_max_sanitizer_bytes >> 20) + " MiB";
  if (!report.trouble.empty()) return "the tool says: " + report.trouble;
  if (!report.finished) return "the report ends without a summary";
  if (report.unprinted > 0 || report.left_out > 0 || report.errors > shown)
    return std::to_string(std::max(report.errors, shown)) +
           " errors, of which the report shows too few to tell whose they are";
  if (!run.exit_code) return "the tool was ended by a signal";
  if (*run.exit_code == k_sanitizer_errors_code && shown == 0)
    return "the tool's exit code tells of errors, its report of none";
  if (*run.exit_code != 0 && *run.exit_code != k_sanitizer_errors_code)
    return "it exited with code " + std::to_string(*run.exit_code);
  return {};
}

}  // namespace

const char* to_string(SanitizerTool tool) {
  switch (tool) {
    case SanitizerTool::memcheck:
      return "memcheck";
    case SanitizerTool::racecheck:
      return "racecheck";
    case SanitizerTool::initcheck:
      return "initcheck";
    case SanitizerTool::synccheck:
      return "synccheck";
  }
  return "?";
}

std::optional<SanitizerTool> sanitizer_tool(std::string_view name) {
  for (const SanitizerTool tool : k_sanitizer_tools)
    if (name == to_string(tool)) return tool;
  return std::nullopt;
}

const char* to_string(SanitizerStatus status) {
  switch (status) {
    case SanitizerStatus::clean:
      return "clean";
    case SanitizerStatus::errors:
      return "errors";
    case SanitizerStatus::incomplete:
      return "incomplete";
    case SanitizerStatus::not_available:
      return "not_available";
  }
  return "?";
}

SanitizerReport parse_sanitizer_report(std::string_view bytes) { return Parser(bytes).take(); }

SanitizerResult conclude_sanitizer(SanitizerTool tool, SanitizerReport report, const SanitizerRun& run,
                                   const ProvenanceContext& candidate) {
  SanitizerResult result;
  result.tool = tool;
  std::uint64_t shown = 0;
  for (SanitizerRecord& record : report.records) {
    const bool own = of_candidate(record, candidate);
    if (!record.warning) {
      shown = sum(shown, record.count);
      std::uint64_t& counter = own ? result.errors : result.elsewhere;
      counter = sum(counter, record.count);
    } else if (own) {
      result.warnings = sum(result.warnings, record.count);
    }
    (own ? result.records : result.others).push_back(std::move(record));
  }
  result.why = doubt(tool, report, run, shown);
  result.status = result.errors > 0    ? SanitizerStatus::errors
                  : result.why.empty() ? SanitizerStatus::clean
                                       : SanitizerStatus::incomplete;
  return result;
}

}  // namespace kbv
