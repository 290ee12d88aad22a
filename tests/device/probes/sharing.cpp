// SPDX-License-Identifier: MIT
// Probes 3 and 4: memory handed over between users and pid namespaces, and whether a read-only mapping stays one.
#include "boxed_worker.h"
#include "gpu.h"
#include "probe.h"

namespace kbv::cuda::probes {
namespace {

constexpr std::uint64_t k_bytes = 2u << 20;
constexpr unsigned k_ours = 0x3C3C3C3C, k_theirs = 0xC3C3C3C3;

Result<unsigned> first_word(Device& device, const Buffer& buffer) {
  unsigned word = 0;
  KBV_TRY(device.read(&word, buffer, 0, sizeof word));
  return word;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// The judge's import of an allocation of the worker's: not what kbv does, but what it could do.
Result<json> import_from_worker(BoxedWorker& worker) {
  KBV_TRY_ASSIGN(json answer, worker.ask({{"do", "export"}, {"bytes", k_bytes}}));
  if (worker.received().empty()) return answer;
  KBV_TRY_ASSIGN(const Api* api, driver());
  AllocationHandle handle = 0;
  void* shareable = reinterpret_cast<void*>(static_cast<std::intptr_t>(worker.received().front().get()));
  answer["judge_import"] = api->memory_import(&handle, shareable, k_handle_posix_file_descriptor);
  if (answer["judge_import"] == k_success) (void)api->memory_release(handle);
  return answer;
}

/// One try in a worker of its own, since a refused write costs it its context.
struct Try {
  const char* name;
  std::vector<json> commands;  ///< on a mapping that is read-only; the last one writes
};

Result<json> try_to_write(Device& device, const Try& attempt) {
  KBV_TRY_ASSIGN(auto worker, BoxedWorker::start(device.info()));
  KBV_TRY_ASSIGN(auto buffer, device.allocate_shared(k_bytes));
  KBV_TRY(device.fill(*buffer, 0x3C));
  KBV_TRY(device.sync());
  json steps = json::array();
  KBV_TRY_ASSIGN(const json mapped, worker->import(*buffer, k_access_read));
  steps.push_back(mapped);
  KBV_TRY_ASSIGN(const json read, worker->ask({{"do", "read"}}));
  steps.push_back(read);
  for (const json& command : attempt.commands) {
    auto said = worker->ask(command);
    steps.push_back(said ? *said : json{{"no_answer", said.error().message}});
    if (!said) break;
  }
  worker->process().kill();
  KBV_TRY_ASSIGN(const unsigned word, first_word(device, *buffer));
  return json{{"steps", steps},
              {"mapped_read_only", mapped.value("ok", false)},
              {"could_read", read.value("word", 0u) == k_ours},
              {"written", word == k_theirs}};
}

}  // namespace

Result<Finding> probe_export(const Options&) {
  KBV_TRY_ASSIGN(auto device, open_cuda_device(0));
  KBV_TRY_ASSIGN(auto worker, BoxedWorker::start(device->info()));
  KBV_TRY_ASSIGN(auto buffer, device->allocate_shared(k_bytes));
  KBV_TRY(device->fill(*buffer, 0x3C));
  KBV_TRY(device->sync());
  const auto begun = Clock::now();
  KBV_TRY_ASSIGN(const json mapped, worker->import(*buffer));
  const double import_us = microseconds_between(begun, Clock::now());
  json read = {{"word", 0u}}, written = {{"status", -1}};
  if (mapped.value("ok", false)) {
    KBV_TRY_ASSIGN(read, worker->ask({{"do", "read"}}));
    KBV_TRY_ASSIGN(written, worker->ask({{"do", "write"}, {"word", k_theirs}}));
  }
  KBV_TRY_ASSIGN(const unsigned seen, first_word(*device, *buffer));
  auto back = import_from_worker(*worker);
  const auto& box = worker->process().isolation();
  Finding finding;
  finding.numbers = {{"layers", box.layers},
                     {"missing", box.missing},
                     {"uid", worker->started()["uid"]},
                     {"pid_in_box", worker->started()["pid"]},
                     {"pid_of_judge", worker->pid()},
                     {"import_us", import_us},
                     {"import", mapped},
                     {"read", read},
                     {"write", written},
                     {"worker_to_judge", back ? *back : json{{"error", back.error().message}}}};
  worker->process().kill();
  KBV_TRY(device->fill(*buffer, 0x11));
  KBV_TRY(device->sync());
  const bool works = read.value("word", 0u) == k_ours && seen == k_theirs;
  finding.outcome = works ? Outcome::ok : Outcome::surprise;
  finding.text = std::string(works ? "works both ways" : "does not work") + " as uid " +
                 worker->started()["uid"].dump() + ", pid " + worker->started()["pid"].dump() + " in its box (" +
                 joined(box.layers) + "); import and map " + number(import_us, 0) + " us; the judge " +
                 (back && back->value("judge_import", -1) == k_success ? "can" : "can't") + " import the worker's";
  return finding;
}

Result<Finding> probe_widening(const Options&) {
  KBV_TRY_ASSIGN(auto device, open_cuda_device(0));
  const json write = {{"do", "write"}, {"word", k_theirs}};
  const json write_second = {{"do", "write"}, {"word", k_theirs}, {"mapping", 1}};
  const std::vector<Try> attempts = {
      {"plain_write", {write}},
      {"set_access", {json{{"do", "access"}, {"flags", k_access_read_write}}, write}},
      {"second_mapping", {json{{"do", "map_again"}, {"flags", k_access_read_write}}, write_second}},
  };
  Finding finding;
  bool answered = true;
  std::vector<std::string> parts;
  for (const Try& attempt : attempts) {
    auto tried = try_to_write(*device, attempt);
    finding.numbers[attempt.name] = tried ? *tried : json{{"error", tried.error().message}};
    answered = answered && tried;
    parts.push_back(std::string(attempt.name) + ": " +
                    (!tried
                         ? "no answer"
                         : std::string((*tried)["mapped_read_only"].get<bool>() ? "" : "(read-only mapping refused) ") +
                               ((*tried)["written"].get<bool>() ? "written" : "not written")));
  }
  // kbv takes every shared buffer for writable and believes its own copies only, so any answer to the last two is fine;
  // that a read-only mapping stops a plain write is what the driver promises.
  const bool plain = finding.numbers["plain_write"].value("written", false);
  finding.outcome = !answered ? Outcome::failed : plain ? Outcome::surprise : Outcome::ok;
  for (const auto& part : parts) finding.text += (finding.text.empty() ? "" : "; ") + part;
  return finding;
}

}  // namespace kbv::cuda::probes
