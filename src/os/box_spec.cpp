// SPDX-License-Identifier: MIT
#include "os/box_spec.h"

#include <unistd.h>

#include <utility>

#include "os/bytes.h"

namespace kbv {

std::string encode_spec(const LaunchSpec& spec) {
  ByteWriter out;
  out.put(spec.label);
  out.put(spec.argv);
  out.put(spec.env);
  out.put(static_cast<std::uint64_t>(spec.files.size()));
  for (const auto& file : spec.files) {
    out.put(file.name);
    out.put(file.bytes);
    out.put(file.writable);
  }
  out.put(static_cast<std::uint64_t>(spec.fds.size()));
  for (const auto& passed : spec.fds) out.put(passed.as_number);
  out.put(spec.read_only_paths);
  out.put(spec.device_nodes);
  const BoxLimits& limits = spec.limits;
  for (const std::uint64_t value : {limits.memory_bytes, limits.tmp_bytes, limits.file_bytes, limits.processes,
                                    limits.open_files, limits.output_bytes})
    out.put(value);
  out.put(limits.background);
  out.put(spec.profile);
  out.put(spec.tool);
  return out.bytes();
}

std::optional<LaunchSpec> decode_spec(std::string_view bytes) {
  ByteReader in(bytes);
  LaunchSpec spec;
  in.get(spec.label);
  in.get(spec.argv);
  in.get(spec.env);
  std::uint64_t count = 0;
  for (in.get(count); in.ok() && count > 0; --count) {
    InjectedFile file;
    in.get(file.name);
    in.get(file.bytes);
    in.get(file.writable);
    spec.files.push_back(std::move(file));
  }
  for (in.get(count); in.ok() && count > 0; --count) {
    PassedFd passed;
    in.get(passed.as_number);
    spec.fds.push_back(passed);
  }
  in.get(spec.read_only_paths);
  in.get(spec.device_nodes);
  BoxLimits& limits = spec.limits;
  for (std::uint64_t* value : {&limits.memory_bytes, &limits.tmp_bytes, &limits.file_bytes, &limits.processes,
                               &limits.open_files, &limits.output_bytes})
    in.get(*value);
  in.get(limits.background);
  in.get(spec.profile);
  in.get(spec.tool);
  if (!in.ok() || !in.at_end()) return std::nullopt;
  return spec;
}

std::string encode_status(const StatusMessage& message) {
  ByteWriter out;
  out.put(message.kind);
  out.put(message.report.level);
  out.put(message.report.layers);
  out.put(message.report.missing);
  out.put(message.box);
  out.put(message.memory_group);
  out.put(message.error.fault);
  out.put(message.error.code);
  out.put(message.error.message);
  out.put(message.error.detail);
  out.put(message.exit.code);
  out.put(message.exit.signal);
  out.put(message.exit.over_memory);
  out.put(message.exit.broke_freeze);
  out.put(message.refused.layer);
  out.put(message.refused.call);
  out.put(message.refused.is_attack);
  return out.bytes();
}

std::optional<StatusMessage> decode_status(std::string_view bytes) {
  ByteReader in(bytes);
  StatusMessage message;
  in.get(message.kind);
  in.get(message.report.level);
  in.get(message.report.layers);
  in.get(message.report.missing);
  in.get(message.box);
  in.get(message.memory_group);
  in.get(message.error.fault);
  in.get(message.error.code);
  in.get(message.error.message);
  in.get(message.error.detail);
  in.get(message.exit.code);
  in.get(message.exit.signal);
  in.get(message.exit.over_memory);
  in.get(message.exit.broke_freeze);
  in.get(message.refused.layer);
  in.get(message.refused.call);
  in.get(message.refused.is_attack);
  if (!in.ok() || !in.at_end()) return std::nullopt;
  return message;
}

void close_passed_fds(const LaunchSpec& spec) {
  for (std::size_t i = 0; i < spec.fds.size(); ++i) ::close(k_first_passed_fd + static_cast<int>(i));
}

}  // namespace kbv
