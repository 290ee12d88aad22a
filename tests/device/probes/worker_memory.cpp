// SPDX-License-Identifier: MIT
// Memory that is handed over, and memory of its own that it leaves behind.
#include <algorithm>

#include "worker.h"

namespace kbv::cuda::probes {
namespace {

/// Statuses are the answer, not errors: what the driver says to each step is what the probes ask.
int set_access(WorkerState& state, DevicePointer address, std::uint64_t bytes, int flags) {
  const AccessDescriptor access{{k_location_device, state.gpu->context().device()}, flags};
  return state.gpu->api().memory_set_access(address, bytes, &access, 1);
}

/// Maps a slot once more, with that access.
json map_slot(WorkerState& state, Slot& slot, int flags) {
  const Api& api = state.gpu->api();
  DevicePointer address = 0;
  json answer;
  answer["reserve"] = api.address_reserve(&address, slot.bytes, 0, 0, 0);
  if (answer["reserve"] == k_success) answer["map"] = api.memory_map(address, slot.bytes, 0, slot.handle, 0);
  if (answer.value("map", -1) == k_success) answer["access"] = set_access(state, address, slot.bytes, flags);
  answer["ok"] = answer.value("access", -1) == k_success;
  if (answer.value("map", -1) == k_success) slot.addresses.push_back(address);
  return answer;
}

json import_slot(WorkerState& state, const json& command, std::vector<Fd>& fds) {
  Slot slot;
  slot.bytes = command.at("bytes");
  void* shareable = reinterpret_cast<void*>(static_cast<std::intptr_t>(fds.at(0).get()));
  const Status imported = state.gpu->api().memory_import(&slot.handle, shareable, k_handle_posix_file_descriptor);
  if (imported != k_success) return {{"import", imported}, {"ok", false}};
  json answer = map_slot(state, slot, command.at("flags"));
  answer["import"] = imported;
  state.slots.push_back(std::move(slot));
  return answer;
}

/// Memory of its own, for the judge to import.
Result<json> export_memory(WorkerState& state, std::uint64_t bytes) {
  const Api& api = state.gpu->api();
  AllocationProperties properties{};
  properties.type = k_allocation_pinned;
  properties.requested_handle_types = k_handle_posix_file_descriptor;
  properties.location = {k_location_device, state.gpu->context().device()};
  Slot slot;
  slot.bytes = bytes;
  json answer;
  answer["create"] = api.memory_create(&slot.handle, bytes, &properties, 0);
  if (answer["create"] != k_success) return answer;
  int fd = -1;
  answer["export"] = api.memory_export(&fd, slot.handle, k_handle_posix_file_descriptor, 0);
  if (answer["export"] == k_success) state.to_send = Fd(fd);
  answer.update(map_slot(state, slot, k_access_read_write));
  state.slots.push_back(std::move(slot));
  return answer;
}

/// As much as `bytes`, in pieces, by either call; as far as the device gives it.
Result<json> take(WorkerState& state, std::uint64_t bytes, bool by_create) {
  const Api& api = state.gpu->api();
  std::size_t free = 0, total = 0;
  KBV_TRY(state.gpu->context().check(api.memory_info(&free, &total), "cuMemGetInfo"));
  const std::uint64_t most = free / 100 * 85;
  if (bytes == 0 || bytes > most) bytes = most;
  const std::uint64_t piece = bytes >= (8ull << 30) ? 1ull << 30 : 16ull << 20;
  std::uint64_t taken = 0;
  Status last = k_success;
  while (taken + piece <= bytes && last == k_success) {
    if (by_create) {
      Slot slot;
      slot.bytes = piece;
      AllocationProperties properties{};
      properties.type = k_allocation_pinned;
      properties.location = {k_location_device, state.gpu->context().device()};
      last = api.memory_create(&slot.handle, piece, &properties, 0);
      if (last != k_success) break;
      if (!map_slot(state, slot, k_access_read_write)["ok"].get<bool>())
        return fail(Fault::machine, "cuda", "cuMemMap");
      state.plain.emplace_back(slot.addresses.front(), piece);
    } else {
      DevicePointer address = 0;
      last = state.gpu->more().allocate(&address, piece);
      if (last != k_success) break;
      state.plain.emplace_back(address, piece);
    }
    taken += piece;
  }
  return json{{"bytes", taken}, {"status", last}, {"free", free}};
}

Result<json> fill(WorkerState& state, unsigned word) {
  const auto& context = state.gpu->context();
  for (const auto& [address, bytes] : state.plain)
    KBV_TRY(context.check(state.gpu->api().set_words(address, word, bytes / 4, context.stream()), "cuMemsetD32Async"));
  KBV_TRY(context.sync());
  return json{{"filled", true}};
}

Result<json> count(WorkerState& state, unsigned word) {
  Gpu::Counted all;
  std::uint64_t bytes = 0;
  for (const auto& [address, size] : state.plain) {
    KBV_TRY_ASSIGN(const auto counted, state.gpu->count(address, size, word));
    all.same += counted.same;
    all.set += counted.set;
    bytes += size;
  }
  return json{{"pattern_words", all.same}, {"set_words", all.set}, {"bytes", bytes}};
}

Result<json> write_word(WorkerState& state, DevicePointer address, unsigned word) {
  const auto& context = state.gpu->context();
  Status status = state.gpu->api().set_words(address, word, 256, context.stream());
  if (status == k_success) status = state.gpu->api().stream_synchronize(context.stream());
  return json{{"status", status}, {"text", error_text(state.gpu->api(), status)}};
}

Result<json> read_word(WorkerState& state, DevicePointer address) {
  const auto& context = state.gpu->context();
  unsigned word = 0;
  Status status = state.gpu->api().copy_device_to_host(&word, address, 4, context.stream());
  if (status == k_success) status = state.gpu->api().stream_synchronize(context.stream());
  return json{{"status", status}, {"word", word}};
}

}  // namespace

Result<json> do_memory(WorkerState& state, const json& command, std::vector<Fd>& fds) {
  const std::string what = command.at("do");
  if (what == "import") return import_slot(state, command, fds);
  if (what == "export") return export_memory(state, command.at("bytes"));
  if (what == "take") return take(state, command.at("bytes"), command.at("create"));
  if (what == "fill") return fill(state, command.at("word"));
  if (what == "count") return count(state, command.at("word"));
  if (what == "free") {
    for (const auto& [address, bytes] : state.plain)
      KBV_TRY(state.gpu->context().check(state.gpu->more().release(address), "cuMemFree"));
    state.plain.clear();
    return json{{"freed", true}};
  }
  Slot& slot = state.slots.at(command.value("slot", std::size_t{0}));
  if (what == "map_again") return map_slot(state, slot, command.at("flags"));
  const DevicePointer address = slot.addresses.at(command.value("mapping", std::size_t{0}));
  if (what == "access") {
    json answer = {{"status", set_access(state, address, slot.bytes, command.at("flags"))}};
    unsigned long long flags = 0;
    const Location location{k_location_device, state.gpu->context().device()};
    if (state.gpu->more().get_access(&flags, &location, address) == k_success) answer["flags_after"] = flags;
    return answer;
  }
  if (what == "write") return write_word(state, address, command.at("word"));
  if (what == "read") return read_word(state, address);
  return fail(Fault::usage, "command", "no such command: " + what);
}

}  // namespace kbv::cuda::probes
