// SPDX-License-Identifier: MIT
#include "judge/instrument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/file.h"
#include "base/json_text.h"
#include "base/printable.h"
#include "base/statistics.h"

namespace kbv {
namespace {

constexpr const char* k_schema = "kbv-instrument/1";
constexpr double k_short_us = 100, k_percent = 90;

}  // namespace

Instrument instrument_of(std::span<const InstrumentSample> samples) {
  std::vector<double> short_us, long_parts;
  for (const InstrumentSample& sample : samples) {
    const double error_us = std::abs(sample.judge_us - sample.events_us);
    if (!std::isfinite(error_us) || !(sample.events_us > 0)) continue;
    if (sample.events_us < k_short_us) short_us.push_back(error_us);
    else long_parts.push_back(error_us / sample.events_us);
  }
  Instrument instrument;
  instrument.operators = static_cast<int>(short_us.size() + long_parts.size());
  if (!long_parts.empty()) instrument.part = percentile(long_parts, k_percent);
  instrument.floor_us = short_us.empty() ? instrument.part * k_short_us : percentile(short_us, k_percent);
  return instrument;
}

std::string instrument_to_json(const Instrument& instrument) {
  const nlohmann::ordered_json json = {{"schema", k_schema},
                                       {"device", instrument.device},
                                       {"device_uuid", instrument.device_uuid},
                                       {"measured_at", instrument.measured_at},
                                       {"operators", instrument.operators},
                                       {"floor_us", instrument.floor_us},
                                       {"part", instrument.part}};
  return json_text(json, 1) + "\n";
}

Result<Instrument> instrument_from_json(const std::string& text, const std::string& where) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const auto bad = [&](const std::string& what) { return fail(Fault::usage, "bad_instrument", where + ": " + what); };
  if (!json.is_object()) return bad("not a JSON object");
  const auto text_of = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (text_of("schema") != k_schema) return bad(fmt::format("schema: expected \"{}\"", k_schema));
  Instrument instrument{text_of("device_uuid"), text_of("device"), text_of("measured_at"), 0, 0, 0};
  for (const auto& [key, value] : {std::pair{"floor_us", &instrument.floor_us}, std::pair{"part", &instrument.part}}) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number() || !(found->get<double>() >= 0) || !std::isfinite(found->get<double>()))
      return bad(fmt::format("{}: expected a number from 0", key));
    *value = found->get<double>();
  }
  const auto operators = json.find("operators");
  if (operators == json.end() || !operators->is_number_unsigned() || operators->get<std::uint64_t>() > 1'000'000)
    return bad("operators: expected a whole number");
  instrument.operators = operators->get<int>();
  return instrument;
}

std::string instrument_path(const std::string& device_uuid) {
  return state_path("instrument-" + file_name_of(device_uuid.empty() ? "cpu" : device_uuid) + ".json");
}

}  // namespace kbv
