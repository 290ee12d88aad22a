// SPDX-License-Identifier: MIT
// Reads protocol files. Strict: a typo must not become a lenient rule.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "judge/families.h"
#include "score/protocol.h"

namespace kbv {

extern const std::string_view protocol_kernelbench;
extern const std::string_view protocol_verified;
extern const std::string_view protocol_attested;

namespace {

using Json = nlohmann::json;

constexpr const char* k_schema = "kbv-protocol/2";
constexpr std::array k_distributions{"D1", "D2", "D3", "D4"};
constexpr std::array k_baselines{"eager", "tf32_off", "tf32_on", "compile"};
constexpr std::array k_dtypes{DType::float64,    DType::float32, DType::float16, DType::bfloat16, DType::complex64,
                              DType::complex128, DType::int64,   DType::int32,   DType::int16,    DType::int8,
                              DType::uint8,      DType::boolean};

/// What is wrong with the file; parse_protocol turns it into an Error.
struct Complaint : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename Names>
bool contains(const Names& names, const std::string& name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// One object of the file: every field must be taken exactly once, and finish() complains of the rest.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {
    if (!object.is_object()) throw Complaint(fmt::format("expected an object, got {}", object.type_name()));
  }

  const Json& take(const char* name, const char* expected, bool (*is_right)(const Json&)) {
    const auto found = object_.find(name);
    if (found == object_.end()) throw Complaint(fmt::format("missing field '{}' ({})", name, expected));
    if (!is_right(*found))
      throw Complaint(fmt::format("'{}': expected {}, got {}", name, expected, found->type_name()));
    taken_.insert(name);
    return *found;
  }
  std::string text(const char* name) {
    auto value = take(name, "a string", [](const Json& j) { return j.is_string(); }).get<std::string>();
    if (value.empty()) throw Complaint(fmt::format("'{}' must not be empty", name));
    return value;
  }
  bool flag(const char* name) {
    return take(name, "true or false", [](const Json& j) { return j.is_boolean(); }).get<bool>();
  }

  void finish() const {
    for (const auto& [name, value] : object_.items())
      if (taken_.count(name) == 0) throw Complaint(fmt::format("unknown field '{}'", name));
  }

