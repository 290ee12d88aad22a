// SPDX-License-Identifier: MIT
// A kernel trace, which the candidate's process could have written: all of it is bounded and printable.
#include "tracer/provenance.h"

#include "fuzz.h"

using namespace kbv;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto trace = parse_kernel_trace(fuzz::text_of(bytes, size));
  if (!trace) {
    fuzz::must(trace.error().fault == Fault::candidate && trace.error().code == "bad_trace", "a trace that can't be read is the candidate's");
    return 0;
  }
  fuzz::must(trace->kernels.size() <= k_max_traced_kernels, "the kernels are bounded");
  const auto printable = [](const std::string& text) {
    for (const char c : text)
      if (c < 0x20 || c > 0x7e) return false;
    return true;
  };
  fuzz::must(printable(trace->problem), "the problem is printable");
  for (const auto& kernel : trace->kernels) {
    fuzz::must(kernel.name.size() <= k_max_traced_name_bytes && printable(kernel.name), "a name is bounded and printable");
    static_cast<void>(kernel_base_name(kernel.name));
    static_cast<void>(kernel_origin(kernel.name));
  }
  static_cast<void>(trace->total_ns());
  return 0;
}
