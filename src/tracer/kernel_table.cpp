// SPDX-License-Identifier: MIT
#include "tracer/kernel_table.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace kbv::tracer {

namespace {

// Longer mangled names are kept as they are: demangling can blow a short name up, and does so more the longer it is.
constexpr std::size_t k_max_mangled_bytes = 16384;

std::string hex(std::uint64_t value, int digits) {
  std::string text(static_cast<std::size_t>(digits), '0');
  for (int i = digits - 1; i >= 0; --i, value >>= 4) text[static_cast<std::size_t>(i)] = "0123456789abcdef"[value & 15];
  return text;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::string demangled(std::string_view name) {
  const std::string text(name);
  if (!name.starts_with("_Z") || name.size() > k_max_mangled_bytes) return text;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain ? std::string(plain.get()) : text;
}

// What follows appends, since `"x" + std::string` draws a false warning from g++ 12 at -O3.

void append_field(std::string& out, const char* name, std::uint64_t value) {
  out.append("\"").append(name).append("\":").append(std::to_string(value));
}

void append_triple(std::string& out, const char* name, const std::array<std::int32_t, 3>& values) {
  out.append("\"").append(name).append("\":");
  char before = '[';
  for (const std::int32_t value : values) {
    out.append(1, before).append(std::to_string(value));
    before = ',';
  }
  out.append("]");
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c >= 0x20 && c < 0x7f)
      out += c;
    else
      out += "\\u" + hex(static_cast<unsigned char>(c), 4);
  }
  return out += '"';
}

std::string kept_name(std::string_view name) {
  std::string plain = demangled(name);
  if (plain.size() <= k_max_name_bytes) return plain;
  const std::string tail = "~" + hex(fnv1a(plain), 16);
  plain.resize(k_max_name_bytes - tail.size());
  return plain + tail;
}

void KernelTable::add_kernel(const KernelSample& sample) {
  auto name = kept_names_.find(sample.name);
  if (name == kept_names_.end()) {
    if (kept_names_.size() >= k_max_kernel_names) return add_dropped(1);
    name = kept_names_.emplace(std::string(sample.name), kept_name(sample.name)).first;
  }
  Row& row = rows_[name->second];
  row.min_ns = row.count ? std::min(row.min_ns, sample.duration_ns) : sample.duration_ns;
  row.max_ns = std::max(row.max_ns, sample.duration_ns);
  row.total_ns += sample.duration_ns;
  ++row.count;
  row.last = sample;
  row.last.name = {};
}

void KernelTable::Transfers::add(std::uint64_t more_bytes, std::uint64_t duration_ns) {
  ++count;
  bytes += more_bytes;
  total_ns += duration_ns;
}

std::string KernelTable::Transfers::to_json() const {
  std::string out = "{";
  append_field(out, "count", count);
  append_field(out.append(","), "bytes", bytes);
  append_field(out.append(","), "total_ns", total_ns);
  return out.append("}");
}

void KernelTable::add_copy(std::uint64_t bytes, std::uint64_t duration_ns) { copies_.add(bytes, duration_ns); }
void KernelTable::add_set(std::uint64_t bytes, std::uint64_t duration_ns) { sets_.add(bytes, duration_ns); }
void KernelTable::add_dropped(std::uint64_t records) { dropped_ += records; }
void KernelTable::clear() { *this = KernelTable(); }

std::string KernelTable::to_json(std::uint32_t cupti_version, std::string_view problem) const {
  std::string out = "{";
  append_field(out, "cupti_version", cupti_version);
  out.append(",\"problem\":").append(json_string(problem)).append(",\"kernels\":[");
  bool first = true;
  for (const auto& [name, row] : rows_) {
    out.append(first ? "{\"name\":" : ",{\"name\":").append(json_string(name));
    first = false;
    append_field(out.append(","), "count", row.count);
    append_field(out.append(","), "total_ns", row.total_ns);
    append_field(out.append(","), "min_ns", row.min_ns);
    append_field(out.append(","), "max_ns", row.max_ns);
    append_triple(out.append(","), "grid", row.last.grid);
    append_triple(out.append(","), "block", row.last.block);
    append_field(out.append(","), "registers", row.last.registers);
    append_field(out.append(","), "shared_bytes", row.last.shared_bytes);
    out.append("}");
  }
  out.append("],\"copies\":").append(copies_.to_json()).append(",\"sets\":").append(sets_.to_json()).append(",");
  append_field(out, "dropped", dropped_);
  return out.append("}");
}

}  // namespace kbv::tracer