 private:
  const Json& object_;
  std::set<std::string> taken_;
};

std::map<std::string, double> read_tolerance(const Json& object, bool exact_integers) {
  std::map<std::string, double> tolerance;
  for (const auto& [name, value] : object.items()) {
    const auto dtype = dtype_from_name(name);
    if (!dtype) throw Complaint(fmt::format("'tolerance': unknown field '{}', which is not a dtype", name));
    if (!value.is_number())
      throw Complaint(fmt::format("'tolerance.{}': expected a number, got {}", name, value.type_name()));
    if (!(value.get<double>() >= 0)) throw Complaint(fmt::format("'tolerance.{}' must not be negative", name));
    if (exact_integers && !is_floating(*dtype))
      throw Complaint(fmt::format("'tolerance.{}' contradicts 'exact_integers'", name));
    tolerance[name] = value.get<double>();
  }
  for (const DType dtype : k_dtypes) {
    const std::string name(dtype_name(dtype));
    if ((is_floating(dtype) || !exact_integers) && tolerance.count(name) == 0)
      throw Complaint(fmt::format("missing field 'tolerance.{}' (a number)", name));
  }
  return tolerance;
}

/// Names of families, each once and known.
std::vector<std::string> read_families(Fields& fields, const char* name) {
  std::vector<std::string> families;
  for (const Json& item : fields.take(name, "a list", [](const Json& j) { return j.is_array(); })) {
    if (!item.is_string() || !contains(k_families, item.get<std::string>()))
      throw Complaint(fmt::format("'{}': each must be one of {}", name, fmt::join(k_families, ", ")));
    if (contains(families, item.get<std::string>()))
      throw Complaint(fmt::format("'{}': '{}' is there twice", name, item.get<std::string>()));
    families.push_back(item.get<std::string>());
  }
  return families;
}

std::optional<Budget> read_budget(const Json& json) {
  if (json.is_null()) return {};
  Fields fields(json);
  Budget budget;
  for (const auto& [name, value] :
       {std::pair{"max_factor", &budget.max_factor}, {"rms_factor", &budget.rms_factor}, {"products_max_factor", &budget.products_max_factor},
        {"products_rms_factor", &budget.products_rms_factor}, {"variation_factor", &budget.variation_factor},
        {"variation_least", &budget.variation_least}, {"variation_void", &budget.variation_void}, {"strict_least", &budget.strict_least}}) {
    *value = fields.take(name, "a number", [](const Json& j) { return j.is_number(); }).get<double>();
    if (!(*value > 0)) throw Complaint(fmt::format("'budget.{}' must be above 0", name));
  }
  const Json& least = fields.take("least", "an object", [](const Json& j) { return j.is_object(); });
  for (const auto& [name, value] : least.items()) {
    const auto dtype = dtype_from_name(name);
    if (!dtype || !is_floating(*dtype)) throw Complaint(fmt::format("'budget.least': unknown field '{}', which is not a floating dtype", name));
    if (!value.is_number() || !(value.get<double>() > 0)) throw Complaint(fmt::format("'budget.least.{}' must be a number above 0", name));
    budget.least[name] = value.get<double>();
  }
  for (const DType dtype : k_dtypes)
    if (is_floating(dtype) && budget.least.count(std::string(dtype_name(dtype))) == 0)
      throw Complaint(fmt::format("missing field 'budget.least.{}' (a number)", dtype_name(dtype)));
  fields.finish();
  return budget;
}

Protocol read_protocol(const Json& json) {
  Fields fields(json);
  const std::string schema = fields.text("schema");
  if (schema != k_schema) throw Complaint(fmt::format("'schema': expected '{}', got '{}'", k_schema, schema));

  Protocol protocol;
  protocol.name = fields.text("name");
  protocol.title = fields.text("title");

  const Json& trials = fields.take("trials", "a whole number", [](const Json& j) { return j.is_number_integer(); });
  if (trials < 0 || trials > 1000) throw Complaint("'trials' must be from 0 to 1000");
  protocol.trials = trials.get<int>();

  for (const Json& item : fields.take("distributions", "a list", [](const Json& j) { return j.is_array(); })) {
    if (!item.is_string() || !contains(k_distributions, item.get<std::string>()))
      throw Complaint(fmt::format("'distributions': each must be one of {}", fmt::join(k_distributions, ", ")));
    if (contains(protocol.distributions, item.get<std::string>()))
      throw Complaint(fmt::format("'distributions': '{}' is there twice", item.get<std::string>()));
    protocol.distributions.push_back(item.get<std::string>());
  }
  if (protocol.trials == 0 && protocol.distributions.empty())
    throw Complaint("it asks for no trial and no distribution, so anything would pass");

  protocol.exact_integers = fields.flag("exact_integers");
  protocol.tolerance =
      read_tolerance(fields.take("tolerance", "an object", [](const Json& j) { return j.is_object(); }),
                     protocol.exact_integers);
  protocol.timed_outputs = fields.flag("timed_outputs");

  const Json& ratio = fields.take("max_rms_ratio", "a number or null",
                                  [](const Json& j) { return j.is_number() || j.is_null(); });
  if (!ratio.is_null()) {
    protocol.max_rms_ratio = ratio.get<double>();
    if (!(*protocol.max_rms_ratio > 0)) throw Complaint("'max_rms_ratio' must be above 0");
  }

  protocol.families = read_families(fields, "families");
  protocol.robust_families = read_families(fields, "robust_families");
  protocol.budget = read_budget(fields.take("budget", "an object or null", [](const Json& j) { return j.is_object() || j.is_null(); }));
  if (!protocol.budget && !(protocol.families.empty() && protocol.robust_families.empty()))
    throw Complaint("'families' without a 'budget': nothing would judge them");
  protocol.contracts = fields.flag("contracts");
  protocol.parameters = fields.flag("parameters");
  if (!protocol.budget && protocol.parameters) throw Complaint("'parameters' without a 'budget': nothing would judge them");

  protocol.baseline = fields.text("baseline");
  if (!contains(k_baselines, protocol.baseline))
    throw Complaint(fmt::format("'baseline': '{}' is not one of {}", protocol.baseline, fmt::join(k_baselines, ", ")));
  const Json& calls = fields.take("mean_of_calls", "a whole number", [](const Json& j) { return j.is_number_integer(); });
  if (calls < 0 || calls > 100000) throw Complaint("'mean_of_calls' must be from 0 to 100000");
  protocol.mean_of_calls = calls.get<int>();
  protocol.memory = fields.flag("memory");
  fields.finish();
  return protocol;
}

/// JSON, but a key that is there twice is an error: the library would keep the last one silently.
Json parse_json(const std::string& text) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw Complaint(fmt::format("field '{}' is there twice", value.get<std::string>()));
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    throw Complaint(fmt::format("not JSON at byte {}", error.byte));
  } catch (const Json::exception&) {
    throw Complaint("a number is too large");
  }
}

}  // namespace

Result<Protocol> parse_protocol(const std::string& text, const std::string& where) {
  try {
    return read_protocol(parse_json(text));
  } catch (const Complaint& complaint) {
    return fail(Fault::usage, "bad_protocol", fmt::format("{}: {}", where, complaint.what()));
  }
}

const std::vector<Protocol>& builtin_protocols() {
  static const std::vector<Protocol> protocols = [] {
    std::vector<Protocol> parsed;
    for (const std::string_view text : {protocol_kernelbench, protocol_verified, protocol_attested}) {
      auto protocol = parse_protocol(std::string(text), "built-in protocol");
      if (!protocol) throw std::logic_error(protocol.error().message);
      parsed.push_back(std::move(*protocol));
    }
    return parsed;
  }();
  return protocols;
}

Result<Protocol> find_protocol(const std::string& name) {
  std::vector<std::string> names;
  for (const Protocol& protocol : builtin_protocols()) {
    if (protocol.name == name) return protocol;
    names.push_back(protocol.name);
  }
  return fail(Fault::usage, "unknown_protocol",
              fmt::format("there is no protocol '{}', only {}", name, fmt::join(names, ", ")));
}

}  // namespace kbv
