// SPDX-License-Identifier: MIT
#include "judge/reference.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "base/json_text.h"
#include "base/secret.h"
#include "problem/known_problems.h"

namespace kbv {

using nlohmann::json;

namespace {

/// An error of the reference's, told as the problem file's.
tl::unexpected<Error> blame_problem(Error error, const std::string& path) {
  if (error.fault == Fault::problem) {
    error.message = path + ": " + error.message;
    if (error.code == "no_class") error.code = "no_model";
  }
  return tl::make_unexpected(std::move(error));
}

}  // namespace

bool spends_worker(const Error& error) {
  return error.code == "crash" || error.code == "timeout" || error.code == "out_of_memory" ||
         error.message.find("CUDA") != std::string::npos || error.fault == Fault::machine;
}

Result<std::unique_ptr<Reference>> Reference::start(const WorkerHost& host, const StageLimits& limits) {
  auto reference = std::make_unique<Reference>();
  reference->limits_ = limits;
  WorkerSpec spec;
  spec.label = "reference worker";
  spec.owner = Fault::problem;
  spec.is_reference = true;
  spec.profile = IsolationProfile::none;
  KBV_TRY_ASSIGN(reference->worker_, Worker::start(host, std::move(spec)));
  return reference;
}

const Result<json>& Reference::hello() {
  if (!facts_) facts_ = worker_->hello(limits_.start_s);
  return *facts_;
}

Result<void> Reference::attach() {
  if (attached_) return {};
  KBV_TRY(worker_->attach(limits_.start_s));
  attached_ = true;
  return {};
}

Result<void> Reference::forget() {
  if (problem_.path.empty()) return {};
  KBV_TRY(worker_->request({{"op", "forget"}}, limits_.load_s, "worker_error"));
  problem_ = {};
  draws_in_.clear();
  draws_out_.clear();
  exact_ = {};
  rho_ = {};
  noise_got_ = {};
  slices_.clear();
  domains_.clear();
  return {};
}

Result<void> Reference::load(const ProblemSpec& problem, std::uint64_t seed) {
  KBV_TRY(forget());
  problem_ = problem;
  if (const KnownProblem* known = find_known_problem(sha256_hex(problem.source))) domains_ = known->domains;
  Fd source(::memfd_create("kbv-problem", MFD_CLOEXEC));
  if (!source || ::write(source.get(), problem_.source.data(), problem_.source.size()) !=
                     static_cast<ssize_t>(problem_.source.size()) ||
      ::lseek(source.get(), 0, SEEK_SET) != 0)
    return fail_errno("memfd_create");
  json constants = json::object();
  for (const auto& [name, text] : problem_.constants) {
    auto value = json::parse(text, nullptr, false);
    if (value.is_discarded())
      return fail(Fault::usage, "bad_constant", fmt::format("--set {}={}: not a JSON value", name, text));
    constants[name] = std::move(value);
  }
  json message = {{"op", "load"},
                  {"module", "problem"},
                  {"needs", {"Model", "get_inputs"}},
                  {"constants", constants},
                  {"size", problem_.size}};
  auto loaded = worker_->request(std::move(message), limits_.load_s, "import_error", {source.get()});
  if (!loaded) return blame_problem(std::move(loaded).error(), problem_.path);
  auto init = worker_->request({{"op", "init"}, {"seed", seed}}, limits_.load_s, "init_error");
  if (!init) return blame_problem(std::move(init).error(), problem_.path);
  init_tree_ = std::move((*init)["tree"]);
  return {};
}

Result<void> Reference::construct(std::uint64_t seed) {
  auto built = worker_->request({{"op", "construct"}, {"class", "Model"}, {"seed", seed}}, limits_.load_s,
                                "construct_error");
  if (!built) return blame_problem(std::move(built).error(), problem_.path);
  state_bytes_ = built->value("state_bytes", std::uint64_t{0});
  return {};
}

Result<void> Reference::learn_layout(std::uint64_t seed, std::uint64_t forward_seed, double scale) {
  auto spec = worker_->request({{"op", "spec"}, {"seed", seed}, {"scale", scale}, {"forward_seed", forward_seed}},
                               limits_.call_s, "runtime_error");
  if (!spec) return blame_problem(std::move(spec).error(), problem_.path);
  input_tree_ = std::move((*spec)["inputs"]);
  output_tree_ = std::move((*spec)["outputs"]);
  layout_finite_ = spec->value("finite", false);
  draws_random_ = spec->value("random", false);
  KBV_TRY_ASSIGN(const auto leaves, tree_leaves(output_tree_, "output"));
  if (leaves.empty())
    return fail(Fault::problem, "no_output", problem_.path + ": Model.forward returns nothing that can be compared");
  return {};
}

Result<void> Reference::bind_draws(Device& device, int slots) {
  const bool first = draws_in_.empty();
  while (std::ssize(draws_in_) < slots) {
    const std::string number = std::to_string(draws_in_.size());
    KBV_TRY_ASSIGN(BufferSet in, BufferSet::allocate(device, input_tree_, "input", BufferSet::Kind::shared));
    KBV_TRY_ASSIGN(BufferSet out, BufferSet::allocate(device, output_tree_, "output", BufferSet::Kind::shared));
    KBV_TRY(worker_->bind("draw_in" + number, input_tree_, in.buffers));
    KBV_TRY(worker_->bind("draw_out" + number, output_tree_, out.buffers));
    draws_in_.push_back(std::move(in));
    draws_out_.push_back(std::move(out));
  }
  if (!first) return {};
  KBV_TRY_ASSIGN(init_tensors_, BufferSet::allocate(device, init_tree_, "argument", BufferSet::Kind::shared));
  if (init_tensors_.leaves.empty()) return {};
  KBV_TRY(worker_->bind("init", init_tree_, init_tensors_.buffers));
  auto put = worker_->request({{"op", "put_init"}}, limits_.call_s, "init_error");
  if (!put) return blame_problem(std::move(put).error(), problem_.path);
  return {};
}

Result<std::uint64_t> Reference::count_operations(std::uint64_t seed, std::uint64_t forward_seed) {
  auto reply = worker_->request({{"op", "operations"}, {"seed", seed}, {"forward_seed", forward_seed}}, limits_.call_s, "runtime_error");
  if (!reply) return blame_problem(std::move(reply).error(), problem_.path);
  return reply->value("operations", std::uint64_t{0});
}

Result<double> Reference::operations_per_s() {
  KBV_TRY_ASSIGN(const json reply, worker_->request({{"op", "rate"}}, limits_.call_s, "runtime_error"));
  return reply.value("operations_per_s", 0.0);
}

Result<json> Reference::list_parameters(const Secret& secret, double limit_s) {
  constexpr int k_most_forwards = 16;
  KBV_TRY_ASSIGN(json listing, worker_->request({{"op", "parameters"}, {"seed", secret.seed("construct")}}, limit_s, "runtime_error"));
  if (listing.value("elements", std::uint64_t{0}) == 0) return listing;
  KBV_TRY_ASSIGN(const json reply, worker_->request({{"op", "reach"},
                                                     {"seed", secret.seed("parameters/PR")},
                                                     {"forward_seed", secret.seed("forward/parameters/PR")}},
                                                    k_most_forwards * limit_s, "runtime_error"));
  listing["reach"] = reply.value("reach", 0);
  return listing;
}

Result<DrawReply> Reference::draw(std::span<const Draw> draws, double scale, std::uint64_t forward_seed) {
  // Many in one request, but as few as fit into a reply.
  constexpr std::size_t k_reply_bytes = 128u << 10, k_most = 64;
  const std::size_t at_once = std::clamp<std::size_t>(k_reply_bytes / (json_text(input_tree_).size() + 64), 1, k_most);
  DrawReply all;
  for (std::size_t first = 0; first < draws.size(); first += at_once) {
    json list = json::array();
    for (std::size_t slot = first; slot < std::min(first + at_once, draws.size()); ++slot)
      list.push_back({{"in", "draw_in" + std::to_string(slot)},
                      {"out", "draw_out" + std::to_string(slot)},
                      {"seed", draws[slot].seed},
                      {"expected", draws[slot].expected}});
    const double limit_s = limits_.call_s * static_cast<double>(list.size());
    auto reply =
        worker_->request({{"op", "draw"}, {"draws", std::move(list)}, {"scale", scale}, {"forward_seed", forward_seed}},
                         limit_s, "runtime_error");
    if (!reply) return blame_problem(std::move(reply).error(), problem_.path);
    all.finite = all.finite && reply->value("finite", false);
    for (json& tree : (*reply)["inputs"]) all.inputs.push_back(std::move(tree));
  }
  if (all.inputs.size() != draws.size())
    return fail(Fault::machine, "worker_error", "the reference worker made another number of draws than it was asked for");
  return all;
}

namespace {

/// The tree with every tensor in float64.
json widened(json tree) {
  if (tree.contains("dtype")) {
    const std::string dtype = tree["dtype"];
    tree["t"] = "tensor";
    tree["dtype"] = dtype == "complex64" || dtype == "complex128" ? "complex128" : "float64";
  }
  if (tree.contains("items"))
    for (json& item : tree["items"]) item = widened(std::move(item));
  return tree;
}

std::uint64_t real_elements_of(const Leaf& leaf) { return leaf.elements * (is_complex(leaf.dtype) ? 2 : 1); }

/// Slices of an output: one for each index of dimension 0, several together where one has few elements.
std::uint64_t slice_of(const Leaf& leaf) {
  constexpr std::uint64_t k_least = 1000;
  const std::uint64_t elements = real_elements_of(leaf);
  if (leaf.shape.size() < 2 || leaf.shape[0] <= 0 || elements == 0) return std::max<std::uint64_t>(elements, 1);
  const std::uint64_t one = elements / static_cast<std::uint64_t>(leaf.shape[0]);
  return one * ((k_least + one - 1) / one);
}

FamilyReply read_family(const json& reply) {
  FamilyReply read;
  const std::string status = reply.at("status");
  read.status = status == "ok"           ? FamilyReply::Status::ok
                : status == "not_finite" ? FamilyReply::Status::not_finite
                : status == "inexact"    ? FamilyReply::Status::inexact
                : status == "no_room"    ? FamilyReply::Status::no_room
                                         : FamilyReply::Status::no_oracle;
  const auto number = [](const json& value) { return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity(); };
  const auto maybe = [&](const json& value) { return value.is_null() ? std::optional<double>() : number(value); };
  read.why = reply.at("why");
  read.writes_inputs = reply.at("mutates");
  read.stateful = reply.at("stateful");
  for (const json& alias : reply.at("aliases")) read.aliases.push_back(alias);
  read.in_domain = reply.at("in_domain");
  read.inputs = reply.at("inputs");
  for (const json& output : reply.at("outputs")) {
    FamilyReply::Output& next = read.outputs.emplace_back();
    next.variation = maybe(output.at("variation"));
    next.rho_max = number(output.at("rho_max"));
    for (const json& member : output.at("members"))
      next.members.push_back({member.at("name"), number(member.at("e_max")), number(member.at("e_rms")), maybe(member.at("e_var"))});
  }
  return read;
}

}  // namespace

Result<void> Reference::bind_exact(Device& device) {
  KBV_TRY_ASSIGN(const auto leaves, tree_leaves(output_tree_, "output"));
  json rho = {{"t", "list"}, {"items", json::array()}};
  slices_.clear();
  for (const Leaf& leaf : leaves) {
    const std::uint64_t elements = real_elements_of(leaf);
    slices_.push_back(slice_of(leaf));
    rho["items"].push_back({{"t", "tensor"},
                            {"slot", slices_.size() - 1},
                            {"dtype", "float64"},
                            {"shape", {(elements + slices_.back() - 1) / slices_.back()}},
                            {"stride", {1}}});
  }
  KBV_TRY_ASSIGN(BufferSet exact, BufferSet::allocate(device, widened(output_tree_), "exact", BufferSet::Kind::shared));
  KBV_TRY_ASSIGN(BufferSet floors, BufferSet::allocate(device, rho, "rho", BufferSet::Kind::shared));
  KBV_TRY(worker_->bind("exact", exact.tree, exact.buffers));
  KBV_TRY(worker_->bind("rho", rho, floors.buffers));
  exact_ = std::move(exact);
  rho_ = std::move(floors);
  return {};
}

Result<FamilyReply> Reference::family(const std::string& name, double scale, std::uint64_t seed, std::uint64_t forward_seed) {
  constexpr double k_calls = 20;  // about so many forwards, of which that in float64 is the longest
  json message = {{"op", "family"}, {"family", name}, {"scale", scale}, {"seed", seed}, {"forward_seed", forward_seed}};
  if (has_exact()) message["slices"] = slices_;
  if (!domains_.empty()) message["domains"] = domains_;
  auto reply = worker_->request(std::move(message), k_calls * limits_.call_s, "runtime_error");
  if (!reply) return blame_problem(std::move(reply).error(), problem_.path);
  try {
    return read_family(*reply);
  } catch (const json::exception& error) {
    return fail(Fault::machine, "worker_error", std::string("the reference worker's reply: ") + error.what());
  }
}

Result<NoiseStart> Reference::begin_noise(Device& device, std::uint64_t seed, const std::vector<std::uint64_t>& forward_seeds, bool twins) {
  if (noise_got_.leaves.empty()) {
    KBV_TRY_ASSIGN(BufferSet got, BufferSet::allocate(device, output_tree_, "output", BufferSet::Kind::shared));
    KBV_TRY(worker_->bind("noise_got", got.tree, got.buffers));
    noise_got_ = std::move(got);
  }
  auto reply = worker_->request({{"op", "noise"}, {"seed", seed}, {"seeds", forward_seeds}, {"twins", twins}},
                                static_cast<double>(forward_seeds.size() + 2) * limits_.call_s, "runtime_error");
  if (!reply) return blame_problem(std::move(reply).error(), problem_.path);
  const int most = static_cast<int>(forward_seeds.size() / 2);
  NoiseStart start;
  start.calls = std::clamp(reply->value("count", 0), 0, most);
  start.why = reply->value("why", std::string());
  start.inputs = std::move((*reply)["inputs"]);
  return start;
}

Result<void> Reference::take_noise() {
  auto reply = worker_->request({{"op", "noise_take"}, {"from", "noise_got"}}, limits_.call_s, "runtime_error");
  if (!reply) return blame_problem(std::move(reply).error(), problem_.path);
  return {};
}

namespace {

/// What src/worker/noise.py tells; "infinite" for what JSON can't hold.
std::vector<NoiseOutput> read_noise(const json& reply) {
  const auto number = [](const json& value) { return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity(); };
  std::vector<NoiseOutput> outputs;
  for (const json& told : reply.at("outputs")) {
    NoiseOutput& output = outputs.emplace_back();
    output.sigma = number(told.at("sigma"));
    output.size = number(told.at("size"));
    output.finite = told.at("finite");
    output.far_mean = number(told.at("far_mean"));
    output.far_sd = number(told.at("far_sd"));
    output.far_least = number(told.at("far_least"));
    output.least = number(told.at("least"));
    for (const json& m : told.at("measures"))
      output.measures.push_back({m.at("name"), number(m.at("expected")), number(m.at("got")), number(m.at("sum")), number(m.at("sum_sq")),
                                 number(m.at("linear")), number(m.at("square"))});
    for (const json& f : told.at("fields"))
      output.fields.push_back({f.at("name"), number(f.at("sum")), number(f.at("trace")), number(f.at("frobenius")), number(f.at("top")),
                               number(f.at("linear")), number(f.at("square"))});
  }
  return outputs;
}

tl::unexpected<Error> bad_noise(const json::exception& error) {
  return fail(Fault::machine, "worker_error", std::string("the reference worker's reply: ") + error.what());
}

}  // namespace

Result<std::vector<NoiseOutput>> Reference::noise_outputs() {
  constexpr double k_calls = 10;
  std::vector<NoiseOutput> outputs;
  for (std::size_t i = 0; i < noise_got_.leaves.size(); ++i) {
    auto reply = worker_->request({{"op", "noise_facts"}, {"output", i}}, k_calls * limits_.call_s, "runtime_error");
    if (!reply) return blame_problem(std::move(reply).error(), problem_.path);
    try {
      for (NoiseOutput& output : read_noise(*reply)) outputs.push_back(std::move(output));
    } catch (const json::exception& error) {
      return bad_noise(error);
    }
  }
  return outputs;
}

Result<std::vector<NoiseSpread>> Reference::noise_spreads(const std::vector<std::array<std::uint64_t, 3>>& draws) {
  auto reply = worker_->request({{"op", "noise_spread"}, {"draws", draws}}, 2 * static_cast<double>(draws.size()) * limits_.call_s,
                                "runtime_error");
  if (!reply) return blame_problem(std::move(reply).error(), problem_.path);
  std::vector<NoiseSpread> spreads;
  try {
    const json &means = reply->at("mean"), &sds = reply->at("sd");
    for (std::size_t i = 0; i < means.size(); ++i)
      if (means.at(i).is_number() && sds.at(i).is_number()) spreads.push_back({means.at(i), sds.at(i)});
    if (spreads.size() != means.size()) spreads.clear();  // on some draw an output is not finite
  } catch (const json::exception& error) {
    return bad_noise(error);
  }
  return spreads;
}

Result<std::optional<std::vector<NoiseOutput>>> Reference::noise_of_stand_in(const std::string& kind, const std::string& what, std::uint64_t seed,
                                                                            const std::vector<std::uint64_t>& forward_seeds) {
  auto reply = worker_->request({{"op", "noise_stand_in"}, {"kind", kind}, {"what", what}, {"seed", seed}, {"seeds", forward_seeds}},
                                3 * static_cast<double>(forward_seeds.size()) * limits_.call_s, "runtime_error");
  if (!reply) return blame_problem(std::move(reply).error(), problem_.path);
  if (!reply->value("made", false)) return std::nullopt;
  KBV_TRY_ASSIGN(std::vector<NoiseOutput> outputs, noise_outputs());
  return std::optional(std::move(outputs));
}

Result<void> Reference::end_noise() {
  auto reply = worker_->request({{"op", "noise_end"}}, limits_.call_s, "runtime_error");
  if (!reply) return blame_problem(std::move(reply).error(), problem_.path);
  return {};
}

Result<void> Reference::set_training(bool training) {
  auto reply = worker_->request({{"op", "mode"}, {"training", training}}, limits_.call_s, "runtime_error");
  if (!reply) return blame_problem(std::move(reply).error(), problem_.path);
  return {};
}

}  // namespace kbv
