// SPDX-License-Identifier: MIT
#include "judge/candidate.h"

namespace kbv {
namespace {

using nlohmann::json;

Result<void> blame_candidate(Error error) {
  if (error.fault == Fault::candidate && error.code == "no_class") {
    error.code = "no_model_new";
    error.message = "the candidate does not define ModelNew";
  }
  return tl::make_unexpected(std::move(error));
}

}  // namespace

Result<std::unique_ptr<Worker>> start_candidate(const WorkerHost& host, const std::string& source,
                                                IsolationProfile profile, const BoxLimits& limits,
                                                const BuildBundle& bundle, const Runner& runner) {
  WorkerSpec spec;
  spec.label = "candidate worker";
  spec.owner = Fault::candidate;
  spec.profile = profile;
  spec.limits = limits;
  spec.files = {{"candidate.py", source}};
  spec.runner = runner;
  if (bundle.filled) spec.bundle_fd = bundle.memfd.get();
  return Worker::start(host, std::move(spec));
}

Result<void> load_candidate(Device& device, Worker& worker, Reference& reference, const BuildBundle& bundle,
                            std::uint64_t construct_seed, const StageLimits& stages, std::uint64_t& state_bytes, BufferSet& arguments) {
  if (bundle.filled) {
    auto unpacked = worker.request({{"op", "unbundle"}}, stages.load_s, "build_error");
    if (!unpacked) return blame_candidate(std::move(unpacked).error());
  }
  if (auto loaded = worker.request(load_candidate_message(), stages.load_s, "import_error"); !loaded)
    return blame_candidate(std::move(loaded).error());
  // A copy: the candidate never maps a buffer that the reference maps.
  if (!reference.init_tensors().leaves.empty()) {
    KBV_TRY_ASSIGN(arguments, BufferSet::allocate(device, reference.init_tree(), "argument", BufferSet::Kind::shared));
    KBV_TRY(copy_set(device, arguments, reference.init_tensors()));
    KBV_TRY(device.sync());
    KBV_TRY(worker.bind("init", reference.init_tree(), arguments.buffers));
  }
  auto built = worker.request(
      {{"op", "construct"}, {"class", "ModelNew"}, {"seed", construct_seed}, {"init", reference.init_tree()}},
      stages.load_s, "construct_error");
  if (!built) return blame_candidate(std::move(built).error());
  const auto claimed = built->find("state_bytes");
  state_bytes = claimed != built->end() && claimed->is_number_unsigned() ? claimed->get<std::uint64_t>() : 0;
  return {};
}

}  // namespace kbv
