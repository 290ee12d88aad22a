// SPDX-License-Identifier: MIT
// Parameters other than as constructed: a scale of one or a bias of zero that a candidate leaves out shows in nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "judge/evaluation.h"
#include "judge/families.h"

namespace kbv {
namespace {

using nlohmann::json;

constexpr std::uint64_t k_large_bytes = 64ull << 20;  ///< of parameters: to draw more anew takes long

json flat_tree(std::uint64_t elements, const std::string& dtype) {
  return {{"t", "tensor"}, {"slot", 0u}, {"dtype", dtype}, {"shape", {elements}}, {"stride", {1}}};
}

std::vector<std::string> names(const json& reply, const char* field) {
  constexpr std::size_t k_most = 4096, k_longest = 200;
  std::vector<std::string> found;
  if (const auto list = reply.find(field); list != reply.end() && list->is_array())
    for (const json& item : *list)
      if (item.is_string() && found.size() < k_most) found.push_back(item.get_ref<const std::string&>().substr(0, k_longest));
  return found;
}

}  // namespace

Result<json> Evaluation::bind_parameters() {
  KBV_TRY_ASSIGN(json listing, reference_->list_parameters(secret_, trusted_stages_.call_s));
  const std::uint64_t elements = listing.value("elements", std::uint64_t{0});
  const std::string dtype = listing.value("dtype", "float32");
  if (elements == 0) return listing;
  for (const char* name : {"state_old", "state_new"})
    for (auto* sets : {&reference_state_, &candidate_state_}) {
      KBV_TRY_ASSIGN(BufferSet set, BufferSet::allocate(device_, flat_tree(elements, dtype), name, BufferSet::Kind::shared));
      if (sets == &reference_state_) KBV_TRY(reference_->worker().bind(name, set.tree, set.buffers));
      sets->push_back(std::move(set));
    }
  KBV_TRY(bind_candidate_state());
  return listing;
}

Result<void> Evaluation::bind_candidate_state() {
  // The worker compares what the constructor makes with both, on the CPU.
  candidate_->process().allow_memory(2 * (candidate_state_[0].bytes() + candidate_state_[1].bytes()));
  KBV_TRY(candidate_->bind("state_old", candidate_state_[0].tree, candidate_state_[0].buffers));
  return candidate_->bind("state_new", candidate_state_[1].tree, candidate_state_[1].buffers);
}

Result<void> Evaluation::restart_candidate() {
  end_candidate();
  candidate_.reset();
  KBV_TRY_ASSIGN(candidate_, start_candidate(context_.host, candidate_source_, options_.profile, options_.limits, bundle_));
  KBV_TRY(check_box(candidate_->process().isolation()));
  KBV_TRY(candidate_->hello(options_.stages.start_s));
  KBV_TRY(candidate_->attach(options_.stages.start_s));
  std::uint64_t state_bytes = 0;
  KBV_TRY(load_candidate(device_, *candidate_, *reference_, bundle_, secret_.seed("construct"), options_.stages, state_bytes, candidate_arguments_));
  candidate_slots_[0].in.tree = reference_->input_tree();
  KBV_TRY(bind_call_buffers(*candidate_, candidate_slots_[0], 0));
  return bind_candidate_state();
}

Result<bool> Evaluation::give_parameters(const json& listing, const std::string& regime, const std::string& way) {
  const std::uint64_t construct = secret_.seed("construct");
  // The first time it is as constructed. Later: to construct a large model takes seconds, and its parameters as they were are at hand.
  const bool restore = parameters_given_ && reference_->state_bytes() > k_large_bytes;
  if (parameters_given_ && !restore) KBV_TRY(reference_->construct(construct));
  parameters_given_ = true;
  KBV_TRY(reference_->worker().request({{"op", "perturb"},
                                        {"restore", restore},
                                        {"regime", regime},
                                        {"seed", secret_.seed("parameters/" + regime)},
                                        {"forward_seed", secret_.seed("forward/parameters/" + regime)}},
                                       trusted_stages_.call_s, "runtime_error"));
  for (std::size_t i = 0; i < reference_state_.size(); ++i) KBV_TRY(copy_set(device_, candidate_state_[i], reference_state_[i]));
  KBV_TRY(device_.sync());
  const auto build = [&](const json& entries) {
    json message = {{"op", "construct"}, {"class", "ModelNew"}, {"seed", construct}, {"init", reference_->init_tree()}};
    if (!entries.is_null()) message["entries"] = entries;
    return candidate_->request(std::move(message), options_.stages.load_s, "construct_error");
  };
  Parameters& facts = seen_->parameters;
  facts.way = way;
  auto reply = build(way == "substituted" ? listing["entries"] : json());
  if (!reply) return tl::make_unexpected(std::move(reply).error());
  if (way == "state_dict") {
    reply = candidate_->request({{"op", "load_state"}, {"entries", listing["entries"]}}, options_.stages.load_s, "construct_error");
    if (!reply) return tl::make_unexpected(std::move(reply).error());
    if (!reply->value("loaded", false)) return false;
  }
  facts.delivered = names(*reply, "delivered");
  facts.missing = names(*reply, "missing");
  KBV_TRY(set_training(false));
  return true;
}

Result<bool> Evaluation::try_parameters(const json& listing, const std::string& way) {
  for (const ParameterChange& regime : k_parameter_changes) {
    if (*regime.needs && listing.value(regime.needs, 0) == 0) continue;
    KBV_TRY_ASSIGN(const bool given, give_parameters(listing, regime.name, way));
    if (!given) return false;
    for (const char* family : regime.families) {
      KBV_TRY(run_case("parameters", fmt::format("parameters-{}-{}", regime.name, family), {family, 1.0}, {}, nullptr));
      const CaseResult& result = seen_->cases.back();
      if (result.ran && options_.is_wrong && options_.is_wrong(*seen_, result)) return false;
    }
  }
  return true;
}

Result<void> Evaluation::check_parameters() {
  Parameters& facts = seen_->parameters;
  if (!reference_->has_exact()) {
    facts.note = "not varied: the outputs can't be judged by float64";
    return {};
  }
  if (already_failed()) {
    facts.note = "not varied: an output was wrong already";
    return {};
  }
  if (reference_->state_bytes() > k_most_varied_bytes) {
    facts.note = "not varied: too large";
    return {};
  }
  candidate_->process().thaw();  // after the times it stands still
  KBV_TRY(reference_->construct(secret_.seed("construct")));
  auto listing = bind_parameters();
  if (!listing) {
    if (listing.error().code != "device_memory") return tl::make_unexpected(std::move(listing).error());
    facts.note = "not varied: no room for them";
    return {};
  }
  facts.count = static_cast<int>((*listing)["entries"].size());
  if (facts.count == 0) {
    facts.note = "the model has none";
    return {};
  }
  // One way that works is enough. A candidate may prepare its weights in the constructor, name them otherwise, or keep what it
  // made of them in a global: none of that is wrong. What all ways tell alike is the candidate's fault.
  const std::size_t before = seen_->cases.size();
  std::vector<CaseResult> told;
  Parameters told_facts;
  std::optional<Error> first_fault;
  struct Attempt {
    const char* way;
    bool fresh;  // in a process of its own
  };
  for (const Attempt& attempt : {Attempt{"substituted", false}, Attempt{"state_dict", false}, Attempt{"substituted", true}}) {
    if (attempt.fresh) KBV_TRY(restart_candidate());
    auto done = try_parameters(*listing, attempt.way);
    if (done && *done) return {};
    if (!done) {
      if (done.error().fault != Fault::candidate) return tl::make_unexpected(std::move(done).error());
      if (!first_fault) first_fault = done.error();
      const std::string& code = done.error().code;
      if (code == "crash" || code == "timeout") break;  // its process is gone
    }
    if (told.empty()) {
      told.assign(std::make_move_iterator(seen_->cases.begin() + std::ptrdiff_t(before)), std::make_move_iterator(seen_->cases.end()));
      told_facts = facts;
    }
    seen_->cases.resize(before);
  }
  seen_->cases.insert(seen_->cases.end(), std::make_move_iterator(told.begin()), std::make_move_iterator(told.end()));
  facts = told_facts;
  const bool shown = options_.is_wrong && std::any_of(seen_->cases.begin() + std::ptrdiff_t(before), seen_->cases.end(), [&](const CaseResult& result) {
                       return result.ran && options_.is_wrong(*seen_, result);
                     });
  if (first_fault && !shown) {
    first_fault->message = "with other parameters: " + first_fault->message;
    return tl::make_unexpected(std::move(*first_fault));
  }
  return {};
}

}  // namespace kbv
