// SPDX-License-Identifier: MIT
// A stand-in for libcupti: fake_launch() and its like make records, cuptiActivityFlushAll() delivers them from another
// thread, as CUPTI does. Records have the sizes of the version in FAKE_CUPTI_VERSION, and their fields stand at offsets
// written here as numbers (measured with NVIDIA's headers of CUDA 12.1 to 13.5), so that the tracer's own structs are
// checked.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>
#include <string>
#include <thread>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace {

using Requested = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using Completed = void (*)(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t);

Requested requested = nullptr;
Completed completed = nullptr;
std::set<std::uint32_t> enabled;
std::deque<std::vector<std::uint8_t>> records;
std::set<std::string> names;  // CUPTI's own copies
std::size_t dropped = 0;

std::uint32_t number_from(const char* variable, std::uint32_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

std::uint32_t version() { return number_from("FAKE_CUPTI_VERSION", 130001); }

std::size_t record_bytes(std::uint32_t kind) {
  const bool v13 = version() >= 130000, v13_5 = version() >= 130500;
  if (kind == 10) return v13_5 ? 248 : v13 ? 216 : 208;
  if (kind == 1) return v13_5 ? 112 : v13 ? 96 : 88;
  return v13_5 ? 104 : 88;
}

template <typename T>
void put(std::vector<std::uint8_t>& record, std::size_t offset, T value) {
  std::memcpy(record.data() + offset, &value, sizeof value);
}

std::vector<std::uint8_t> new_record(std::uint32_t kind) {
  // 0xa5: what the tracer does not know must not matter.
  std::vector<std::uint8_t> record(record_bytes(kind), 0xa5);
  put(record, 0, kind);
  return record;
}

void deliver() {
  while (!records.empty()) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, limit = 0, used = 0;
    requested(&buffer, &size, &limit);
    if (!buffer) {
      dropped += records.size();
      records.clear();
      return;
    }
    while (!records.empty() && used + records.front().size() <= size) {
      std::memcpy(buffer + used, records.front().data(), records.front().size());
      used += records.front().size();
      records.pop_front();
    }
    completed(nullptr, 0, buffer, size, used);
  }
}

}  // namespace

API void fake_launch(const char* name, std::uint64_t start_ns, std::uint64_t end_ns, std::int32_t grid,
                     std::int32_t block, std::uint16_t registers, std::int32_t static_bytes,
                     std::int32_t dynamic_bytes) {
  if (!enabled.count(10)) return;
  auto record = new_record(10);
  put(record, 6, registers);
  put(record, 16, start_ns);
  put(record, 24, end_ns);
  for (std::size_t i = 0; i < 3; ++i) {
    put(record, 52 + 4 * i, i == 0 ? grid : 1);
    put(record, 64 + 4 * i, i == 0 ? block : 1);
  }
  put(record, 76, static_bytes);
  put(record, 80, dynamic_bytes);
  put(record, 104, name ? names.emplace(name).first->c_str() : nullptr);
  records.push_back(record);
}

API void fake_transfer(std::uint32_t kind, std::uint64_t bytes, std::uint64_t start_ns, std::uint64_t end_ns) {
  if (!enabled.count(kind)) return;
  auto record = new_record(kind);
  put(record, 8, bytes);
  put(record, 16, start_ns);
  put(record, 24, end_ns);
  records.push_back(record);
}

API void fake_drop(std::size_t count) { dropped += count; }
API void fake_register_none() { requested = nullptr, completed = nullptr; }
API std::size_t fake_enabled() { return enabled.size(); }

#ifndef FAKE_CUPTI_LACKS_VERSION
API int cuptiGetVersion(std::uint32_t* value) {
  *value = version();
  return 0;
}
#endif

API int cuptiActivityRegisterCallbacks(Requested on_request, Completed on_complete) {
  if (!on_request || !on_complete) return 1;
  requested = on_request;
  completed = on_complete;
  return 0;
}

API int cuptiActivityEnable(std::uint32_t kind) {
  if (kind == number_from("FAKE_CUPTI_REFUSES", 0)) return 35;
  enabled.insert(kind);
  return 0;
}

API int cuptiActivityDisable(std::uint32_t kind) {
  enabled.erase(kind);
  return 0;
}

API int cuptiActivityFlushAll(std::uint32_t) {
  if (!completed) return 7;
  std::thread(deliver).join();
  return 0;
}

API int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid_bytes, std::uint8_t** record) {
  std::uint8_t* next = buffer;
  if (*record) {
    std::uint32_t kind = 0;
    std::memcpy(&kind, *record, sizeof kind);
    next = *record + record_bytes(kind);
  }
  if (next >= buffer + valid_bytes) return 12;
  *record = next;
  return 0;
}

API int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* count) {
  *count = dropped;
  dropped = 0;
  return 0;
}

API int cuptiGetResultString(int result, const char** text) {
  *text = result == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_OTHER";
  return 0;
}
