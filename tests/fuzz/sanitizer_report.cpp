// SPDX-License-Identifier: MIT
// A report of compute-sanitizer that its target may have written to: everything kept is bounded.
#include "judge/sanitizer_report.h"

#include "fuzz.h"

using namespace kbv;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const SanitizerReport report = parse_sanitizer_report(fuzz::text_of(bytes, size));
  fuzz::must(report.records.size() <= k_max_sanitizer_records, "the records are bounded");
  fuzz::must(report.trouble.size() <= k_max_sanitizer_line, "the trouble is a line");
  for (const auto& record : report.records) {
    for (const auto* text : {&record.kind, &record.kernel, &record.place, &record.inside, &record.space, &record.thread, &record.block})
      fuzz::must(text->size() <= k_max_sanitizer_text, "each text is bounded");
    fuzz::must(record.notes.size() <= 64, "the notes are few");
    for (const auto& note : record.notes) fuzz::must(note.size() <= k_max_sanitizer_text, "each note is bounded");
  }
  for (const auto tool : k_sanitizer_tools) static_cast<void>(conclude_sanitizer(tool, report, {"", 0}, {}));
  return 0;
}
