// SPDX-License-Identifier: MIT
// What the tracer keeps: one bounded row a kernel name, and the JSON that it writes. Knows nothing of CUPTI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kbv::tracer {

constexpr std::size_t k_max_kernel_names = 4096;
constexpr std::size_t k_max_name_bytes = 512;

/// One launch of a kernel.
struct KernelSample {
  std::string_view name;  ///< as CUPTI says it: mangled, or plain for extern "C" and Triton
  std::uint64_t duration_ns = 0;
  std::array<std::int32_t, 3> grid{}, block{};
  std::uint32_t registers = 0;  ///< a thread
  std::uint64_t shared_bytes = 0;  ///< a block, static and dynamic
};

/// `text` as a JSON string in ASCII: any byte outside it becomes \u00XX, so that every input makes valid JSON.
std::string json_string(std::string_view text);

/// The name to keep: demangled if it can be, and at most k_max_name_bytes. A longer one ends in "~" and a hash of the
/// whole, so that kernels that differ late in their template arguments stay apart.
std::string kept_name(std::string_view name);

/// Sums of launches by kernel name, and of copies and sets. Not synchronised.
class KernelTable {
 public:
  /// A sample with a new name when the table is full counts as dropped.
  void add_kernel(const KernelSample& sample);
  void add_copy(std::uint64_t bytes, std::uint64_t duration_ns);
  void add_set(std::uint64_t bytes, std::uint64_t duration_ns);
  void add_dropped(std::uint64_t records);
  void clear();

  /// One line, without the newline; the kernels by name.
  std::string to_json(std::uint32_t cupti_version, std::string_view problem) const;

 private:
  struct Row {
    std::uint64_t count = 0, total_ns = 0, min_ns = 0, max_ns = 0;
    KernelSample last;  ///< its name is not used
  };
  struct Transfers {
    std::uint64_t count = 0, bytes = 0, total_ns = 0;
    void add(std::uint64_t more_bytes, std::uint64_t duration_ns);
    std::string to_json() const;
  };

  std::map<std::string, Row> rows_;                            ///< by kept name
  std::map<std::string, std::string, std::less<>> kept_names_;  ///< by raw name: demangling once is enough
  Transfers copies_, sets_;
  std::uint64_t dropped_ = 0;
};

}  // namespace kbv::tracer
